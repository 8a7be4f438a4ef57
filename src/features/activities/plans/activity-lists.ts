import { eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import * as v from 'valibot'
import { activities, companies, contacts, opportunities } from '../../../../schema/index.ts'
import { between, listWhere, sortKeys, visibleSets } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { plan, read } from '../../../data/plan.ts'
import type { Select } from '../../../data/query.ts'
import { assertExists, type OwnedTable } from '../../../data/store.ts'
import { describe, Enum, Id, QueryInstant } from '../../../schemas/fields.ts'
import { ACTIVITY_TYPES } from '../rules/activities.ts'
import type { Activity } from '../schemas/activities.ts'
import { selectActivities } from './activities.ts'

/** Query filters shared by every list of activities. */
export const activityFilters = {
  activity_type: v.optional(Enum(ACTIVITY_TYPES)),
  created_by: v.optional(describe(Id, 'The user whose key made it.')),
  occurred_after: v.optional(describe(QueryInstant, 'Happened at this moment or later.')),
  occurred_before: v.optional(describe(QueryInstant, 'Happened at this moment or earlier.')),
}
const links = { customer_id: v.optional(Id), deal_id: v.optional(Id) }
export const activityLinks = { contact_id: v.optional(describe(Id, 'One of the contacts who took part.')), ...links }
export const ACTIVITY_SORTS = ['occurred_at', 'created_at']
/** The default sort: `-created_at` when the query filters by creation time, `-occurred_at` otherwise. */
const orderOf = ({ sort, created_after, created_before }: Record<string, unknown>) =>
  (sort as string | undefined) ?? (created_after !== undefined || created_before !== undefined ? '-created_at' : '-occurred_at')
export const ACTIVITY_ORDER = '-created_at with created_after or created_before, -occurred_at otherwise'

/**
 * The activities of which the contact is the main one, and those of the others, whose links are in the order of the activities. These are
 * looked up row by row: with a join, the planner would sometimes walk all activities in the order of the list.
 */
function setsOf(contact: string): SQL[] {
  const { id: _, occurred_at: __, ...columns } = getTableColumns(activities)
  const others = sql.join(
    Object.values(columns).map(({ name }) => sql`a.${sql.identifier(name)}`),
    sql`, `,
  )
  return [
    sql`select a.id, a.occurred_at, ${others} from public.activities a where a.contact_id = ${contact}`,
    sql`select l.activity_id as id, l.occurred_at, ${others} from public.activity_contacts l,
      lateral (select * from public.activities where workspace_id = l.workspace_id and id = l.activity_id limit 1) a
      where l.contact_id = ${contact} and a.contact_id is distinct from l.contact_id`,
  ]
}

/**
 * The activities that the caller may see. Only emails are private. Of the other filters and orders no index leads past what is private to
 * others.
 */
function visibleActivities({ sort, activity_type, ...query }: Record<string, unknown>): SQL[] | undefined {
  const isIndexed =
    String(sort).endsWith('occurred_at') && ['ids', 'customer_id', 'deal_id', 'created_by'].every((name) => query[name] === undefined)
  if (!isIndexed || (activity_type !== undefined && activity_type !== 'email')) return undefined
  return visibleSets(sql`select * from activities where ${activity_type === undefined ? sql`true` : sql`activity_type = 'email'`}`)
}

/** A page of activities. An export selects other columns. */
export function activitiesPage<Row = v.InferOutput<typeof Activity>>(
  name: string,
  more: SQL[],
  params: Record<string, unknown>,
  contact = params.contact_id,
  select?: (keys: Keys) => Select<Row>,
) {
  const query: Record<string, unknown> = { ...params, sort: orderOf(params) }
  const own = more.length === 0 ? visibleActivities(query) : undefined
  return page({
    select: (select ?? selectActivities) as (keys: Keys) => Select<Row>,
    whole: select !== undefined,
    id: activities.id,
    where: [
      ...listWhere(activities, { ...activityFilters, ...links }, query),
      ...between(activities.occurred_at, 'occurred', query),
      ...more,
    ],
    sets: contact === undefined ? own : setsOf(contact as string),
    sorts: sortKeys(activities, ACTIVITY_SORTS),
    name,
    query: query as PageQuery,
  })
}

export const listActivities = (query: Record<string, unknown>) => read(activitiesPage('activities', [], query))

type Parent = { table: OwnedTable; link?: PgColumn }
const PARENTS: Record<'contact' | 'company' | 'opportunity', Parent> = {
  contact: { table: contacts },
  company: { table: companies, link: activities.customer_id },
  opportunity: { table: opportunities, link: activities.deal_id },
}

/** Lists the activities linked to one record; those of a contact also if it is one of several. */
export function listActivitiesOf(what: keyof typeof PARENTS, id: string, query: Record<string, unknown>) {
  const { table, link } = PARENTS[what]
  const more = link ? [eq(link, id)] : []
  return plan([assertExists(table, id, what)], activitiesPage(`activities of ${what} ${id}`, more, query, link ? undefined : id))
}
