import { AccountFailure, type GrantProvider } from '../provider/port.ts'
import { type GrantAccess, openToken } from './grants.ts'

/** An account that was claimed (read_ended_connections, read_ended_mailboxes). */
export type EndedAccount = {
  provider: string
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

/** The seconds until another attempt, and how many there are. */
const WAIT = 120
const MOST_ATTEMPTS = 5

/** Ends an account that was disconnected: stops what it reports, returns the grant to the provider, and then has it deleted. */
export async function endAccount(access: GrantAccess, ender: Ender, workspaceId: string, ended: EndedAccount, attempts: number) {
  const isDone = await end(access, ender, workspaceId, ended)
  return isDone || attempts >= MOST_ATTEMPTS ? { ended: true } : { wait: WAIT, failed: true }
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
