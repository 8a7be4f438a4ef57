import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import * as v from 'valibot'
import { activities, companies, contacts, opportunities } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { updateEach } from '../../data/bulk.ts'
import { db } from '../../data/db.ts'
import { between, listWhere, sortKeys } from '../../data/lists.ts'
import { clearable, merging } from '../../data/metadata.ts'
import { type Keys, type PageQuery, page } from '../../data/page.ts'
import { plan, read } from '../../data/plan.ts'
import { assert, assertField, compiledSelect, oneOrThrow } from '../../data/query.ts'
import { assertExists, columnsFor, insertRow, lockForUpdate, type OwnedTable } from '../../data/store.ts'
import { ACTIVITY_TYPES, activityFaults, NO_DIRECTION, NO_LINK, WRITTEN_TYPES } from '../../domain/activities.ts'
import { invalid } from '../../errors.ts'
import { newId } from '../../lib/ids.ts'
import { Activity, type ActivityPatch, type NewActivity } from '../../schemas/activities.ts'
import { describe, Enum, Id, QueryInstant } from '../../schemas/fields.ts'

const fields = columnsFor(activities, Activity)
const all = compiledSelect(db.select(fields).from(activities))
const withKeys = (keys: Keys) => db.select({ ...fields, ...keys }).from(activities)
const record = (id: string) => oneOrThrow(all.where(eq(activities.id, id)), 'activity')

/** Query filters shared by every list of activities. */
export const activityFilters = {
  activity_type: v.optional(Enum(ACTIVITY_TYPES)),
  created_by: v.optional(describe(Id, 'The user whose key made it.')),
  occurred_after: v.optional(describe(QueryInstant, 'Happened at this moment or later.')),
  occurred_before: v.optional(describe(QueryInstant, 'Happened at this moment or earlier.')),
}
export const activityLinks = { contact_id: v.optional(Id), customer_id: v.optional(Id), deal_id: v.optional(Id) }
export const ACTIVITY_SORTS = ['occurred_at', 'created_at']
/** The default sort: `-created_at` when the query filters by creation time, `-occurred_at` otherwise. */
const orderOf = ({ sort, created_after, created_before }: Record<string, unknown>) =>
  (sort as string | undefined) ?? (created_after !== undefined || created_before !== undefined ? '-created_at' : '-occurred_at')
export const ACTIVITY_ORDER = '-created_at with created_after or created_before, -occurred_at otherwise'

function activitiesPage(name: string, more: SQL[], params: Record<string, unknown>) {
  const query: Record<string, unknown> = { ...params, sort: orderOf(params) }
  return page({
    select: withKeys,
    id: activities.id,
    where: [
      ...listWhere(activities, { ...activityFilters, ...activityLinks }, query),
      ...between(activities.occurred_at, 'occurred', query),
      ...more,
    ],
    sorts: sortKeys(activities, ACTIVITY_SORTS),
    name,
    query: query as PageQuery,
  })
}

export const listActivities = (query: Record<string, unknown>) => read(activitiesPage('activities', [], query))

const PARENTS: Record<'contact' | 'company' | 'opportunity', { table: OwnedTable; link: PgColumn }> = {
  contact: { table: contacts, link: activities.contact_id },
  company: { table: companies, link: activities.customer_id },
  opportunity: { table: opportunities, link: activities.deal_id },
}

/** Lists the activities linked to one record. */
export function listActivitiesOf(what: keyof typeof PARENTS, id: string, query: Record<string, unknown>) {
  const { table, link } = PARENTS[what]
  return plan([assertExists(table, id, what)], activitiesPage(`activities of ${what} ${id}`, [eq(link, id)], query))
}

export function createActivity(input: NewActivity) {
  const faults = activityFaults(input)
  if (faults.length > 0) throw invalid(faults)
  const id = newId()
  return plan([insertRow(activities, { ...input, id })], record(id))
}

export const getDealActivity = (dealId: string, id: string) =>
  read(oneOrThrow(all.where(and(eq(activities.id, id), eq(activities.deal_id, dealId))), 'activity of this opportunity'))

export function createDealActivity(ctx: Ctx, dealId: string, input: Omit<NewActivity, 'deal_id'>) {
  const created = createActivity({ ...input, deal_id: dealId })
  return plan([lockForUpdate(ctx, opportunities, dealId, 'opportunity'), ...created.statements], created.result)
}

/** Updates an activity. An email cannot be changed; every other activity keeps at least one link. */
export function updateActivity(ctx: Ctx, id: string, patch: ActivityPatch) {
  const would = <Name extends keyof ActivityPatch>(name: Name) => (patch[name] === undefined ? activities[name] : sql`${patch[name]}`)
  const holds = (condition: SQL) => sql`exists (select from activities where id = ${id} and ${condition})`
  return plan(
    [
      lockForUpdate(ctx, activities, id, 'activity'),
      assert(holds(sql`activity_type <> 'email'`), 'INVALID_STATE', 'An email cannot be changed', {
        state: 'email',
        allowed: WRITTEN_TYPES,
      }),
      assertField(
        holds(sql`num_nonnulls(${would('contact_id')}::uuid, ${would('customer_id')}::uuid, ${would('deal_id')}::uuid) > 0`),
        'contact_id',
        NO_LINK,
      ),
      assertField(holds(sql`(${would('direction')}::text is null or ${would('activity_type')}::text = 'call')`), 'direction', NO_DIRECTION),
      clearable('activity', patch),
      updateEach(activities, [{ id, ...patch }], [], merging(activities, patch)),
    ],
    record(id),
  )
}
