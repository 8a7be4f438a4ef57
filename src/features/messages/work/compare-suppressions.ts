import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { emailEventOf } from '../../campaigns/rules/events.ts'
import { MOST_LIFTED, type OutsideSuppression, type ProviderSuppressions, suppressionsOf } from '../../email/plans/provider-suppressions.ts'
import { recordEmailEvents } from '../../email/work/record-email-events.ts'

/** The seconds after which a lift is tried again, times the attempts so far, and the most attempts: over five days. */
const LIFT_WAIT = 300
const LIFT_ATTEMPTS = 60
/** How many days back the provider's list is compared: a night without a comparison is made up for. */
const DAYS = 7
const DAY_MS = 86_400_000
/** The most addresses that a comparison looks up at the provider. The next one continues with those that are left. */
const MOST_LOOKED_UP = 200

export type Lift = { workspace_id: string; address: string }

/** The addresses that are to be lifted now. */
export const dueLifts = () => call('due_suppression_lifts', MOST_LIFTED, LIFT_WAIT, LIFT_ATTEMPTS)

/** Lifts at the mail provider what workspaces have lifted. What it keeps, it says why. */
export async function liftSuppressions(env: Env, due: Lift[]): Promise<void> {
  if (due.length === 0) return
  const kept = await suppressionsOf(env).lift([...new Set(due.map(({ address }) => address))])
  const ended = due.map((lift) => ({ ...lift, refusal: kept.get(lift.address) ?? null }))
  await batch(jobsDatabaseOf(env), [call('end_suppression_lifts', JSON.stringify(ended))])
}

/**
 * Compares the addresses that the mail provider has suppressed with the lists of the workspaces. One that is on none was reported while
 * nobody listened: the email after which it was suppressed says whose it is, and what the report would have said is recorded.
 */
export async function compareSuppressions(env: Env, now: Date): Promise<void> {
  const provider = suppressionsOf(env)
  const listed = await provider.list(new Date(now.getTime() - DAYS * DAY_MS))
  const addresses = [...new Set(listed.map(({ address }) => address))]
  const [unknown] = (await batch(jobsDatabaseOf(env), [call('unknown_suppressions', JSON.stringify(addresses))])) as [string[]]
  const missed = listed.filter(({ address }) => unknown.includes(address)).slice(0, MOST_LOOKED_UP)
  const events = []
  for (const one of missed) {
    const event = await missedEvent(provider, one, now)
    if (event) events.push({ type: 'email.event' as const, ...event })
  }
  if (events.length > 0) await recordEmailEvents(env, events)
}

/** What the provider would have reported, which its webhook is read as. */
async function missedEvent(provider: ProviderSuppressions, { address, reason, at, stream }: OutsideSuppression, now: Date) {
  const last = await provider.lastTo(address, stream)
  if (!last) return undefined
  const report = {
    RecordType: 'SubscriptionChange',
    MessageID: last.message_id,
    Metadata: last.metadata,
    Recipient: address,
    ChangedAt: at,
    SuppressSending: true,
    SuppressionReason: reason,
  }
  return emailEventOf(report, now)
}
