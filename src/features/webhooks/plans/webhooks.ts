import { eq, sql } from 'drizzle-orm'
import * as v from 'valibot'
import { webhookStates, webhooks } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { assert, constant, mapResult, oneOrThrow, plainRows, typed, WithWarnings } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate, selectAny, updateRows } from '../../../data/store.ts'
import { EVENT_TYPES, entityOf } from '../../../domain/events.ts'
import { outsideFault } from '../../../domain/outside-addresses.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { newWebhookSecret } from '../../../lib/webhook-signatures.ts'
import { eventShape, faultsInPaths } from '../../automations/plans/names.ts'
import type { DataTest } from '../../automations/rules/data-tests.ts'
import { isSubscribed } from '../rules/matching.ts'
import { MAX_WEBHOOKS, ROTATION_HOURS } from '../rules/states.ts'
import { type NewWebhook, type RestHook, Webhook, type WebhookPatch } from '../schemas/webhooks.ts'

const ofState = (column: 'failing_since' | 'last_delivered_at' | 'last_failed_at') =>
  sql<string | null>`(select ${sql.identifier(column)} from webhook_states s where s.webhook_id = webhooks.id)`
    .mapWith(webhookStates[column])
    .as(column)

/** The computed fields of a webhook. */
export const webhookFields = {
  previous_expires_at: sql<string | null>`case when webhooks.previous_expires_at > now() then webhooks.previous_expires_at end`
    .mapWith(webhooks.previous_expires_at)
    .as('previous_expires_at'),
  failing_since: ofState('failing_since'),
  last_delivered_at: ofState('last_delivered_at'),
  last_failed_at: ofState('last_failed_at'),
  replay_id: sql<string | null>`(select s.replay_id from webhook_states s where s.webhook_id = webhooks.id)`.as('replay_id'),
}

const columns = columnsFor(webhooks, Webhook, webhookFields)
export const webhook = (id: string) => oneOrThrow(db.select(columns).from(webhooks).where(eq(webhooks.id, id)), 'webhook')

/** The place where a secret of a webhook is stored, for its seal. */
export const secretPlace = (workspace_id: string) => ({ workspace_id, table: 'webhooks', column: 'sealed_secret' })

const TAIL = 12
type Issued = { secret: string; sealed: string }

/** A new secret, sealed for the caller's workspace. */
async function newSecret(ctx: Ctx): Promise<Issued> {
  const secret = newWebhookSecret()
  return { secret, sealed: await ctx.deployment.secrets.seal(secretPlace(await workspaceOf(ctx)), secret) }
}

const NO_WORKSPACE = '00000000-0000-0000-0000-000000000000'

/** The caller's workspace, for a seal. It is only known in a round trip of its own, which a repeated request does not take. */
export async function workspaceOf(ctx: Ctx): Promise<string> {
  const current = plainRows<{ id: string }>(call('current_workspace'), ['id'])
  const [found] = await ctx.assume(current, [{ id: NO_WORKSPACE }], sql`current_workspace() = ${NO_WORKSPACE}::uuid`)
  return found?.id ?? NO_WORKSPACE
}

/** The webhook with its new secret. A repeated request seals a secret that was never stored, so the secret is left out. */
const issued = (id: string, { secret, sealed }: Issued) =>
  mapResult(
    oneOrThrow(
      typed<Webhook & { _tail: string }>(
        selectAny({ ...columns, _tail: sql`right(webhooks.sealed_secret, ${TAIL}::int)`.as('_tail') })
          .from(webhooks)
          .where(eq(webhooks.id, id)),
      ),
      'webhook',
    ),
    ({ _tail, ...row }) => {
      const shown = _tail === sealed.slice(-TAIL)
      const message = 'The secret was shown once, when it was created: rotate it if it was lost'
      return new WithWarnings(
        { ...row, secret: shown ? secret : null },
        shown ? [] : [{ code: 'SECRET_SHOWN_ONCE', field: 'secret', message }],
      )
    },
  )

/** @throws VALIDATION_ERROR for an address that must not be called. */
export function assertOutside(ctx: Ctx, field: string, url: string | undefined): void {
  const fault = url !== undefined && ctx.deployment && outsideFault(url, ctx.deployment.outside)
  if (fault) throw invalid([{ path: field, message: fault }])
}

/** Requires the rights that the webhook would have: to read events, and the kinds of records that it names. */
function assertReadable({ event_types = [], scopes }: WebhookPatch): Statement[] {
  const entities = [...new Set(event_types.filter((name) => name !== '*').map(entityOf))]
  return [
    sql`select assert_scopes('{events:read}'::text[])`,
    ...(entities.length > 0 ? [call('assert_readable', `{${entities.join(',')}}`)] : []),
    ...(scopes && scopes.length > 0
      ? [sql`select assert_scopes(array(select jsonb_array_elements_text(${JSON.stringify(scopes)}::jsonb)))`]
      : []),
  ]
}

