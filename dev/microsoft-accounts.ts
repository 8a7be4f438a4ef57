import { createHash, randomUUID } from 'node:crypto'
import type { Reply } from './local-server.ts'
import type { MicrosoftWorld } from './microsoft-world.ts'

/** The client that the emulated Microsoft knows. */
export const CLIENT = { id: '00000000-0000-4000-8000-000000000001', secret: 'local-microsoft-secret' }

export type Page = { status: number; headers?: Record<string, string>; body: string }
type Code = { email: string; challenge: string; redirectUri: string; scopes: string[] }
type Grant = { email: string; scopes: string[] }

const ACCESS_SECONDS = 3599
const NEEDED = ['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method']

/**
 * The page of consent and the tokens of the emulated Microsoft. A refresh token is replaced by each use, and the former one stays valid, as
 * with Microsoft.
 */
export class MicrosoftAccounts {
  /** Whoever opens the page of consent is sent back at once, with this account. */
  autoConsent: string | undefined
  readonly grants = new Map<string, Grant>()
  readonly #codes = new Map<string, Code>()
  readonly #access = new Map<string, { grant: string; until: number }>()
  readonly #world: MicrosoftWorld

  constructor(world: MicrosoftWorld) {
    this.#world = world
  }

  /** The page of consent, for the address that the API has issued. */
  page(query: URLSearchParams): Page {
    const missing = NEEDED.find((name) => !query.get(name))
    const fault = missing
      ? `AADSTS900144: The request must contain: ${missing}`
      : query.get('client_id') !== CLIENT.id && 'AADSTS700016: Unknown client'
    if (fault) return { status: 400, body: html(`<h1>Sign in</h1><p>${fault}</p>`) }
    if (this.autoConsent) return { status: 302, headers: { location: this.consent(query, this.autoConsent) }, body: '' }
    const hidden = [...query].map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`).join('')
    const account = '<p><label>Account <input name="email" type="email" value="host@example.com" required></label></p>'
    const buttons = '<button name="answer" value="accept">Accept</button> <button name="answer" value="cancel">Cancel</button>'
    return { status: 200, body: html(`<h1>Permissions requested</h1><form method="post">${hidden}${account}${buttons}</form>`) }
  }

  /** What the buttons of the page do. */
  answer(form: URLSearchParams): Page {
    const isAccepted = form.get('answer') === 'accept'
    const location = isAccepted ? this.consent(form, form.get('email') || 'host@example.com') : returnTo(form, { error: 'access_denied' })
    return { status: 302, headers: { location }, body: '' }
  }

  /** Gives consent, and returns the address to which the browser is sent back. */
  consent(query: URLSearchParams, email: string, scopes = (query.get('scope') ?? '').split(' ')): string {
    this.#world.account(email)
    const code = `M.${randomUUID()}`
    const [challenge, redirectUri] = [query.get('code_challenge') as string, query.get('redirect_uri') as string]
    this.#codes.set(code, { email, challenge, redirectUri, scopes })
    return returnTo(query, { code })
  }

  token(form: URLSearchParams): Reply {
    if (form.get('client_id') !== CLIENT.id || form.get('client_secret') !== CLIENT.secret)
      return refused('invalid_client', 7000215, 'Invalid client secret provided.', 401)
    if (form.get('grant_type') === 'refresh_token') return this.#refresh(form.get('refresh_token') ?? '')
    if (form.get('grant_type') !== 'authorization_code') return refused('unsupported_grant_type', 70003, 'The grant type is not supported.')
    const code = this.#codes.get(form.get('code') ?? '')
    this.#codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (!code || code.challenge !== challenge)
      return refused('invalid_grant', 70008, 'The code has expired or does not match its verifier.')
    if (code.redirectUri !== form.get('redirect_uri')) return refused('invalid_grant', 50011, 'The redirect URI does not match.')
    return this.#issue({ email: code.email, scopes: code.scopes })
  }

  /** The account of an access token that is valid. */
  emailOf(authorization: string | undefined): string | undefined {
    const access = this.#access.get(authorization?.replace(/^Bearer /, '') ?? '')
    return access && access.until > Date.now() ? this.grants.get(access.grant)?.email : undefined
  }

  /** Makes the access tokens expire; new ones can be had. */
  expireAccess(): void {
    this.#access.clear()
  }

  /** What a member or an administrator does: every token of the account is invalid from now on. */
  revokeAll(email: string): void {
    for (const [token, grant] of this.grants) if (grant.email === email) this.grants.delete(token)
  }

  clear(): void {
    this.autoConsent = undefined
    for (const part of [this.grants, this.#codes, this.#access]) part.clear()
  }

  #refresh(token: string): Reply {
    const grant = this.grants.get(token)
    return grant ? this.#issue(grant) : refused('invalid_grant', 700082, 'The refresh token has expired or was revoked.')
  }

  #issue(grant: Grant): Reply {
    const [refresh_token, access_token] = [`0.${randomUUID()}`, `EwB${randomUUID()}`]
    this.grants.set(refresh_token, grant)
    this.#access.set(access_token, { grant: refresh_token, until: Date.now() + ACCESS_SECONDS * 1000 })
    // The response names scopes of Graph with its address, and leaves out offline_access.
    const scope = grant.scopes
      .filter((one) => one !== 'offline_access')
      .map((one) => (one.includes('.') ? `https://graph.microsoft.com/${one}` : one))
      .join(' ')
    return [200, { token_type: 'Bearer', scope, expires_in: ACCESS_SECONDS, ext_expires_in: ACCESS_SECONDS, access_token, refresh_token }]
  }
}

/** An error in the form of https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow. */
export const refused = (error: string, code: number, text: string, status = 400): Reply => [
  status,
  { error, error_description: `AADSTS${code}: ${text}`, error_codes: [code], timestamp: new Date().toISOString(), trace_id: randomUUID() },
]

function returnTo(query: URLSearchParams, parameters: Record<string, string>): string {
  const address = new URL(query.get('redirect_uri') as string)
  for (const [name, value] of Object.entries({ state: query.get('state') as string, ...parameters })) address.searchParams.set(name, value)
  return address.href
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`)
const html = (body: string) =>
  '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
  `<title>Sign in – emulated Microsoft</title><body>${body}`
