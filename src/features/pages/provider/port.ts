import type { ChallengeWidget } from '../rules/challenge.ts'

/** The token of a form. `idempotency_key`: a UUID; a repeated call with the same one gets the first result. */
export type ChallengeAnswer = { response: string; remote_ip: string | undefined; idempotency_key: string }

/**
 * `passed`: with the host of the page that showed the challenge, and the action that the page named. `refused`: the token is wrong, was
 * used, or has expired.
 * `unavailable`: nothing is known about the token, because the provider does not answer or refuses our keys.
 */
export type Verified =
  | { outcome: 'passed'; hostname: string | undefined; action: string | undefined }
  | { outcome: 'refused' }
  | { outcome: 'unavailable'; reason: string }

export type Verifier = {
  /** Verifies a token, which counts once. Never throws. */
  verify(answer: ChallengeAnswer): Promise<Verified>
}

/** `hostnames`: the hosts that serve our pages. */
export type Challenge = { widget: ChallengeWidget; hostnames: string[]; verifier: Verifier }
