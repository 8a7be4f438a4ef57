import type { Kind } from '../../../../queues/work/kind.ts'
import { secretsOf, voiceOf } from '../../../http/deployment.ts'
import { handOver, type Publication } from '../plans/publish.ts'

/** Versions of voice agents whose outcome at the voice provider is not known are looked up, or else handed over again. */
export const agentsPublish: Kind<Publication> = {
  name: 'agents.publish',
  queue: 'MESSAGES',
  table: 'agent_versions',
  where: "t.status = 'publishing'",
  writes: [],
  read: 'read_publications',
  settle: 'conclude_publication',
  emits: true,
  lease: 120,
  atOnce: 5,
  inTurn: true,
  claims: 4,
  isOn: (env) => voiceOf(env) !== undefined,
  async call({ env, item, attempts }) {
    const voice = voiceOf(env)
    if (!voice) throw new Error('This deployment has no voice provider')
    const publisher = { provider: voice.provider, secrets: secretsOf(env), apiUrl: env.API_URL }
    const outcome = await handOver(publisher, { ...item, attempts }, true)
    return { ...outcome, failed: outcome.error !== null }
  },
}
