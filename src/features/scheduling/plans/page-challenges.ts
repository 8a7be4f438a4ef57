import type { Ctx } from '../../../context.ts'
import { invalid } from '../../../errors.ts'
import { namedId } from '../../../lib/ids.ts'
import { addressOf } from '../../pages/plans/visits.ts'
import { CHALLENGE_FIELD, isOwnChallenge, MOST_TOKEN } from '../../pages/rules/challenge.ts'
import type { Typed } from '../../pages/rules/form-fields.ts'
import type { PageView } from '../rules/pages/layout.ts'
import type { ScheduledEventType } from '../schemas/event-types.ts'
import type { StoredFacts } from './facts.ts'
import { FormRefused } from './page-forms.ts'

/** @throws VALIDATION_ERROR for a challenge that the deployment does not have. */
export function assertChallenge({ deployment }: Ctx, { challenge }: Partial<Pick<ScheduledEventType, 'challenge'>>): void {
  if (challenge !== 'turnstile' || deployment?.challenge) return
  const message = 'must be none: this service has no keys of Turnstile (TURNSTILE_SITE_KEY and TURNSTILE_SECRET_KEY)'
  throw invalid([{ path: 'challenge', message }])
}

/** The view of the form of an event type, with its challenge. */
export const challengedView = ({ deployment }: Ctx, view: PageView, { event_type }: StoredFacts): PageView =>
  event_type.challenge === 'none' ? view : { ...view, challenge: { widget: deployment.challenge?.widget } }

/**
 * Asserts that a person has sent the form of an event type with a challenge. The same form sent again, as by a second press of the button,
 * or by a repetition of the round trip that books, is verified with the same key, so that its token counts for it once. @throws FormRefused
 */
export async function assertPerson(ctx: Ctx, { path, texts }: PageView, { event_type }: StoredFacts, typed: Typed): Promise<void> {
  if (event_type.challenge === 'none') return
  const refused = (message: string, status?: number) => new FormRefused([{ field: 'challenge', message }], status)
  const { challenge } = ctx.deployment
  if (!challenge) throw refused(texts.challenge_away, 503)
  const response = typed[CHALLENGE_FIELD] ?? ''
  if (response === '') throw refused(texts.challenge_needed)
  if (response.length > MOST_TOKEN) throw refused(texts.challenge_failed)
  const address = addressOf(ctx.received?.headers)
  const verified = await challenge.verifier.verify({
    response,
    remote_ip: address === 'unknown' ? undefined : address,
    idempotency_key: namedId(JSON.stringify([path, Object.entries(typed).sort()])),
  })
  if (verified.outcome === 'unavailable') {
    console.error(JSON.stringify({ level: 'error', message: 'challenge', error: verified.reason }))
    throw refused(texts.challenge_away, 503)
  }
  if (verified.outcome === 'refused' || !isOwnChallenge(verified, challenge.hostnames)) throw refused(texts.challenge_failed)
}
