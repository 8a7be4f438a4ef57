import { and, eq, sql } from 'drizzle-orm'
import { outbox, webhookDeliveries, webhooks } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { plan, read } from '../../../data/plan.ts'
import { assert, mapResult, oneOrThrow, typed } from '../../../data/query.ts'
import { assertExists, assertStays, columnsFor } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { assertPlace, parseCursor } from '../../events/plans/cursor.ts'
import { eventFields } from '../../events/plans/feed.ts'
import type { Event } from '../../events/schemas/events.ts'
import { shownEvent } from '../../events/schemas/snapshots.ts'
import type { DeliveryAttempt, StoredResponse } from '../rules/types.ts'
import { type ReplayRange, WebhookDelivery } from '../schemas/webhooks.ts'
import { bodyOf, CONTENT_HEADERS, TEST_TYPE, testBody } from './payload.ts'
import { webhook } from './webhooks.ts'

const NIL = '00000000-0000-0000-0000-000000000000'
const fields = columnsFor(webhookDeliveries, WebhookDelivery, {
  is_replay: sql<boolean>`webhook_deliveries.replay_id <> ${sql.raw(`'${NIL}'`)}`.as('is_replay'),
  next_attempt_at: sql<string | null>`webhook_deliveries.due_at`.mapWith(webhookDeliveries.due_at).as('next_attempt_at'),
})
const withKeys = (keys: Keys) => db.select({ ...fields, ...keys }).from(webhookDeliveries)

const delivery = (id: string) => oneOrThrow(db.select(fields).from(webhookDeliveries).where(eq(webhookDeliveries.id, id)), 'delivery')
const exists = (id: string): Statement => assertExists(webhooks, id, 'webhook')
const stays = (id: string): Statement => assertStays(webhooks, id, 'webhook')

export function listDeliveries(webhookId: string, { state, ...query }: PageQuery & { state?: WebhookDelivery['state'] | undefined }) {
  const result = page({
    select: withKeys,
    id: webhookDeliveries.id,
    where: [eq(webhookDeliveries.webhook_id, webhookId), state && eq(webhookDeliveries.state, state)],
    sorts: { created_at: webhookDeliveries.created_at },
    name: `deliveries ${webhookId} ${state ?? ''}`,
    query,
  })
  return plan([exists(webhookId)], result)
}

const details = {
  ...fields,
  log: webhookDeliveries.log,
  response: webhookDeliveries.response,
  _workspace: webhookDeliveries.workspace_id,
  _now: sql<number>`(extract(epoch from now()) * 1000)::bigint`.as('_now'),
  _xid: sql<string | null>`outbox.xid::text`.as('_xid'),
  _event: eventFields,
}

type Details = WebhookDelivery & {
  log: DeliveryAttempt[]
  response: StoredResponse | null
  _workspace: string
  _now: number
  /** Null without an event, which is then empty. */
  _xid: string | null
  _event: Event
}

/** A delivery with its attempts, and what it sends: the event as the caller may read it now. */
export function getDelivery(webhookId: string, id: string) {
  const select = db
    .select(details)
    .from(webhookDeliveries)
    .leftJoin(outbox, eq(outbox.id, webhookDeliveries.event_id))
    .where(and(eq(webhookDeliveries.webhook_id, webhookId), eq(webhookDeliveries.id, id)))
  return read(
    mapResult(oneOrThrow(typed<Details>(select), 'delivery'), ({ _workspace, _now, _xid, _event, response, log, ...row }) => {
      const event = _xid === null ? undefined : shownEvent(_event)
      const body = event
        ? bodyOf({ event, xid: _xid ?? '0', workspace_id: _workspace }, _now)
        : row.event_id
          ? null
          : testBody(row.created_at)
      const headers = { ...CONTENT_HEADERS, 'webhook-id': row.event_id ?? row.id }
      return { ...row, log, request: { headers, body }, response }
    }),
  )
}

const isEnabled = (id: string): Statement =>
  assert(
    sql`exists (select from webhooks where id = ${id} and status = 'enabled')`,
    'INVALID_STATE',
    'The webhook is disabled: enable it first',
    {
      state: 'disabled',
      allowed: ['enabled'],
    },
  )
const wake = (id: string): Statement => call('wake_webhook', id)

/** Adds a delivery without an event. */
export function testWebhook(webhookId: string) {
  const id = newId()
  const row = { id, webhook_id: webhookId, event_type: TEST_TYPE, due_at: sql`now()` }
  return plan([stays(webhookId), isEnabled(webhookId), db.insert(webhookDeliveries).values(row), wake(webhookId)], delivery(id))
}

/** Sends the event of a delivery once more, as a delivery of its own with the same webhook-id. */
export function replayDelivery(webhookId: string, deliveryId: string) {
  const id = newId()
  const known = sql`exists (select from webhook_deliveries where id = ${deliveryId} and webhook_id = ${webhookId})`
  return plan(
    [
      stays(webhookId),
      call('assert_exists', known, 'delivery', deliveryId),
      isEnabled(webhookId),
      sql`insert into webhook_deliveries (id, webhook_id, event_id, event_type, record_id, replay_id, due_at)
        select ${id}::uuid, webhook_id, event_id, event_type, record_id, ${id}::uuid, now() from webhook_deliveries
          where id = ${deliveryId}`,
      wake(webhookId),
    ],
    delivery(id),
  )
}

/** Begins to send the events of a range again. */
export function replayRange(ctx: Ctx, webhookId: string, { after, from, to }: ReplayRange) {
  const place = after === undefined ? undefined : parseCursor(after, 'event-feed')
  const guards = place ? assertPlace(place, ctx.now) : []
  const begin = sql`select begin_webhook_replay(${webhookId}::uuid, ${newId()}::uuid, ${place?.xid ?? null}::xid8,
    ${place?.id ?? null}::uuid,
    ${from ?? null}::timestamptz, ${to ?? null}::timestamptz)`
  return plan([...guards, begin], webhook(webhookId))
}
