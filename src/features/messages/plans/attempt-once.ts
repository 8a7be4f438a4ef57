import { GrantEnded } from '../../accounts/plans/grants.ts'
import type { Delivery } from '../../email/provider/port.ts'
import { type ClaimedMessage, type Outcome, reconciled, refusalOf, settled } from './outcomes.ts'

/** How a channel sends a message, and finds the provider's id of one that may have been sent. `send` never throws. */
type Channel = { find: (now: Date) => Promise<string | undefined>; send: () => Promise<Delivery> }

/** Hands a claimed message to a provider, or looks up one whose outcome is unclear. Never throws: every failure is an outcome. */
export async function attemptOnce(message: ClaimedMessage, { find, send }: Channel): Promise<Outcome> {
  const now = new Date()
  if (message.status === 'unclear') {
    const found = await find(now).then(
      (id) => ({ id }),
      (error) => ({ error: String(error), isDisconnected: error instanceof GrantEnded }),
    )
    return reconciled(message, found, now)
  }
  return refusalOf(message, now) ?? settled(message, await send())
}
