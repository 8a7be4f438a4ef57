import { eq, sql } from 'drizzle-orm'
import { calendarConnections, connectionCalendars } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { type Plan, plan, waking, withOutside } from '../../../data/plan.ts'
import { constant, oneOrThrow } from '../../../data/query.ts'
import { assertExists, columnsFor, lockForUpdate } from '../../../data/store.ts'
import { AppError } from '../../../errors.ts'
import { CalendarConnection, type ChosenCalendar, ConnectionCalendar } from '../schemas/calendars.ts'
import { checkCalendars } from './check.ts'
import type { CalendarAccess } from './grants.ts'

export const connectionColumns = columnsFor(calendarConnections, CalendarConnection)
const calendarColumns = columnsFor(connectionCalendars, ConnectionCalendar)
const selectCalendars = (keys: Keys) => db.select({ ...calendarColumns, ...keys }).from(connectionCalendars)
const WHAT = 'calendar connection'

export const connection = (id: string) =>
  oneOrThrow(db.select(connectionColumns).from(calendarConnections).where(eq(calendarConnections.id, id)), WHAT, id)

/** The record is locked. That of another member is found by a client_admin only, because of the policies of the table. */
const lock = (ctx: Ctx, id: string): Statement => lockForUpdate(ctx, calendarConnections, id, WHAT)
const isOwn = (id: string): Statement => sql`select assert_own_account(user_id) from calendar_connections where id = ${id}`

/** The calendars of a connection. */
export function listCalendars(connectionId: string, query: PageQuery) {
  const result = page({
    select: selectCalendars,
    id: connectionCalendars.id,
    where: [eq(connectionCalendars.connection_id, connectionId)],
    sorts: { created_at: connectionCalendars.created_at },
    name: `calendars ${connectionId}`,
    query,
  })
  return plan([assertExists(calendarConnections, connectionId, WHAT)], result)
}

/** Chooses what a calendar is used for. What counts from then on is read at once. */
export function chooseCalendar(ctx: Ctx, connectionId: string, id: string, { busy_from, write_to }: ChosenCalendar) {
  const choose = call('choose_calendar', connectionId, id, busy_from ?? null, write_to ?? null)
  const chosen = db.select(calendarColumns).from(connectionCalendars).where(eq(connectionCalendars.id, id))
  return waking('calendars.sync', plan([lock(ctx, connectionId), choose], oneOrThrow(chosen, 'calendar', id)))
}

/** Has the calendars of a connection read again, as a whole. */
export const resync = (ctx: Ctx, id: string) =>
  waking('calendars.sync', plan([lock(ctx, id), call('resync_calendars', id)], connection(id)))

/** Ends a connection. The background ends its channels and its grant at the provider, and deletes it. */
export const disconnect = (ctx: Ctx, id: string) =>
  waking(
    'calendars.end',
    plan([lock(ctx, id), isOwn(id), sql`select disconnect_calendars(array[${id}::uuid])`], constant({ id, deleted: true as const })),
  )

const accessOf = ({ background, secrets, calendars }: Ctx['deployment']): CalendarAccess => ({
  database: background,
  secrets,
  kinds: calendars,
})

type Reserved = CalendarConnection & { _workspace: string }

/**
 * Asks the provider for the calendars of a connection now, with a new access token if that is due. A grant that has ended is reported by
 * the status of the connection.
 * @throws PROVIDER_ERROR
 */
export function checkConnection(ctx: Ctx, id: string): Plan<CalendarConnection> {
  const reserved = db
    .select({ ...connectionColumns, _workspace: sql<string>`current_workspace()`.as('_workspace') })
    .from(calendarConnections)
    .where(eq(calendarConnections.id, id))
  return withOutside<Reserved, string | null, CalendarConnection>(
    plan([lock(ctx, id), call('assert_connected', id)], oneOrThrow(reserved, WHAT, id)),
    {
      call: ({ _workspace, provider }) =>
        checkCalendars(accessOf(ctx.deployment), { workspace_id: _workspace, connection_id: id, provider }),
      settle: ({ provider }, called) => {
        if (!called.ok) throw called.error
        if (called.value !== null)
          throw new AppError('PROVIDER_ERROR', `The calendar provider failed: ${called.value}`, { provider, reason: called.value })
        return []
      },
      preview: ({ _workspace: _, ...connection }) => connection,
      result: () => connection(id),
    },
  )
}
