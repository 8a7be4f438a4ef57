import { sql } from 'drizzle-orm'
import { batch } from '../../data/batch.ts'
import type { GrantPurpose } from '../../domain/accounts.ts'
import { AccountFailure, type GrantProvider } from '../../providers/accounts/port.ts'
import { type GrantAccess, openToken } from './grants.ts'

/** What claim_ended_account returns. */
export type EndedAccount = {
  id: string
  purpose: GrantPurpose
  provider: string
  attempts: number
  sealed_refresh_token: string | null
  is_shared: boolean
  channels: { id: string; resource_id: string }[]
  /** Of a mailbox: whether the provider still reports its changes. */
  is_watched?: boolean
}
/** What ends accounts of a purpose. `stops`: the calls that end what the provider reports. */
export type Ender = {
  grants(provider: string): GrantProvider | null
  stops(ended: EndedAccount): ((token: string) => Promise<unknown>)[]
}
export type Enders = Record<GrantPurpose, Ender>

/** The seconds that a worker has, after which another one tries. */
const LEASE = 120
const MOST_ATTEMPTS = 5
const MOST_ENDED = 20

/** Ends the accounts of a workspace that were disconnected: stops what they report, returns the grants to the provider, and deletes them. */
export async function endAccounts(access: GrantAccess, enders: Enders, workspace_id: string): Promise<void> {
  for (let count = 0; count < MOST_ENDED; count++) {
    const [ended] = (await batch(access.database, [sql`select claim_ended_account(${workspace_id}::uuid, ${LEASE}::int)`])) as [
      EndedAccount | null,
    ]
    if (!ended) return
    const isDone = await end(access, enders[ended.purpose], workspace_id, ended)
    if (isDone || ended.attempts >= MOST_ATTEMPTS)
      await batch(access.database, [sql`select end_account(${workspace_id}::uuid, ${ended.id}::uuid)`])
  }
}

/** Whether the provider knows of it. The access token may have expired, so a new one is used. */
async function end({ secrets }: GrantAccess, ender: Ender, workspace: string, ended: EndedAccount): Promise<boolean> {
  const grants = ender.grants(ended.provider)
  if (!grants || !ended.sealed_refresh_token) return true
  const refreshToken = await openToken(secrets, workspace, 'sealed_refresh_token', ended.sealed_refresh_token)
  const stops = ender.stops(ended)
  if (stops.length > 0) {
    const answer = await grants.refresh(refreshToken)
    if (answer.outcome === 'refused') return true
    if (answer.outcome !== 'granted') return false
    const { access_token } = answer.tokens
    const stopped = await Promise.allSettled(stops.map((stop) => stop(access_token)))
    if (stopped.some((result) => result.status === 'rejected' && isTemporary(result.reason))) return false
  }
  if (!ended.is_shared) await grants.revoke(refreshToken)
  return true
}

const isTemporary = (error: unknown) => error instanceof AccountFailure && (error.reason === 'unavailable' || error.reason === 'limited')
