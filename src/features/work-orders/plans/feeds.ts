import { eq, sql } from 'drizzle-orm'
import { memberships, workOrderFeeds } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { assertField, constant, mapResult, oneOrThrow, plainRows } from '../../../data/query.ts'
import { assertExists } from '../../../data/store.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { calendarToken } from '../../../lib/portal-secrets.ts'
import { WebPage } from '../../../lib/web-page.ts'
import { addressOf, partsOf } from '../../pages/plans/visits.ts'
import { tokenHash } from '../../webhooks/plans/incoming.ts'
import { type CalendarOrder, workCalendar } from '../rules/calendar.ts'
import type { NewFeed } from '../schemas/work-orders.ts'

const fields = {
  id: workOrderFeeds.id,
  user_id: workOrderFeeds.user_id,
  created_at: workOrderFeeds.created_at,
  last_read_at: workOrderFeeds.last_read_at,
}
const select = (keys: Keys) => db.select({ ...fields, ...keys }).from(workOrderFeeds)

export const listFeeds = (query: PageQuery) =>
  read(
    page({
      select,
      id: workOrderFeeds.id,
      where: [],
      sorts: { id: workOrderFeeds.id },
      name: 'work order feeds',
      query: { ...query, sort: '-id' },
    }),
  )

/** Makes the address of a member's calendar. It replaces the former one. */
export async function createFeed(ctx: Ctx, { user_id }: NewFeed) {
  const id = newId()
  const { linkSecret: secret } = ctx.deployment
  const hash = await tokenHash(calendarToken(secret, id))
  const user = user_id === undefined ? sql`current_user_id()` : sql`${user_id}::uuid`
  return plan(
    [
      assertField(
        sql`exists (select from ${memberships} where ${memberships.user_id} = ${user} and ${memberships.status} <> 'removed')`,
        'user_id',
        'user_id does not exist in this workspace',
      ),
      call('assert_self_or_admin', user),
      // Two calls at the same time follow each other.
      sql`select pg_advisory_xact_lock(hashtext('work_order_feeds'), hashtext(${user}::text))`,
      sql`delete from work_order_feeds where user_id = ${user}`,
      sql`insert into work_order_feeds (id, user_id, token_hash) values (${id}, ${user}, decode(${hash}, 'hex'))`,
    ],
    mapResult(oneOrThrow(db.select(fields).from(workOrderFeeds).where(eq(workOrderFeeds.id, id)), 'calendar feed'), (row) => ({
      ...row,
      calendar_path: `/work-calendar/${calendarToken(secret, row.id)}.ics`,
    })),
  )
}

/** Revokes the address of a calendar. Of two calls at the same time the second finds none. */
export const deleteFeed = (id: string) =>
  plan(
    [
      sql`select count(*) from (select from work_order_feeds where id = ${id} for update) locked`,
      assertExists(workOrderFeeds, id, 'calendar feed'),
      sql`select assert_self_or_admin((select user_id from work_order_feeds where id = ${id}))`,
      sql`delete from work_order_feeds where id = ${id}`,
    ],
    constant({ id, deleted: true as const }),
  )

const tokenOf = (url: string) => (partsOf(url)[2] ?? '').replace(/\.ics$/, '')

/** A calendar that reads the work orders of a member. */
export async function calendarReader({ url, headers }: { url: string; headers: Headers }) {
  const hash = await tokenHash(tokenOf(url))
  const rates = [
    { rate: 'default' as const, id: `pages ${addressOf(headers)}` },
    { rate: 'sends' as const, id: `work calendar ${hash}` },
  ]
  return { kind: 'public_token' as const, id: 'work calendar', grant: call('work_feed_grant', hash), rates }
}

type Found = { name: string; zone: string; orders: CalendarOrder[] }

/** The work orders of a member from a month ago to a year ahead, as a calendar. */
export async function showCalendar(file: string): Promise<Plan<WebPage>> {
  const hash = await tokenHash(file.replace(/\.ics$/, ''))
  const found = plainRows<{ calendar: Found | null }>(call('work_calendar', hash), ['calendar'])
  return plan(
    [call('note_feed_read', hash)],
    mapResult(found, ([row]) => {
      if (!row?.calendar) throw new AppError('NOT_FOUND', 'No such calendar')
      const { name, zone, orders } = row.calendar
      const headers = { 'Content-Type': 'text/calendar; charset=utf-8', 'Cache-Control': 'private, max-age=300', 'X-Robots-Tag': 'noindex' }
      return new WebPage(200, workCalendar(name, zone, orders), headers)
    }),
  )
}
