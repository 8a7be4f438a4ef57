import type { WorkSet } from '../../../../queues/work/set.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { decidedZone, type Whereabouts } from '../rules/local-zone.ts'

/** Contacts per transaction, and transactions per message, after which another message continues. */
const CONTACTS = 500
const MAX_BATCHES = 40

type Batch = { zone: string; contacts: (Whereabouts & { id: string })[]; from: string | null; to: string | null }

/** The zones of contacts that are to be decided; cron claims the workspaces (claim_zone_work). */
export const zones: WorkSet = { name: 'zones.resolve', queue: 'IMPORTS', due: [], run: resolveZones }

/** Decides the time zones of contacts that have none, or that a change of the workspace's zone may affect. */
async function resolveZones(env: Env, workspaceId: string): Promise<boolean> {
  const database = jobsDatabaseOf(env)
  for (let done = 0; done < MAX_BATCHES; done++) {
    const [found] = (await batch(database, [call('zone_batch', workspaceId, CONTACTS)])) as [Batch | null]
    if (!found) return false
    const { zone, contacts, ...part } = found
    const zones = contacts.map((contact) => ({ id: contact.id, ...decidedZone(contact, zone) }))
    const [more] = await batch(database, [call('save_zone_batch', workspaceId, JSON.stringify(part), JSON.stringify(zones), CONTACTS)])
    if (!more) return false
  }
  return true
}
