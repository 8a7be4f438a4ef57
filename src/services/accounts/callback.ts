import type { GrantPurpose } from '../../domain/accounts.ts'
import { callbackPage } from '../../domain/callback-page.ts'
import type { Env } from '../../env.ts'
import { calendarAccessOf } from '../calendars/access.ts'
import { calendarConnector } from '../calendars/connector.ts'
import { mailboxAccessOf } from '../mailboxes/access.ts'
import { mailboxConnector } from '../mailboxes/connector.ts'
import { finishGrant, type GrantOutcome } from './finish-grant.ts'

const STATUS: Record<GrantOutcome['outcome'], number> = {
  connected: 200,
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
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
}
/** The longest state that we have issued, and the longest code that a provider issues. */
const MAX_STATE = 43
const MAX_CODE = 4_096

/** Answers a member's browser that comes back from the consent at a provider. An unknown, used or expired state, and one that is none, have the same answer. `wake` has what was connected read. */
export async function receiveGrant(
  env: Env,
  request: Request,
  wake: (workspaceId: string, purpose: GrantPurpose) => void,
): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url)
  const [state, code] = [searchParams.get('state') ?? '', searchParams.get('code')]
  const isWellFormed = state.length === MAX_STATE && (code === null || code.length <= MAX_CODE)
  const calendars = calendarAccessOf(env)
  const connectors = { calendars: calendarConnector(calendars), mailbox: mailboxConnector(mailboxAccessOf(env)) }
  const finished: GrantOutcome = isWellFormed
    ? await finishGrant(calendars, connectors, { state, code: code || null, redirect_uri: `${env.API_URL}${pathname}` })
    : { outcome: 'unknown' }
  if (finished.outcome === 'connected') wake(finished.workspace_id, finished.purpose)
  return new Response(callbackPage(finished), { status: STATUS[finished.outcome], headers: HEADERS })
}
