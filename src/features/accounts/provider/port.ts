/**
 * What a member has granted at a provider. `expires_at` is an instant in ISO 8601. `refresh_token` null: the provider returned none, so
 * the one that is stored stays valid.
 */
export type Tokens = { access_token: string; refresh_token: string | null; expires_at: string; scopes: string[] }
export type Account = { id: string; email: string; name: string | null }

/**
 * `refused`: the grant is revoked or the code is invalid, so a repeated call is pointless. `unavailable`: no response, or one that says
 * nothing.
 */
export type GrantAnswer = { outcome: 'granted'; tokens: Tokens } | { outcome: 'refused' | 'unavailable'; reason: string }

/** The OAuth 2.0 side of a provider (RFC 6749, section 4.1, with PKCE of RFC 7636). No call throws. */
export type GrantProvider = {
  /** The page on which the member gives consent; it asks for access without the member being present. */
  consentUrl(request: { state: string; challenge: string; redirect_uri: string }): string
  exchange(request: { code: string; verifier: string; redirect_uri: string }): Promise<GrantAnswer>
  refresh(refreshToken: string): Promise<GrantAnswer>
  revoke(refreshToken: string): Promise<void>
}

/**
 * Why a call has not done its work. `unauthorized`: the access token is expired or revoked. `limited`: too many calls; wait `retryAfter`
 * seconds.
 */
export type AccountFailureReason = 'unauthorized' | 'forbidden' | 'not_found' | 'limited' | 'refused' | 'unavailable'
export class AccountFailure extends Error {
  readonly reason: AccountFailureReason
  readonly retryAfter: number | null

  constructor(reason: AccountFailureReason, message: string, retryAfter: number | null = null) {
    super(message)
    this.reason = reason
    this.retryAfter = retryAfter
  }
}
