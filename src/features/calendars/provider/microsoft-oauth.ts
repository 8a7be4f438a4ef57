import * as v from 'valibot'
import { readJson } from '../../accounts/provider/bounded.ts'
import type { GrantAnswer, GrantProvider } from '../../accounts/provider/port.ts'

/** `oauthUrl`: https://login.microsoftonline.com, or a service with the same API. */
export type MicrosoftGrantOptions = { oauthUrl: string; clientId: string; clientSecret: string; timeoutMs?: number }

/** Accounts of organisations and personal ones. */
const TENANT = '/common/oauth2/v2.0'
/** Without it, bookings cannot be written. */
const NEEDED = 'Calendars.ReadWrite'
/** A refresh token needs `offline_access`; the settings of the mailbox have its time zone. */
const SCOPES = ['openid', 'email', 'offline_access', 'User.Read', 'MailboxSettings.Read', NEEDED].join(' ')

const MAX_TOKEN = 16_384
const token = v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_TOKEN))
const TokenReply = v.object({
  access_token: token,
  expires_in: v.pipe(v.number(), v.minValue(1), v.maxValue(86_400)),
  refresh_token: v.optional(v.nullable(token), null),
  scope: v.pipe(v.string(), v.maxLength(10_000)),
})
const Refusal = v.object({ error: v.string(), error_description: v.optional(v.string(), '') })

const MAX_BYTES = 65_536
/** The grant has ended, or needs the member, for example for another factor. */
const ENDED = ['invalid_grant', 'interaction_required', 'consent_required']

/** The grants of Microsoft (https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow). */
export function microsoftGrants({ oauthUrl, clientId, clientSecret, timeoutMs = 10_000 }: MicrosoftGrantOptions): GrantProvider {
  async function tokens(form: Record<string, string>): Promise<GrantAnswer> {
    try {
      const body = new URLSearchParams({ ...form, client_id: clientId, client_secret: clientSecret, scope: SCOPES })
      const response = await fetch(`${oauthUrl}${TENANT}/token`, { method: 'POST', body, signal: AbortSignal.timeout(timeoutMs) })
      const reply = await readJson(response, MAX_BYTES)
      return response.ok ? granted(reply) : notGranted(response.status, reply)
    } catch (error) {
      return { outcome: 'unavailable', reason: `Microsoft does not answer: ${String(error).slice(0, 300)}` }
    }
  }

  return {
    consentUrl({ state, challenge, redirect_uri }) {
      const query = new URLSearchParams({
        client_id: clientId,
        response_type: 'code',
        response_mode: 'query',
        redirect_uri,
        state,
        scope: SCOPES,
        code_challenge: challenge,
        code_challenge_method: 'S256',
        prompt: 'select_account',
      })
      return `${oauthUrl}${TENANT}/authorize?${query}`
    },
    exchange: ({ code, verifier, redirect_uri }) =>
      tokens({ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri }),
    refresh: (refreshToken) => tokens({ grant_type: 'refresh_token', refresh_token: refreshToken }),
    // Microsoft has no call that ends one grant: the member does that in the account, and a token that is not used expires.
    async revoke() {},
  }
}

/** Scopes come with or without the address of Graph before them. */
function granted(reply: unknown): GrantAnswer {
  const read = v.safeParse(TokenReply, reply)
  if (!read.success) return { outcome: 'unavailable', reason: 'Microsoft answers without a token' }
  const { access_token, refresh_token, expires_in, scope } = read.output
  const scopes = scope.split(' ').flatMap((one) => (one === '' ? [] : [one.slice(one.lastIndexOf('/') + 1)]))
  if (!scopes.some((one) => one.toLowerCase() === NEEDED.toLowerCase()))
    return { outcome: 'refused', reason: `The account does not allow: ${NEEDED}` }
  const expires_at = new Date(Date.now() + expires_in * 1000).toISOString()
  return { outcome: 'granted', tokens: { access_token, refresh_token, expires_at, scopes } }
}

function notGranted(status: number, reply: unknown): GrantAnswer {
  const refusal = v.safeParse(Refusal, reply)
  const { error, error_description } = refusal.success ? refusal.output : { error: '', error_description: '' }
  const reason = `Microsoft answers with ${status} ${error} ${error_description}`.trim().slice(0, 300).toWellFormed()
  return { outcome: status < 500 && ENDED.includes(error) ? 'refused' : 'unavailable', reason }
}
