import * as v from 'valibot'
import { readJson } from './bounded.ts'
import type { GrantAnswer, GrantProvider } from './port.ts'

/**
 * `consentUrl`: https://accounts.google.com, which shows the page of consent. `oauthUrl`: https://oauth2.googleapis.com, which issues
 * tokens. Or services with the same API.
 */
export type GoogleClient = { consentUrl: string; oauthUrl: string; clientId: string; clientSecret: string; timeoutMs?: number }
/** The variables of the Worker with the client (src/env.ts). */
export type GoogleSettings = Partial<
  Record<'GOOGLE_OAUTH_URL' | 'GOOGLE_CONSENT_URL' | 'GOOGLE_CLIENT_ID' | 'GOOGLE_CLIENT_SECRET', string>
>
/** `needed`: the scopes without which a grant is no use. On the page of consent a member can leave each of them out. */
export type GoogleGrantOptions = GoogleClient & { needed: readonly string[] }

/** Reading all calendars of an account, and writing their events. */
export const CALENDAR_SCOPES = [
  'https://www.googleapis.com/auth/calendar.readonly',
  'https://www.googleapis.com/auth/calendar.events',
] as const
/** Sending, and reading messages and send-as addresses; nothing in the mailbox is changed. */
export const MAILBOX_SCOPES = ['https://www.googleapis.com/auth/gmail.send', 'https://www.googleapis.com/auth/gmail.readonly'] as const
/** Who the member is at Google. */
const PROFILE_SCOPES = ['openid', 'email', 'profile']

const TokenReply = v.object({
  access_token: v.pipe(v.string(), v.minLength(1), v.maxLength(4096)),
  expires_in: v.pipe(v.number(), v.minValue(1), v.maxValue(86_400)),
  refresh_token: v.optional(v.nullable(v.pipe(v.string(), v.minLength(1), v.maxLength(4096))), null),
  scope: v.pipe(v.string(), v.maxLength(10_000)),
})
const Refusal = v.object({ error: v.string(), error_description: v.optional(v.string()) })

const MAX_BYTES = 65_536

/** The client of this deployment; undefined if there is none. */
export function googleClientOf(settings: GoogleSettings): GoogleClient | undefined {
  const { GOOGLE_OAUTH_URL: oauthUrl, GOOGLE_CONSENT_URL: consentUrl } = settings
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret } = settings
  return oauthUrl && consentUrl && clientId && clientSecret ? { oauthUrl, consentUrl, clientId, clientSecret } : undefined
}

/** The grants of Google (https://developers.google.com/identity/protocols/oauth2/web-server). */
export function googleGrants({
  consentUrl,
  oauthUrl,
  clientId,
  clientSecret,
  needed,
  timeoutMs = 10_000,
}: GoogleGrantOptions): GrantProvider {
  const post = (path: string, form: Record<string, string>) =>
    fetch(oauthUrl + path, { method: 'POST', body: new URLSearchParams(form), signal: AbortSignal.timeout(timeoutMs) })

  async function tokens(form: Record<string, string>): Promise<GrantAnswer> {
    try {
      const response = await post('/token', { ...form, client_id: clientId, client_secret: clientSecret })
      const reply = await readJson(response, MAX_BYTES)
      return response.ok ? granted(reply, needed) : notGranted(response.status, reply)
    } catch (error) {
      return { outcome: 'unavailable', reason: `Google does not answer: ${String(error).slice(0, 300)}` }
    }
  }

  return {
    consentUrl({ state, challenge, redirect_uri }) {
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri,
        response_type: 'code',
        state,
        scope: [...PROFILE_SCOPES, ...needed].join(' '),
        code_challenge: challenge,
        code_challenge_method: 'S256',
        // A refresh token comes only with offline access, and after the first time only if consent is requested again.
        access_type: 'offline',
        prompt: 'consent',
      })
      return `${consentUrl}/o/oauth2/v2/auth?${query}`
    },
    exchange: ({ code, verifier, redirect_uri }) =>
      tokens({ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri }),
    refresh: (refreshToken) => tokens({ grant_type: 'refresh_token', refresh_token: refreshToken }),
    async revoke(refreshToken) {
      const response = await post('/revoke', { token: refreshToken }).catch(() => undefined)
      await response?.body?.cancel().catch(() => {})
    },
  }
}

function granted(reply: unknown, needed: readonly string[]): GrantAnswer {
  const read = v.safeParse(TokenReply, reply)
  if (!read.success) return { outcome: 'unavailable', reason: 'Google answers without a token' }
  const { access_token, refresh_token, expires_in, scope } = read.output
  const scopes = scope.split(' ').filter((one) => one !== '')
  const missing = needed.filter((one) => !scopes.includes(one))
  if (missing.length > 0) return { outcome: 'refused', reason: `The account does not allow: ${missing.join(', ')}` }
  const expires_at = new Date(Date.now() + expires_in * 1000).toISOString()
  return { outcome: 'granted', tokens: { access_token, refresh_token, expires_at, scopes } }
}

/** `invalid_grant` concerns the code or the refresh token, and every other error this deployment's client or the service. */
function notGranted(status: number, reply: unknown): GrantAnswer {
  const refusal = v.safeParse(Refusal, reply)
  const code = refusal.success ? refusal.output.error : undefined
  const description = refusal.success ? (refusal.output.error_description ?? '') : ''
  const reason = `Google answers with ${status} ${code ?? ''} ${description}`.trim().slice(0, 300).toWellFormed()
  return { outcome: status < 500 && code === 'invalid_grant' ? 'refused' : 'unavailable', reason }
}
