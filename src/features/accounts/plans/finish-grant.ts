import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { AppError } from '../../../errors.ts'
import { hashKey, toHex } from '../../../lib/keys.ts'
import { type Account, AccountFailure, type GrantProvider, type Tokens } from '../provider/port.ts'
import { GRANT_MINUTES, type GrantPurpose } from '../rules/accounts.ts'
import type { AccountToConfirm } from '../rules/callback-page.ts'
import type { GrantAccess } from './grants.ts'

/** Who is connecting what. */
export type Connecting = { workspace_id: string; user_id: string; purpose: GrantPurpose; provider: string }
/** What take_grant_request returns. */
type GrantRequest = Connecting & { sealed_verifier: string; workspace_name: string; member_name: string | null; member_email: string }
/** What take_held_account returns. */
type HeldAccount = Connecting & { sealed_account: string }
/** An account with the access that its owner has given. */
export type GrantedAccount = { tokens: Tokens; account: Account }

/**
 * What connects accounts for a purpose. `account` reads whose an access token is; `store` reads what the account has, and stores it with
 * its tokens.
 */
export type Connector = {
  /** @throws AccountFailure if this deployment has no client there. */
  grants(provider: string): GrantProvider | null
  account(provider: string, accessToken: string): Promise<Account>
  store(connecting: Connecting, granted: GrantedAccount): Promise<void>
}
export type Connectors = Record<GrantPurpose, Connector>

/** `held`: the account waits until the member confirms it with the token. `unknown`: there is no such request, or no longer. */
export type GrantOutcome =
  | { outcome: 'connected'; workspace_id: string; purpose: GrantPurpose }
  | { outcome: 'held'; purpose: GrantPurpose; to_confirm: AccountToConfirm }
  | { outcome: 'declined' | 'refused' | 'failed' | 'full'; purpose: GrantPurpose }
  | { outcome: 'unknown' }
type Callback = { state: string; code: string | null; redirect_uri: string }

/** Where the verifier of a consent is sealed. */
export const verifierPlace = (workspace_id: string) => ({ workspace_id, table: 'grant_requests', column: 'sealed_verifier' })
const accountPlace = (workspace_id: string) => ({ workspace_id, table: 'grant_requests', column: 'sealed_account' })

/** 43 characters that nobody guesses. */
export const randomToken = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
const hashOf = async (token: string) => toHex(await hashKey(token))

/**
 * Goes on with what the provider has sent to the callback. The request is taken first, so that its state works once whatever follows.
 * Without a code the member has not given consent. The browser may be that of somebody who has followed a link of a stranger, so an account
 * is connected at once only if its address is that of the member who has started; any other one is held.
 */
export async function finishGrant(
  access: GrantAccess,
  connectors: Connectors,
  { state, code, redirect_uri }: Callback,
): Promise<GrantOutcome> {
  const [request] = (await batch(access.database, [call('take_grant_request', await hashOf(state))])) as [GrantRequest | null]
  if (!request) return { outcome: 'unknown' }
  const { workspace_id, purpose } = request
  if (code === null) return { outcome: 'declined', purpose }
  return connecting(purpose, async () => {
    const connector = connectors[purpose]
    const verifier = await access.secrets.unseal(verifierPlace(workspace_id), request.sealed_verifier)
    const answer = await connector.grants(request.provider)?.exchange({ code, verifier, redirect_uri })
    if (answer?.outcome !== 'granted') return { outcome: answer?.outcome === 'refused' ? 'refused' : 'failed', purpose }
    const granted = { tokens: answer.tokens, account: await connector.account(request.provider, answer.tokens.access_token) }
    if (granted.account.email.toLowerCase() !== request.member_email.toLowerCase()) return hold(access, request, granted)
    await connector.store(request, granted)
    return { outcome: 'connected', workspace_id, purpose }
  })
}

async function hold({ database, secrets }: GrantAccess, request: GrantRequest, granted: GrantedAccount): Promise<GrantOutcome> {
  const { workspace_id, user_id, purpose, provider, workspace_name, member_name, member_email } = request
  const token = randomToken()
  const sealed = await secrets.seal(accountPlace(workspace_id), JSON.stringify(granted))
  const held = call('hold_account', workspace_id, user_id, purpose, provider, await hashOf(token), sealed, GRANT_MINUTES)
  await batch(database, [held])
  return {
    outcome: 'held',
    purpose,
    to_confirm: { token, account_email: granted.account.email, workspace_name, member_name, member_email },
  }
}

/** Connects the account that is held for a token, or gives its access back. The account is taken first, so that its token works once. */
export async function confirmAccount(
  access: GrantAccess,
  connectors: Connectors,
  { token, isConfirmed }: { token: string; isConfirmed: boolean },
): Promise<GrantOutcome> {
  const [held] = (await batch(access.database, [call('take_held_account', await hashOf(token))])) as [HeldAccount | null]
  if (!held) return { outcome: 'unknown' }
  const { workspace_id, purpose, provider } = held
  const granted = JSON.parse(await access.secrets.unseal(accountPlace(workspace_id), held.sealed_account)) as GrantedAccount
  return connecting(purpose, async () => {
    const connector = connectors[purpose]
    if (isConfirmed) {
      await connector.store(held, granted)
      return { outcome: 'connected', workspace_id, purpose }
    }
    const { refresh_token } = granted.tokens
    // Providers end all grants that an account has given, so one that is used elsewhere keeps them.
    const [isInUse] = await batch(access.database, [call('is_account_in_use', provider, granted.account.id)])
    if (refresh_token && !isInUse) await connector.grants(provider)?.revoke(refresh_token)
    return { outcome: 'declined', purpose }
  })
}

/** What an attempt to connect an account says when the provider or the workspace refuses it. */
async function connecting(purpose: GrantPurpose, attempt: () => Promise<GrantOutcome>): Promise<GrantOutcome> {
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof AccountFailure) return { outcome: error.reason === 'forbidden' ? 'refused' : 'failed', purpose }
    if (error instanceof AppError && error.code === 'CONFLICT') return { outcome: 'full', purpose }
    throw error
  }
}
