import { sql } from 'drizzle-orm'
import { batch } from '../src/data/batch.ts'
import { type Env, jobsDatabaseOf } from '../src/env.ts'
import { calendarAccessOf, calendarNotificationsOf } from '../src/services/calendars/access.ts'
import { syncCalendar } from '../src/services/calendars/sync.ts'
import type { MessageOf } from './messages.ts'
import { endDisconnected } from './sync-mailboxes.ts'

/** The calendars of a workspace for which one message enqueues others, and how many go to the queue together. */
const MOST_DUE = 1_000
const TOGETHER = 100

/**
 * Reads a calendar into the busy times of its member. A message without one ends the connections of the workspace that were disconnected, and enqueues those of its calendars that are due.
 * Repeated messages find nothing that is due.
 */
export async function syncCalendars(env: Env, message: MessageOf<'calendars.sync'>): Promise<void> {
  const { workspace_id, calendar_id } = message
  const access = calendarAccessOf(env)
  if (calendar_id) {
    const outcome = await syncCalendar(access, workspace_id, calendar_id, calendarNotificationsOf(env))
    if (outcome === 'again') await env.WEBHOOKS.send(message)
    if (outcome === 'ended') await env.EVENTS.send({ type: 'events.deliver', workspace_id }).catch(() => {})
    return
  }
  await endDisconnected(env, workspace_id)
  const [due] = (await batch(jobsDatabaseOf(env), [sql`select due_calendars(${workspace_id}::uuid, ${MOST_DUE}::int)`])) as [string[]]
  const messages = due.map((id) => ({ body: { type: message.type, workspace_id, calendar_id: id } }))
  for (let from = 0; from < messages.length; from += TOGETHER) await env.WEBHOOKS.sendBatch(messages.slice(from, from + TOGETHER))
}
