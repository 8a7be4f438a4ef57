import type { Env } from '../../../env.ts'
import { calendarAccessOf } from '../../calendars/plans/access.ts'
import { calendarConnector } from '../../calendars/plans/connector.ts'
import { mailboxAccessOf } from '../../mailboxes/plans/access.ts'
import { mailboxConnector } from '../../mailboxes/plans/connector.ts'
import type { GrantPurpose } from '../rules/accounts.ts'
import { callbackPage } from '../rules/callback-page.ts'
import { confirmAccount, finishGrant, type GrantOutcome } from './finish-grant.ts'

const STATUS: Record<GrantOutcome['outcome'], number> = {
  connected: 200,
  held: 200,
  declined: 200,
  refused: 200,
  full: 409,
  failed: 502,
  unknown: 404,
}
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
}
/** The length of the states and tokens that we issue, and that of the longest code that a provider issues. */
const TOKEN = 43
const MAX_CODE = 4_096

/** Has what was connected read. */
type Wake = (workspaceId: string, purpose: GrantPurpose) => void

/**
 * Answers the browser that comes back from the consent at a provider. An unknown, used or expired state, and one that is none, have the
 * same answer.
 */
export async function receiveGrant(env: Env, url: string, wake: Wake): Promise<Response> {
  const { pathname, searchParams } = new URL(url)
  const [state, code] = [searchParams.get('state') ?? '', searchParams.get('code')]
  const isWellFormed = state.length === TOKEN && (code === null || code.length <= MAX_CODE)
  const { access, connectors } = connectionsOf(env)
  const finished: GrantOutcome = isWellFormed
    ? await finishGrant(access, connectors, { state, code: code || null, redirect_uri: `${env.API_URL}${pathname}` })
    : { outcome: 'unknown' }
  return respond(finished, pathname, wake)
}

/**
 * Answers the form that confirms an account, or does not. Only the page has its token. An unknown, used or expired one, and one that is
 * none, have the same answer.
 */
export async function receiveConfirmation(env: Env, url: string, form: Record<string, string>, wake: Wake): Promise<Response> {
  const { token = '', answer } = form
  const { access, connectors } = connectionsOf(env)
  const finished: GrantOutcome =
    token.length === TOKEN && (answer === 'connect' || answer === 'decline')
      ? await confirmAccount(access, connectors, { token, isConfirmed: answer === 'connect' })
      : { outcome: 'unknown' }
  return respond(finished, new URL(url).pathname, wake)
}

function connectionsOf(env: Env) {
  const access = calendarAccessOf(env)
  return { access, connectors: { calendars: calendarConnector(access), mailbox: mailboxConnector(mailboxAccessOf(env)) } }
}

function respond(finished: GrantOutcome, path: string, wake: Wake): Response {
  if (finished.outcome === 'connected') wake(finished.workspace_id, finished.purpose)
  return new Response(callbackPage(finished, path), { status: STATUS[finished.outcome], headers: HEADERS })
}
