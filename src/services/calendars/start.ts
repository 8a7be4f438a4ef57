import { and, eq, sql } from 'drizzle-orm'
import { calendarConnections, calendarGrantRequests } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { db } from '../../data/db.ts'
import { plan, waking } from '../../data/plan.ts'
import { mapResult, oneOrThrow, plainRows } from '../../data/query.ts'
import { type CalendarProviderName, GRANT_MINUTES } from '../../domain/calendars/states.ts'
import { AppError, invalid } from '../../errors.ts'
import { newId } from '../../lib/ids.ts'
import { hashKey, toHex } from '../../lib/keys.ts'
import { loggable } from '../../lib/text.ts'
import { type Account, CalendarFailure, type CalendarProvider, type OutsideCalendar } from '../../providers/calendars/port.ts'
import type { NewAddressConnection, StartConnection } from '../../schemas/calendars.ts'
import { assertMember } from '../members/members.ts'
import { assertOutside, workspaceOf } from '../webhooks/webhooks.ts'
import { connectionColumns } from './connections.ts'
import { sealTokens } from './grants.ts'
import { accountFields, storable, storeConnection } from './store.ts'

const random = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')

/** @throws CHANNEL_NOT_CONFIGURED */
function kindFor(ctx: Ctx, provider: CalendarProviderName) {
  const kind = ctx.deployment.calendars[provider]
  if (!kind) throw new AppError('CHANNEL_NOT_CONFIGURED', `This service has no account at ${provider}`, { channel: provider })
  return kind
}

/** Members connect their own calendars, and a client_admin those of everybody. */
const ofMember = (userId: string | undefined) => [
  !!userId && assertMember(userId, 'user_id'),
  !!userId && sql`select assert_self_or_admin(${userId}::uuid)`,
]
const memberId = (userId: string | undefined) => sql<string>`coalesce(${userId ?? null}::uuid, current_user_id())`

/** Begins a connection: the member gives consent at an address of the provider, which then calls the callback. @throws CHANNEL_NOT_CONFIGURED */
export async function startConnection(ctx: Ctx, { provider, user_id }: StartConnection) {
  const { grants } = kindFor(ctx, provider)
  if (!grants) throw invalid([{ path: 'provider', message: 'Send POST /calendar-connections with the address of the calendar' }])
  const [id, state, verifier] = [newId(), random(), random()]
  const place = { workspace_id: await workspaceOf(ctx), table: 'calendar_grant_requests', column: 'sealed_verifier' }
  const sealed_verifier = await ctx.deployment.secrets.seal(place, verifier)
  const challenge = Buffer.from(await hashKey(verifier)).toString('base64url')
  const url = grants.consentUrl({ state, challenge, redirect_uri: ctx.deployment.calendarCallback })
  const hash = toHex(await hashKey(state))
  const request = db.insert(calendarGrantRequests).values({
    ...{ id, provider, sealed_verifier },
    user_id: memberId(user_id),
    state_hash: sql`decode(${hash}, 'hex')`,
    expires_at: sql`now() + make_interval(mins => ${GRANT_MINUTES})`,
  })
  const started = db
    .select({ expires_at: calendarGrantRequests.expires_at, url: sql<string>`${url}::text`.as('url') })
    .from(calendarGrantRequests)
    .where(eq(calendarGrantRequests.id, id))
  return plan(
    [...ofMember(user_id), request],
    mapResult(oneOrThrow(started, 'request', id), ({ url, expires_at }) => ({ url, expires_at })),
  )
}

/** Connects a calendar that is read by its address. It is read before it is stored, so that an address that is none is refused. @throws VALIDATION_ERROR, PROVIDER_ERROR */
export async function connectAddress(ctx: Ctx, { provider, url, user_id }: NewAddressConnection) {
  const { calendars: client } = kindFor(ctx, provider)
  assertOutside(ctx, 'url', url)
  // Nobody without the right to connect calendars has an address called.
  const workspace = await ctx.read(mapResult(plainRows<{ id: string }>(sql`select current_workspace()`, ['id']), ([row]) => row?.id ?? ''))
  const { account, calendars } = await readAddress(client, url)
  const grant = {
    ...{ provider, access_expires_at: null, calendars: storable(calendars) },
    ...accountFields(account),
    ...(await sealTokens(ctx.deployment.secrets, workspace, { access_token: url, refresh_token: null })),
  }
  const stored = db
    .select(connectionColumns)
    .from(calendarConnections)
    .where(
      and(
        eq(calendarConnections.user_id, memberId(user_id)),
        eq(calendarConnections.provider, provider),
        eq(calendarConnections.account_id, grant.account_id),
      ),
    )
  return waking(
    'calendars.sync',
    plan([...ofMember(user_id), storeConnection(grant, memberId(user_id))], oneOrThrow(stored, 'calendar connection')),
  )
}

async function readAddress(client: CalendarProvider, url: string): Promise<{ account: Account; calendars: OutsideCalendar[] }> {
  try {
    const account = await client.account(url)
    return { account, calendars: await client.calendars(url) }
  } catch (error) {
    if (!(error instanceof CalendarFailure)) throw error
    if (error.reason === 'unavailable' || error.reason === 'limited')
      throw new AppError('PROVIDER_ERROR', `The calendar could not be read: ${loggable(error.message, 300)}`, { provider: 'ics' })
    throw invalid([
      {
        path: 'url',
        message: `must be the address of a calendar in iCalendar format that anyone with the address can read: ${loggable(error.message, 300)}`,
      },
    ])
  }
}
