import { loggable } from '../../../lib/text.ts'
import type { BatchDelivery } from '../../email/provider/broadcast-port.ts'
import { MAX_MESSAGE_ATTEMPTS, secondsUntilRetry } from '../../messages/rules/messages.ts'

/** A recipient that was claimed for a batch, or whose batch is looked up (next_campaign_step). */
export type Claimed = { id: string; attempts: number }
export type LookedUp = Claimed & { created_at: string }

/** The outcome for a recipient (settle_campaign_batch). `wait`: the seconds until it is due again. */
export type Outcome = {
  id: string
  status: 'sent' | 'bounced' | 'failed' | 'queued' | 'unclear'
  error: string | null
  provider_message_id: string | null
  wait: number
}
/** `refused`: why the provider accepted nothing for now. */
export type Settled = { outcomes: Outcome[]; refused: string | null; wait: number }

/** The provider lists a message a little after it has accepted it, so it is asked after so many seconds. */
const UNTIL_LISTED = 120
/** After so long without a response about its outcome, an email has failed. */
const MOST_DOUBT = 3 * 86_400_000
const UNKNOWN = 'It is not known whether the email was sent: the provider did not say so for three days'

const outcome = (id: string, status: Outcome['status'], more: Partial<Outcome> = {}): Outcome => ({
  id,
  status,
  error: null,
  provider_message_id: null,
  wait: 0,
  ...more,
})

/**
 * What a call has led to. Recipients that the provider did not accept for now are sent to again, unless they were tried too often. A call
 * of which it has accepted nothing is no attempt of theirs: the campaign is paused when that happens too often.
 */
export function settled(claimed: Claimed[], delivery: BatchDelivery): Settled {
  if (delivery.outcome !== 'answered') {
    const error = loggable(delivery.reason, 500)
    if (delivery.outcome === 'unclear')
      return { outcomes: claimed.map(({ id }) => outcome(id, 'unclear', { error, wait: UNTIL_LISTED })), refused: null, wait: 0 }
    const wait = secondsUntilRetry(1)
    return { outcomes: claimed.map(({ id }) => outcome(id, 'queued', { error, wait })), refused: error, wait }
  }
  const results = claimed.map((_, n) => delivery.results[n])
  const isRefused = claimed.length > 0 && results.every((result) => result === undefined || result.outcome === 'unavailable')
  const outcomes = claimed.map(({ id, attempts }, n) => {
    const result = results[n]
    if (result?.outcome === 'sent') return outcome(id, 'sent', { provider_message_id: result.message_id })
    const error = loggable(result?.reason ?? '', 500)
    if (result?.outcome === 'inactive') return outcome(id, 'bounced', { error })
    if (result?.outcome === 'refused' || (attempts >= MAX_MESSAGE_ATTEMPTS && !isRefused)) return outcome(id, 'failed', { error })
    return outcome(id, 'queued', { error, wait: secondsUntilRetry(attempts) })
  })
  return { outcomes, refused: isRefused ? (outcomes[0]?.error ?? '') : null, wait: isRefused ? secondsUntilRetry(1) : 0 }
}

/** What a look-up has led to: the ids at the provider by recipient, or no response. Only whom it does not have is sent to again. */
export function reconciled(recipients: LookedUp[], found: Map<string, string> | { error: string }, now: Date): Settled {
  const outcomes = recipients.map(({ id, attempts, created_at }) => {
    if (!(found instanceof Map)) {
      if (now.getTime() - Date.parse(created_at) > MOST_DOUBT) return outcome(id, 'failed', { error: UNKNOWN })
      return outcome(id, 'unclear', { error: loggable(found.error, 500), wait: UNTIL_LISTED })
    }
    const message = found.get(id)
    if (message !== undefined) return outcome(id, 'sent', { provider_message_id: message })
    if (attempts >= MAX_MESSAGE_ATTEMPTS) return outcome(id, 'failed', { error: `The provider did not accept it in ${attempts} attempts` })
    return outcome(id, 'queued')
  })
  return { outcomes, refused: null, wait: 0 }
}