/** The same for the stored ones, by a call that gives the webhook the rights of its key. */
const assertStoredReadable = (id: string): Statement =>
  sql`select assert_readable(array(select split_part(t, '.', 1) from webhooks w, unnest(w.event_types) t where w.id = ${id}))`

type Filtered = { event_types?: string[] | undefined; filter?: object | null | undefined }
/** @throws VALIDATION_ERROR for a filter over a field that none of the events has. */
function assertNames({ event_types = [], filter }: Filtered): void {
  if (!filter || event_types.length === 0) return
  const types = EVENT_TYPES.filter((type) => isSubscribed(event_types, type))
  const more = { user_id: v.string(), key_id: v.string(), cause_type: v.string() }
  const issues = faultsInPaths(filter as DataTest, eventShape(types, more), 'The event', 'filter')
  if (issues.length > 0) throw invalid(issues)
}

/** A change of the filter or of the event types, with the stored other one. */
async function withStored(ctx: Ctx, id: string, { event_types, filter }: Filtered): Promise<Filtered> {
  const isWhole = (event_types === undefined) === (filter === undefined)
  if (isWhole || filter === null) return { event_types, filter }
  const stored = db.select({ event_types: webhooks.event_types, filter: webhooks.filter }).from(webhooks).where(eq(webhooks.id, id))
  const found = await ctx.readConfirmed(oneOrThrow(stored, 'webhook', id))
  return { event_types: event_types ?? found.event_types, filter: filter ?? (found.filter as object | null) }
}

const roomForMore = (): Statement[] => [
  sql`select pg_advisory_xact_lock(hashtext('webhooks'), hashtext(current_workspace()::text))`,
  assert(
    sql`(select count(*) from webhooks) < ${MAX_WEBHOOKS}::int`,
    'CONFLICT',
    `A workspace has at most ${MAX_WEBHOOKS} webhooks: delete one that is no longer used`,
  ),
]

const ownKey = { key_id: sql`current_key_id()` }

export async function createWebhook(ctx: Ctx, fields: NewWebhook, source: 'api' | 'rest_hook' = 'api') {
  assertOutside(ctx, source === 'api' ? 'url' : 'target_url', fields.url)
  assertNames(fields)
  const id = newId()
  const secret = await newSecret(ctx)
  const row = { ...fields, ...ownKey, id, source, sealed_secret: secret.sealed }
  return plan([...assertReadable(fields), ...roomForMore(), insertRow(webhooks, row)], issued(id, secret))
}

export const subscribe = (ctx: Ctx, { target_url, event }: RestHook) =>
  createWebhook(ctx, { url: target_url, event_types: [event] }, 'rest_hook')

/** Updates a webhook, which has the rights of the calling key from then on. */
export async function updateWebhook(ctx: Ctx, id: string, patch: WebhookPatch): Promise<Plan<Webhook>> {
  assertOutside(ctx, 'url', patch.url)
  assertNames(await withStored(ctx, id, patch))
  return plan(
    [
      lockForUpdate(ctx, webhooks, id, 'webhook'),
      ...assertReadable(patch),
      !patch.event_types && assertStoredReadable(id),
      updateRows(webhooks, { ...patch, ...ownKey }, eq(webhooks.id, id)),
    ],
    webhook(id),
  )
}

/** Replaces the secret. The former one signs too for a day. The webhook keeps the rights that it has. */
export async function rotateSecret(ctx: Ctx, id: string) {
  const secret = await newSecret(ctx)
  const previous = {
    sealed_previous_secret: sql`sealed_secret`,
    previous_expires_at: sql`now() + make_interval(hours => ${ROTATION_HOURS}::int)`,
  }
  return plan(
    [lockForUpdate(ctx, webhooks, id, 'webhook'), updateRows(webhooks, { ...previous, sealed_secret: secret.sealed }, eq(webhooks.id, id))],
    issued(id, secret),
  )
}

export const enableWebhook = (ctx: Ctx, id: string): Plan<Webhook> =>
  plan(
    [
      lockForUpdate(ctx, webhooks, id, 'webhook'),
      ...assertReadable({}),
      assertStoredReadable(id),
      updateRows(webhooks, { status: 'enabled', disabled_reason: null, disabled_at: null, ...ownKey }, eq(webhooks.id, id)),
    ],
    webhook(id),
  )

export const disableWebhook = (ctx: Ctx, id: string): Plan<Webhook> =>
  plan(
    [
      lockForUpdate(ctx, webhooks, id, 'webhook'),
      updateRows(
        webhooks,
        { status: 'disabled', disabled_reason: 'request', disabled_at: sql`now()` },
        sql`${webhooks.id} = ${id} and status = 'enabled'`,
      ),
    ],
    webhook(id),
  )

export const deleteWebhook = (ctx: Ctx, id: string) =>
  plan(
    [lockForUpdate(ctx, webhooks, id, 'webhook'), db.delete(webhooks).where(eq(webhooks.id, id))],
    constant({ id, deleted: true as const }),
  )
