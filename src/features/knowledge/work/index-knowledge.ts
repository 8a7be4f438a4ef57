import type { Kind } from '../../../../queues/work/kind.ts'
import { embedderOf } from '../../../http/deployment.ts'
import { type EntryWork, indexEntry } from '../plans/index-entry.ts'
import { ENTRY_WAITS } from '../rules/entries.ts'

/** Texts of knowledge bases are split into chunks, which get their vectors. */
export const knowledgeIndex: Kind<EntryWork> = {
  name: 'knowledge.index',
  queue: 'IMPORTS',
  table: 'knowledge_entries',
  writes: [],
  read: 'read_knowledge_entries',
  settle: 'settle_knowledge_entry',
  lease: 300,
  atOnce: 2,
  inTurn: true,
  claims: 5,
  isOn: (env) => embedderOf(env) !== undefined,
  async call({ env, item, attempts }) {
    const embedder = embedderOf(env)
    if (!embedder) throw new Error('This deployment has no provider of embeddings')
    const outcome = await indexEntry(embedder, item)
    const wait = outcome.error === undefined || outcome.isFinal ? null : (ENTRY_WAITS[attempts - 1] ?? null)
    return { ...outcome, wait, failed: outcome.error !== undefined }
  },
}
