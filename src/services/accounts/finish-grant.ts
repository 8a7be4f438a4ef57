import { sql } from 'drizzle-orm'
import { batch } from '../../data/batch.ts'
import type { GrantPurpose } from '../../domain/accounts.ts'
import { AppError } from '../../errors.ts'
import { hashKey, toHex } from '../../lib/keys.ts'
import { AccountFailure, type GrantProvider, type Tokens } from '../../providers/accounts/port.ts'
import type { GrantAccess } from './grants.ts'

/** What take_grant_request returns: who is connecting what. */
export type GrantRequest = { workspace_id: string; user_id: string; purpose: GrantPurpose; provider: string; sealed_verifier: string }
/** What connects accounts for a purpose. `store` reads the account, and stores it with its tokens. */
export type Connector = {
  /** @throws AccountFailure if this deployment has no client there. */
  grants(provider: string): GrantProvider | null
  store(request: GrantRequest, tokens: Tokens): Promise<void>
}
export type Connectors = Record<GrantPurpose, Connector>

/** `unknown`: there is no such request, or no longer. */
export type GrantOutcome =
  | { outcome: 'connected'; workspace_id: string; purpose: GrantPurpose }
  | { outcome: 'declined' | 'refused' | 'failed' | 'full'; purpose: GrantPurpose }
  | { outcome: 'unknown' }
type Callback = { state: string; code: string | null; redirect_uri: string }

/** Where the verifier of a consent is sealed. */
export const verifierPlace = (workspace_id: string) => ({ workspace_id, table: 'grant_requests', column: 'sealed_verifier' })

/**
 * Finishes a connection with what the provider has sent to the callback. The request is taken first, so that its state works once whatever follows. Without a code the member
 * has not given consent.
 */
export async function finishGrant(
  access: GrantAccess,
  connectors: Connectors,
  { state, code, redirect_uri }: Callback,
): Promise<GrantOutcome> {
  const [request] = (await batch(access.database, [sql`select take_grant_request(${toHex(await hashKey(state))})`])) as [
    GrantRequest | null,
  ]
  if (!request) return { outcome: 'unknown' }
  const { workspace_id, purpose } = request
  if (code === null) return { outcome: 'declined', purpose }
  try {
    const connector = connectors[purpose]
    const grants = connector.grants(request.provider)
    const verifier = await access.secrets.unseal(verifierPlace(workspace_id), request.sealed_verifier)
    const answer = await grants?.exchange({ code, verifier, redirect_uri })
    if (answer?.outcome !== 'granted') return { outcome: answer?.outcome === 'refused' ? 'refused' : 'failed', purpose }
    await connector.store(request, answer.tokens)
    return { outcome: 'connected', workspace_id, purpose }
  } catch (error) {
    if (error instanceof AccountFailure) return { outcome: error.reason === 'forbidden' ? 'refused' : 'failed', purpose }
    if (error instanceof AppError && error.code === 'CONFLICT') return { outcome: 'full', purpose }
    throw error
  }
}
