import { createHash, randomUUID } from 'node:crypto'
import type { GoogleWorld } from './google-world.ts'
import type { Reply } from './local-server.ts'

/** The client that the emulated Google knows. */
export const CLIENT = { id: 'local-client.apps.googleusercontent.com', secret: 'local-google-secret' }

export type Page = { status: number; headers?: Record<string, string>; body: string }
type Code = { email: string; challenge: string; redirectUri: string; scopes: string[] }
type Grant = { email: string; scopes: string[] }

const ACCESS_SECONDS = 3599
const NEEDED = ['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method']

/** The page of consent and the tokens of the emulated Google. */
export class GoogleAccounts {
  /** Whoever opens the page of consent is sent back at once, with this account. */
  autoConsent: string | undefined
  readonly grants = new Map<string, Grant>()
  /** How often a refresh token was used. */
  refreshed = 0
  readonly #codes = new Map<string, Code>()
  readonly #access = new Map<string, { grant: string; until: number }>()
  readonly #world: GoogleWorld

  constructor(world: GoogleWorld) {
    this.#world = world
  }

  /** The page of consent, for the address that the API has issued. */
  page(query: URLSearchParams): Page {
    const fault = faultOf(query)
    if (fault) return { status: 400, body: html(`<h1>Error 400: invalid_request</h1><p>${escaped(fault)}</p>`) }
    if (this.autoConsent) return { status: 302, headers: { location: this.consent(query, { email: this.autoConsent }) }, body: '' }
    const hidden = [...query].map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`).join('')
    const scopes = scopesOf(query).map(
      (scope) => `<li><label><input type="checkbox" name="granted" value="${escaped(scope)}" checked> ${escaped(scope)}</label></li>`,
    )
    const account = `<p><label>Account <input name="email" type="email" value="host@example.com" required></label></p>`
    const buttons = '<button name="answer" value="allow">Allow</button> <button name="answer" value="deny">Cancel</button>'
    return {
      status: 200,
      body: html(`<h1>Choose an account</h1><form method="post">${hidden}${account}<ul>${scopes.join('')}</ul>${buttons}</form>`),
    }
  }

  /** What the button of the page does. */
  answer(form: URLSearchParams): Page {
    const fault = faultOf(form)
    if (fault) return { status: 400, body: html(`<p>${escaped(fault)}</p>`) }
    const location =
      form.get('answer') === 'allow'
        ? this.consent(form, { email: form.get('email') || 'host@example.com', scopes: form.getAll('granted') })
        : returnTo(form, { error: 'access_denied' })
    return { status: 302, headers: { location }, body: '' }
  }

  /** Gives consent, and returns the address to which the browser is sent back. */
  consent(query: URLSearchParams, { email, scopes = scopesOf(query) }: { email: string; scopes?: string[] }): string {
    this.#world.account(email)
    const code = `4/${randomUUID()}`
    const [challenge, redirectUri] = [query.get('code_challenge') as string, query.get('redirect_uri') as string]
    this.#codes.set(code, { email, challenge, redirectUri, scopes })
    return returnTo(query, { code, scope: scopes.join(' ') })
  }

  token(form: URLSearchParams): Reply {
    if (form.get('client_id') !== CLIENT.id || form.get('client_secret') !== CLIENT.secret)
      return [401, { error: 'invalid_client', error_description: 'The OAuth client was not found.' }]
    const type = form.get('grant_type')
    if (type === 'refresh_token') return this.#refresh(form.get('refresh_token') ?? '')
    if (type !== 'authorization_code') return [400, { error: 'unsupported_grant_type', error_description: `Invalid grant_type: ${type}` }]
    const code = this.#codes.get(form.get('code') ?? '')
    this.#codes.delete(form.get('code') ?? '')
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (!code || code.challenge !== verifier) return [400, { error: 'invalid_grant', error_description: 'Bad Request' }]
    if (code.redirectUri !== form.get('redirect_uri')) return [400, { error: 'redirect_uri_mismatch', error_description: 'Bad Request' }]
    const refresh_token = `1//${randomUUID()}`
    this.grants.set(refresh_token, { email: code.email, scopes: code.scopes })
    return [200, { ...this.#issue(refresh_token), refresh_token }]
  }

  /** Ends a grant, by any of its tokens. */
  revoke(token: string): Reply {
    const refresh = this.#access.get(token)?.grant ?? token
    if (!this.grants.delete(refresh)) return [400, { error: 'invalid_token', error_description: 'Token expired or revoked' }]
    return [200, {}]
  }

  /** The account of an access token that is valid. */
  emailOf(authorization: string | undefined): string | undefined {
    const access = this.#access.get(authorization?.replace(/^Bearer /, '') ?? '')
    return access && access.until > Date.now() ? this.grants.get(access.grant)?.email : undefined
  }

  /** Whether an access token is for a scope that ends so. */
  allows(authorization: string | undefined, scope: RegExp): boolean {
    const grant = this.#access.get(authorization?.replace(/^Bearer /, '') ?? '')?.grant
    return this.grants.get(grant ?? '')?.scopes.some((one) => scope.test(one)) ?? false
  }

  /** Makes the access tokens expire; new ones can be had. */
  expireAccess(): void {
    this.#access.clear()
  }

  /** What a member does in the settings of the account: every token of the account is invalid from now on. */
  revokeAll(email: string): void {
    for (const [token, grant] of this.grants) if (grant.email === email) this.grants.delete(token)
  }

  clear(): void {
    this.autoConsent = undefined
    this.refreshed = 0
    for (const part of [this.grants, this.#codes, this.#access]) part.clear()
  }

  #refresh(token: string): Reply {
    this.refreshed++
    if (!this.grants.has(token)) return [400, { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' }]
    return [200, this.#issue(token)]
  }

  #issue(grant: string) {
    const access_token = `ya29.${randomUUID()}`
    this.#access.set(access_token, { grant, until: Date.now() + ACCESS_SECONDS * 1000 })
    const scope = (this.grants.get(grant) as Grant).scopes.join(' ')
    return { access_token, expires_in: ACCESS_SECONDS, scope, token_type: 'Bearer' }
  }
}

const scopesOf = (query: URLSearchParams) => (query.get('scope') ?? '').split(' ')

function faultOf(query: URLSearchParams): string | undefined {
  const missing = NEEDED.find((name) => !query.get(name))
  if (missing) return `Missing required parameter: ${missing}`
  if (query.get('client_id') !== CLIENT.id) return 'The OAuth client was not found.'
  if (query.get('response_type') !== 'code' || query.get('code_challenge_method') !== 'S256') return 'Only codes with S256 are supported.'
  return URL.canParse(query.get('redirect_uri') as string) ? undefined : 'Invalid redirect_uri'
}

function returnTo(query: URLSearchParams, parameters: Record<string, string>): string {
  const address = new URL(query.get('redirect_uri') as string)
  for (const [name, value] of Object.entries({ state: query.get('state') as string, ...parameters })) address.searchParams.set(name, value)
  return address.href
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`)
const html = (body: string) =>
  '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
  `<title>Sign in – emulated Google Accounts</title><body>${body}`
