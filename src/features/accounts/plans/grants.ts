import { batch, type Database } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { newId } from '../../../lib/ids.ts'
import type { Secrets } from '../../../providers/secrets/port.ts'
import { AccountFailure, type GrantAnswer, type GrantProvider } from '../provider/port.ts'
import type { ConnectionError } from '../rules/accounts.ts'

/** What calls with the access of an account need: the database as the role `jobs`, and what opens tokens. */
export type GrantAccess = { database: Database; secrets: Secrets }
/** An account that a member has connected. `grants` null: what is stored as its access token never expires. */
export type AccountRef = { workspace_id: string; account_id: string; grants: GrantProvider | null }

/** The account cannot be used until its member connects it again. */
export class GrantEnded extends Error {
  readonly reason: ConnectionError | null
  constructor(reason: ConnectionError | null) {
    super(`The grant has ended: ${reason ?? 'disconnected'}`)
    this.reason = reason
  }
}

/** What claim_token returns. */
type Claimed =
  | { state: 'ended' | 'wait' }
  | { state: 'fresh'; sealed_access_token: string }
  | { state: 'claimed'; sealed_refresh_token: string }

/** A worker that refreshes a grant has this many seconds; others wait for it, and look again after each pause. */
const LEASE = 20
const PAUSES = [100, 200, 400, 800, 1_600, 3_200]

/** What is sealed is bound to this name, which was once that of the table. */
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

type Token = { token: string; sealed: string }

/**
 * Calls a provider with the access token of an account. A token that the provider refuses is refreshed once. @throws GrantEnded when the
 * grant has ended or does not allow the call, which the account then shows; AccountFailure for every other failure.
 */
export async function withAccessToken<Out>(access: GrantAccess, account: AccountRef, call: (token: string) => Promise<Out>): Promise<Out> {
  const first = await tokenOf(access, account, null)
  try {
    return await call(first.token)
  } catch (error) {
    if (!(error instanceof AccountFailure) || error.reason !== 'unauthorized' || !account.grants) return raise(access, account, error)
    const second = await tokenOf(access, account, first.sealed)
    return await call(second.token).catch((again: unknown) => raise(access, account, again))
  }
}

/**
 * For a call about one event or one report of changes. Its refusal is about this call alone, such as a calendar that its owner may no
 * longer write to or a topic of this deployment, and does not end the use of the account.
 */
export function refuseAlone(error: unknown): never {
  if (!(error instanceof AccountFailure) || error.reason !== 'forbidden') throw error
  throw new AccountFailure('refused', error.message, error.retryAfter)
}

/** A call that is not allowed, even with a new token, ends the use of the account. */
async function raise(access: GrantAccess, account: AccountRef, error: unknown): Promise<never> {
  if (!(error instanceof AccountFailure) || (error.reason !== 'forbidden' && error.reason !== 'unauthorized')) throw error
  await failAccount(access, account, 'scopes')
  throw new GrantEnded('scopes')
}

async function failAccount({ database }: GrantAccess, { workspace_id, account_id }: AccountRef, error: ConnectionError) {
  await batch(database, [call('fail_account', workspace_id, account_id, error)])
}

/**
 * The access token of an account. Of the workers that find it expired, one refreshes it, and the others wait for the result. `refused`: the
 * sealed one that the provider has refused.
 */
async function tokenOf(access: GrantAccess, account: AccountRef, refused: string | null): Promise<Token> {
  const { database, secrets } = access
  const { workspace_id, account_id } = account
  for (const pause of [...PAUSES, null]) {
    const claim = newId()
    const [claimed] = (await batch(database, [call('claim_token', workspace_id, account_id, claim, LEASE, refused)])) as [Claimed]
    if (claimed.state === 'ended') throw new GrantEnded(null)
    if (claimed.state === 'fresh') {
      const sealed = claimed.sealed_access_token
      return { sealed, token: await openToken(secrets, workspace_id, 'sealed_access_token', sealed) }
    }
    if (claimed.state === 'claimed') return refresh(access, account, claim, claimed.sealed_refresh_token)
    if (pause !== null) await new Promise((resolve) => setTimeout(resolve, pause))
  }
  throw new AccountFailure('unavailable', 'The grant is being refreshed by another worker')
}

async function refresh(access: GrantAccess, account: AccountRef, claim: string, sealedRefresh: string): Promise<Token> {
  const { database, secrets } = access
  const { workspace_id, account_id, grants } = account
  const answer: GrantAnswer = grants
    ? await grants.refresh(await openToken(secrets, workspace_id, 'sealed_refresh_token', sealedRefresh))
    : { outcome: 'refused', reason: 'There is no grant to refresh' }
  const settle = (outcome: object) => batch(database, [call('settle_token', workspace_id, account_id, claim, JSON.stringify(outcome))])
  if (answer.outcome === 'granted') {
    const sealed = await sealTokens(secrets, workspace_id, answer.tokens)
    await settle({ ...sealed, access_expires_at: answer.tokens.expires_at })
    return { token: answer.tokens.access_token, sealed: sealed.sealed_access_token }
  }
  await settle({ failed: answer.outcome === 'refused' ? 'invalid_grant' : null })
  if (answer.outcome === 'refused') throw new GrantEnded('invalid_grant')
  throw new AccountFailure('unavailable', answer.reason)
}
