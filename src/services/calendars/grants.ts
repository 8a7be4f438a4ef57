import { sql } from 'drizzle-orm'
import { batch, type Database } from '../../data/batch.ts'
import type { CalendarProviderName, ConnectionError } from '../../domain/calendars/states.ts'
import { newId } from '../../lib/ids.ts'
import type { CalendarKind, CalendarKinds } from '../../providers/calendars/index.ts'
import { CalendarFailure, type GrantAnswer } from '../../providers/calendars/port.ts'
import type { Secrets } from '../../providers/secrets/port.ts'

/** What calls of calendars need: the database as the role `jobs`, what opens tokens, and the providers. */
export type CalendarAccess = { database: Database; secrets: Secrets; kinds: CalendarKinds }
export type ConnectionRef = { workspace_id: string; connection_id: string; provider: CalendarProviderName }

/** The connection cannot be used until its member connects the account again. */
export class GrantEnded extends Error {
  readonly reason: ConnectionError | null
  constructor(reason: ConnectionError | null) {
    super(`The grant has ended: ${reason ?? 'disconnected'}`)
    this.reason = reason
  }
}

/** What claim_calendar_token returns. */
type Claimed =
  | { state: 'ended' | 'wait' }
  | { state: 'fresh'; sealed_access_token: string }
  | { state: 'claimed'; sealed_refresh_token: string }

/** A worker that refreshes a grant has this many seconds; others wait for it, and look again after each pause. */
const LEASE = 20
const PAUSES = [100, 200, 400, 800, 1_600, 3_200]

const sealedAt = (workspace_id: string, column: string) => ({ workspace_id, table: 'calendar_grants', column })

/** Seals tokens as they are stored. */
export async function sealTokens(secrets: Secrets, workspace: string, tokens: { access_token: string; refresh_token: string | null }) {
  const { access_token, refresh_token } = tokens
  return {
    sealed_access_token: await secrets.seal(sealedAt(workspace, 'sealed_access_token'), access_token),
    sealed_refresh_token: refresh_token && (await secrets.seal(sealedAt(workspace, 'sealed_refresh_token'), refresh_token)),
  }
}

export const openToken = (secrets: Secrets, workspace: string, column: 'sealed_access_token' | 'sealed_refresh_token', sealed: string) =>
  secrets.unseal(sealedAt(workspace, column), sealed)

/** The kind of a connection. @throws CalendarFailure if this deployment no longer has an account there. */
export function kindOf({ kinds }: CalendarAccess, provider: CalendarProviderName): CalendarKind {
  const kind = kinds[provider]
  if (!kind) throw new CalendarFailure('unavailable', `This service has no account at ${provider}`)
  return kind
}

type Token = { token: string; sealed: string }

/**
 * Calls a provider with the access token of a connection. A token that the provider refuses is refreshed once. @throws GrantEnded when the grant has ended or does not allow
 * the call, which the connection then shows; CalendarFailure for every other failure.
 */
export async function withToken<Out>(
  access: CalendarAccess,
  connection: ConnectionRef,
  call: (kind: CalendarKind, token: string) => Promise<Out>,
): Promise<Out> {
  const kind = kindOf(access, connection.provider)
  const first = await tokenOf(access, connection, kind, null)
  try {
    return await call(kind, first.token)
  } catch (error) {
    if (!(error instanceof CalendarFailure) || error.reason !== 'unauthorized' || !kind.grants) return raise(access, connection, error)
    const second = await tokenOf(access, connection, kind, first.sealed)
    return await call(kind, second.token).catch((again: unknown) => raise(access, connection, again))
  }
}

/** A call that is not allowed, even with a new token, ends the use of the connection. */
async function raise(access: CalendarAccess, connection: ConnectionRef, error: unknown): Promise<never> {
  if (!(error instanceof CalendarFailure) || (error.reason !== 'forbidden' && error.reason !== 'unauthorized')) throw error
  await failConnection(access, connection, 'scopes')
  throw new GrantEnded('scopes')
}

export async function failConnection({ database }: CalendarAccess, { workspace_id, connection_id }: ConnectionRef, error: ConnectionError) {
  await batch(database, [sql`select fail_calendar_connection(${workspace_id}::uuid, ${connection_id}::uuid, ${error})`])
}

/** The access token of a connection. Of the workers that find it expired, one refreshes it, and the others wait for the result. `refused`: the sealed one that the provider has refused. */
async function tokenOf(access: CalendarAccess, connection: ConnectionRef, kind: CalendarKind, refused: string | null): Promise<Token> {
  const { database, secrets } = access
  const { workspace_id, connection_id } = connection
  for (const pause of [...PAUSES, null]) {
    const claim = newId()
    const [claimed] = (await batch(database, [
      sql`select claim_calendar_token(${workspace_id}::uuid, ${connection_id}::uuid, ${claim}::uuid, ${LEASE}::int, ${refused}::text)`,
    ])) as [Claimed]
    if (claimed.state === 'ended') throw new GrantEnded(null)
    if (claimed.state === 'fresh') {
      const sealed = claimed.sealed_access_token
      return { sealed, token: await openToken(secrets, workspace_id, 'sealed_access_token', sealed) }
    }
    if (claimed.state === 'claimed') return refresh(access, connection, kind, claim, claimed.sealed_refresh_token)
    if (pause !== null) await new Promise((resolve) => setTimeout(resolve, pause))
  }
  throw new CalendarFailure('unavailable', 'The grant is being refreshed by another worker')
}

async function refresh(
  access: CalendarAccess,
  connection: ConnectionRef,
  kind: CalendarKind,
  claim: string,
  sealedRefresh: string,
): Promise<Token> {
  const { database, secrets } = access
  const { workspace_id, connection_id } = connection
  const answer: GrantAnswer = kind.grants
    ? await kind.grants.refresh(await openToken(secrets, workspace_id, 'sealed_refresh_token', sealedRefresh))
    : { outcome: 'refused', reason: 'There is no grant to refresh' }
  const settle = (outcome: object) =>
    batch(database, [
      sql`select settle_calendar_token(${workspace_id}::uuid, ${connection_id}::uuid, ${claim}::uuid, ${JSON.stringify(outcome)}::jsonb)`,
    ])
  if (answer.outcome === 'granted') {
    const sealed = await sealTokens(secrets, workspace_id, answer.tokens)
    await settle({ ...sealed, access_expires_at: answer.tokens.expires_at })
    return { token: answer.tokens.access_token, sealed: sealed.sealed_access_token }
  }
  await settle({ failed: answer.outcome === 'refused' ? 'invalid_grant' : null })
  if (answer.outcome === 'refused') throw new GrantEnded('invalid_grant')
  throw new CalendarFailure('unavailable', answer.reason)
}
