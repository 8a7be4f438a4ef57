import { and, eq } from 'drizzle-orm'
import { calendarConnections } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { plan, waking } from '../../../data/plan.ts'
import { mapResult, oneOrThrow, plainRows } from '../../../data/query.ts'
import { AppError, invalid } from '../../../errors.ts'
import { loggable } from '../../../lib/text.ts'
import { sealTokens } from '../../accounts/plans/grants.ts'
import { memberId, ofMember, startGrant } from '../../accounts/plans/start-grant.ts'
import { type Account, AccountFailure } from '../../accounts/provider/port.ts'
import { assertOutside } from '../../webhooks/plans/webhooks.ts'
import type { CalendarProvider, OutsideCalendar } from '../provider/port.ts'
import type { CalendarProviderName } from '../rules/states.ts'
import type { NewAddressConnection, StartConnection } from '../schemas/calendars.ts'
import { connectionColumns } from './connections.ts'
import { accountFields, storable, storeConnection } from './store.ts'

/** @throws CHANNEL_NOT_CONFIGURED */
function kindFor(ctx: Ctx, provider: CalendarProviderName) {
  const kind = ctx.deployment.calendars[provider]
  if (!kind) throw new AppError('CHANNEL_NOT_CONFIGURED', `This service has no account at ${provider}`, { channel: provider })
  return kind
}

/** Begins a connection. @throws CHANNEL_NOT_CONFIGURED */
export async function startConnection(ctx: Ctx, { provider, user_id }: StartConnection) {
  const { grants } = kindFor(ctx, provider)
  if (!grants) throw invalid([{ path: 'provider', message: 'Send POST /calendar-connections with the address of the calendar' }])
  return startGrant(ctx, grants, { purpose: 'calendars', provider, user_id, callback: ctx.deployment.calendarCallback })
}

/**
 * Connects a calendar that is read by its address. It is read before it is stored, so that an address that is none is refused. @throws
 * VALIDATION_ERROR, PROVIDER_ERROR
 */
export async function connectAddress(ctx: Ctx, { provider, url, user_id }: NewAddressConnection) {
  const { calendars: client } = kindFor(ctx, provider)
  assertOutside(ctx, 'url', url)
  // Nobody without the right to connect calendars has an address called.
  const workspace = await ctx.read(mapResult(plainRows<{ id: string }>(call('current_workspace'), ['id']), ([row]) => row?.id ?? ''))
  const { account, calendars } = await readAddress(client, url)
  const grant = {
    provider,
    access_expires_at: null,
    calendars: storable(calendars),
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
    if (!(error instanceof AccountFailure)) throw error
    if (error.reason === 'unavailable' || error.reason === 'limited')
      throw new AppError('PROVIDER_ERROR', `The calendar could not be read: ${loggable(error.message, 300)}`, { provider: 'ics' })
    throw invalid([
      {
        path: 'url',
        message:
          'must be the address of a calendar in iCalendar format that anyone with the address can read: ' +
          `${loggable(error.message, 300)}`,
      },
    ])
  }
}
