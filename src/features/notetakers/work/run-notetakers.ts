import type { Kind } from '../../../../queues/work/kind.ts'
import { notetakerProviderOf } from '../../../http/deployment.ts'
import { perform } from '../plans/perform.ts'
import type { ClaimedNotetaker } from '../rules/decisions.ts'

/** Makes the provider of notetakers agree with those that are due: creates, moves and ends bots, and reads what they have recorded. */
export const notetakersRun: Kind<ClaimedNotetaker> = {
  name: 'notetakers.run',
  queue: 'WEBHOOKS',
  table: 'notetakers',
  writes: [],
  read: 'read_notetakers',
  settle: 'conclude_notetaker',
  emits: true,
  lease: 120,
  atOnce: 6,
  claims: 10,
  isOn: (env) => notetakerProviderOf(env) !== undefined,
  async call({ env, workspaceId, item }) {
    const provider = notetakerProviderOf(env)
    if (!provider) throw new Error('This deployment has no provider of notetakers')
    const { seconds, ...outcome } = await perform(provider, workspaceId, item, new Date())
    return { ...outcome, wait: seconds }
  },
}
