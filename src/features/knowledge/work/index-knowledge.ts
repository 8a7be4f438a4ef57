import type { Kind } from '../../../../queues/work/kind.ts'
import { embedderOf, outsideHttpOf } from '../../../http/deployment.ts'
import { refreshEntry, type SourceWork } from '../plans/read-source.ts'
import { ENTRY_WAITS } from '../rules/entries.ts'

/** Texts of knowledge bases are split into chunks, which get their vectors; pages are read again. */
export const knowledgeIndex: Kind<SourceWork> = {
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
    const outcome = await refreshEntry({ embedder, http: outsideHttpOf(env) }, item)
    const wait = outcome.error === undefined || outcome.isFinal ? null : (ENTRY_WAITS[attempts - 1] ?? null)
    return { ...outcome, wait, failed: outcome.error !== undefined }
  },
}
