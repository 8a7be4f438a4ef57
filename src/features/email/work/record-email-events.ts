import type { MessageOf } from '../../../../queues/messages.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { STATUS_OF_EVENT } from '../../campaigns/rules/events.ts'
import { MAX_LINKS } from '../../campaigns/rules/limits.ts'
import { RECIPIENT_RANK } from '../../campaigns/rules/states.ts'

type Reported = MessageOf<'email.event'>

/**
 * Records what the email provider has reported: one statement for each workspace, however many events there are. They may come in any
 * order, and repeatedly.
 */
export async function recordEmailEvents(env: Env, reported: Reported[]): Promise<void> {
  const byWorkspace = Map.groupBy(reported, ({ workspace_id }) => workspace_id)
  const statements = [...byWorkspace].map(([workspace, events]) => {
    const rows = events.map(({ event }) => ({ ...event, status: STATUS_OF_EVENT[event.kind] }))
    return call('record_email_events', workspace, JSON.stringify(rows), JSON.stringify(RECIPIENT_RANK), MAX_LINKS)
  })
  await batch(jobsDatabaseOf(env), statements)
}
