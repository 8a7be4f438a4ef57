import type { Kind } from '../../../../queues/work/kind.ts'
import { voiceOf } from '../../../http/deployment.ts'
import { type CopyWork, copyBase } from '../plans/copy-base.ts'

/** Copies of knowledge bases at the voice provider are made what they should be. */
export const knowledgeCopy: Kind<CopyWork> = {
  name: 'knowledge.copy',
  queue: 'MESSAGES',
  table: 'knowledge_copies',
  writes: ['provider_kb_id', 'provider_keys'],
  read: 'read_knowledge_copies',
  settle: 'settle_knowledge_copy',
  lease: 300,
  atOnce: 1,
  inTurn: true,
  claims: 20,
  isOn: (env) => voiceOf(env) !== undefined,
  async call({ env, item, attempts }) {
    const voice = voiceOf(env)
    if (!voice) throw new Error('This deployment has no voice provider')
    return copyBase(voice.knowledge, item, attempts)
  },
}
