import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { emailEventOf } from '../../campaigns/rules/events.ts'
import { emailDetailsOf } from '../plans/provider-suppressions.ts'
import { recordEmailEvents } from './record-email-events.ts'

/** The most emails of campaigns that are looked up a night, and how many at once. */
const MOST = 500
const AT_ONCE = 5

/**
 * Fetches what the mail provider knows of the emails of campaigns of the last days whose outcome it has not reported: its webhooks are lost
 * when this service is away for longer than they are repeated. What was reported meanwhile is recorded once.
 */
export async function fetchEmailEvents(env: Env, now: Date): Promise<void> {
  const [waiting] = (await batch(jobsDatabaseOf(env), [call('unreported_recipients', MOST)])) as [string[]]
  const details = emailDetailsOf(env)
  for (let from = 0; from < waiting.length; from += AT_ONCE) {
    const found = await Promise.all(waiting.slice(from, from + AT_ONCE).map((id) => details(id)))
    const events = found.flat().flatMap((report) => {
      const event = emailEventOf(report, now)
      return event ? [{ type: 'email.event' as const, ...event }] : []
    })
    if (events.length > 0) await recordEmailEvents(env, events)
  }
}
