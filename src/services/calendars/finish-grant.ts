import { sql } from 'drizzle-orm'
import { batch } from '../../data/batch.ts'
import type { CalendarProviderName } from '../../domain/calendars/states.ts'
import { AppError } from '../../errors.ts'
import { hashKey, toHex } from '../../lib/keys.ts'
import { CalendarFailure } from '../../providers/calendars/port.ts'
import { type CalendarAccess, kindOf, sealTokens } from './grants.ts'
import { accountFields, type StoredGrant, storable } from './store.ts'

/** What take_calendar_grant_request returns: who is connecting what. */
type Request = { workspace_id: string; user_id: string; provider: CalendarProviderName; sealed_verifier: string }

/** `unknown`: there is no such request, or no longer. */
export type GrantOutcome =
  | { outcome: 'connected'; workspace_id: string }
  | { outcome: 'unknown' | 'declined' | 'refused' | 'failed' | 'full' }
type Callback = { state: string; code: string | null; redirect_uri: string }

/**
 * Finishes a connection with what the provider has sent to the callback. The request is taken first, so that its state works once whatever follows. Without a code the member
 * has not given consent.
 */
export async function finishGrant(access: CalendarAccess, { state, code, redirect_uri }: Callback): Promise<GrantOutcome> {
  const [request] = (await batch(access.database, [sql`select take_calendar_grant_request(${toHex(await hashKey(state))})`])) as [
    Request | null,
  ]
  if (!request) return { outcome: 'unknown' }
  if (code === null) return { outcome: 'declined' }
  const { workspace_id, user_id, provider } = request
  try {
    const { calendars, grants } = kindOf(access, provider)
    const place = { workspace_id, table: 'calendar_grant_requests', column: 'sealed_verifier' }
    const verifier = await access.secrets.unseal(place, request.sealed_verifier)
    const answer = await grants?.exchange({ code, verifier, redirect_uri })
    if (answer?.outcome !== 'granted') return { outcome: answer?.outcome === 'refused' ? 'refused' : 'failed' }
    const { tokens } = answer
    const [account, listed] = await Promise.all([calendars.account(tokens.access_token), calendars.calendars(tokens.access_token)])
    const grant: StoredGrant = {
      ...{ provider, calendars: storable(listed), access_expires_at: tokens.expires_at },
      ...accountFields(account),
      ...(await sealTokens(access.secrets, workspace_id, tokens)),
    }
    await batch(access.database, [
      sql`select finish_calendar_grant(${workspace_id}::uuid, ${user_id}::uuid, ${JSON.stringify(grant)}::jsonb)`,
    ])
    return { outcome: 'connected', workspace_id }
  } catch (error) {
    if (error instanceof CalendarFailure) return { outcome: error.reason === 'forbidden' ? 'refused' : 'failed' }
    if (error instanceof AppError && error.code === 'CONFLICT') return { outcome: 'full' }
    throw error
  }
}
