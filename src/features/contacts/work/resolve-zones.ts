import { sql } from 'drizzle-orm'
import type { MessageOf } from '../../../../queues/messages.ts'
import { batch } from '../../../data/batch.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { decidedZone, type Whereabouts } from '../rules/local-zone.ts'

/** Contacts per transaction, and transactions per message, after which another message continues. */
const CONTACTS = 500
const MAX_BATCHES = 40

type Batch = { zone: string; contacts: (Whereabouts & { id: string })[]; from: string | null; to: string | null }

/**
 * Decides the time zones of contacts that have none, or that a change of the workspace's zone may affect. Cron sends a lost message again.
 */
export async function resolveZones(env: Env, message: MessageOf<'zones.resolve'>): Promise<void> {
  const database = jobsDatabaseOf(env)
  const { workspace_id } = message
  for (let done = 0; done < MAX_BATCHES; done++) {
    const [found] = (await batch(database, [sql`select zone_batch(${workspace_id}::uuid, ${CONTACTS}::int)`])) as [Batch | null]
    if (!found) return
    const { zone, contacts, ...part } = found
    const zones = contacts.map((contact) => ({ id: contact.id, ...decidedZone(contact, zone) }))
    const [more] = await batch(database, [
      sql`select save_zone_batch(${workspace_id}::uuid, ${JSON.stringify(part)}::jsonb, ${JSON.stringify(zones)}::jsonb, ${CONTACTS}::int)`,
    ])
    if (!more) return
  }
  await env.IMPORTS.send(message)
}
