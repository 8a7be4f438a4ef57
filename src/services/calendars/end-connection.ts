import { sql } from 'drizzle-orm'
import { batch } from '../../data/batch.ts'
import type { CalendarProviderName } from '../../domain/calendars/states.ts'
import { CalendarFailure } from '../../providers/calendars/port.ts'
import { type CalendarAccess, openToken } from './grants.ts'

/** What claim_ended_connection returns. */
type Ended = {
  id: string
  provider: CalendarProviderName
  attempts: number
  sealed_access_token: string
  sealed_refresh_token: string | null
  is_shared: boolean
  channels: { id: string; resource_id: string }[]
}

/** The seconds that a worker has, after which another one tries. */
const LEASE = 120
const MOST_ATTEMPTS = 5
const MOST_ENDED = 20

/** Ends the connections of a workspace that were disconnected: stops their channels, returns the grants to the provider, and deletes them. */
export async function endConnections(access: CalendarAccess, workspace_id: string): Promise<void> {
  for (let count = 0; count < MOST_ENDED; count++) {
    const [ended] = (await batch(access.database, [sql`select claim_ended_connection(${workspace_id}::uuid, ${LEASE}::int)`])) as [
      Ended | null,
    ]
    if (!ended) return
    const isDone = await end(access, workspace_id, ended)
    if (isDone || ended.attempts >= MOST_ATTEMPTS)
      await batch(access.database, [sql`select end_connection(${workspace_id}::uuid, ${ended.id}::uuid)`])
  }
}

/** Whether the provider knows of it. The access token may have expired, so channels are stopped with a new one. */
async function end({ secrets, kinds }: CalendarAccess, workspace: string, ended: Ended): Promise<boolean> {
  const kind = kinds[ended.provider]
  if (!kind?.grants || !ended.sealed_refresh_token) return true
  const refreshToken = await openToken(secrets, workspace, 'sealed_refresh_token', ended.sealed_refresh_token)
  if (ended.channels.length > 0) {
    const answer = await kind.grants.refresh(refreshToken)
    if (answer.outcome === 'refused') return true
    if (answer.outcome !== 'granted') return false
    const { access_token } = answer.tokens
    const stopped = await Promise.allSettled(ended.channels.map((channel) => kind.calendars.unwatch(access_token, channel)))
    if (stopped.some((result) => result.status === 'rejected' && isTemporary(result.reason))) return false
  }
  if (!ended.is_shared) await kind.grants.revoke(refreshToken)
  return true
}

const isTemporary = (error: unknown) => error instanceof CalendarFailure && (error.reason === 'unavailable' || error.reason === 'limited')
