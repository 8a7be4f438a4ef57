import { type SQL, sql } from 'drizzle-orm'
import { contacts, memberships, opportunities } from '../../../../schema/index.ts'
import type { FireSettings } from '../../../../schema/schedules.ts'
import type { Statement } from '../../../data/db.ts'
import { isOverdue } from '../../../data/filter-tests.ts'
import { asksAbout, type Compiled, compileFilter } from '../../../data/filters.ts'
import { assertField, assertNoPaths } from '../../../data/query.ts'
import { inlineLists, type StoredList } from '../../../domain/filters/lists.ts'
import { needsPlace, placeDays } from '../../../domain/filters/local-days.ts'
import type { Filter } from '../../../domain/filters/types.ts'
import { invalid } from '../../../errors.ts'
import { type AudienceFilter, audienceIssues, conditionsOf, objectOf } from '../rules/audience.ts'
import { type AudienceType, MAX_TASKS, MAX_WALKED } from '../rules/limits.ts'
import { personData, tasksOf } from './trigger-data.ts'

/** The audience of a fire, or of its preview. */
export type Audience = {
  /** The guards of its filter: the custom fields exist and support the operators. */
  guards: Statement[]
  /** The other objects whose records its filter reads. */
  reads: string[]
  /** The most rows that it has. */
  limit: number
  /** The ids of its records in ascending order: at most `most`, by a pass over all records. */
  ids: (most: number) => SQL
  /**
   * The rows of some of its records: `id`, `contact_id`, `opportunity_id`, `zone` and `data`. `among` is a condition on ids, and `end` the
   * order and the limit.
   */
  rows: (among: (id: SQL) => SQL, end: SQL) => SQL
}

type Source = { id: SQL; from: SQL; active: SQL; columns: SQL; filter: Filter | undefined; where?: SQL }

const zoneOfDeal = sql`(select c.local_zone from opportunity_contacts l join contacts c on c.id = l.contact_id
  where l.opportunity_id = ${opportunities.id} order by l.is_primary desc, l.id limit 1)`
const none = sql`null::uuid`
const people = { id: sql`${memberships.user_id}`, from: sql`memberships join users on users.id = ${memberships.user_id}` }
const texts = (values: string[]) => sql`${JSON.stringify(values)}::jsonb`

/** Where the rows of each type of audience come from. */
const SOURCES: Record<AudienceType, (sent: AudienceFilter, filter: Filter | undefined) => Source> = {
  users: ({ roles, user_ids }) => ({
    ...people,
    columns: sql`${none}, ${none}, null::text, ${personData()}`,
    active: sql`${memberships.status} = 'active'`,
    filter: undefined,
    where: sql`${roles ? sql`${texts(roles)} ? ${memberships.role}` : sql`true`}
      and ${user_ids ? sql`${memberships.user_id} = any(${`{${user_ids.join(',')}}`}::uuid[])` : sql`true`}`,
  }),
  tasks_by_assignee: ({ statuses, include_overdue_only, max_tasks_per_user = MAX_TASKS }, filter) => {
    const matches = sql.join(
      [
        sql`tasks.assigned_to = ${memberships.user_id} and not tasks.archived`,
        statuses ? sql`${texts(statuses)} ? tasks.status` : sql`tasks.status <> 'completed'`,
        ...(include_overdue_only ? [isOverdue('tasks')] : []),
        ...(filter ? [compileFilter('tasks', filter).where] : []),
      ],
      sql` and `,
    )
    return {
      ...people,
      columns: sql`${none}, ${none}, null::text, ${personData()} || jsonb_build_object('tasks', ${tasksOf(matches, max_tasks_per_user)})`,
      active: sql`${memberships.status} = 'active'`,
      filter,
      where: sql`exists (select from tasks where ${matches})`,
    }
  },
  contacts: (_, filter) => ({
    id: sql`${contacts.id}`,
    from: sql`${contacts}`,
    columns: sql`${contacts.id}, ${none}, ${contacts.local_zone},
      jsonb_build_object('id', ${contacts.id}, 'first_name', ${contacts.first_name},
      'last_name', ${contacts.last_name}, 'name', concat_ws(' ', ${contacts.first_name}, ${contacts.last_name}), 'email', ${contacts.email},
      'phone', ${contacts.phone}, 'contact_type', ${contacts.contact_type}, 'customer_id', ${contacts.customer_id},
      'assigned_to', ${contacts.assigned_to})`,
    active: activeUnless(filter, contacts.archived),
    filter,
  }),
  deals: (_, filter) => ({
    id: sql`${opportunities.id}`,
    from: sql`${opportunities}`,
    columns: sql`${none}, ${opportunities.id}, ${zoneOfDeal}, jsonb_build_object('id', ${opportunities.id}, 'name', ${opportunities.name},
      'status', ${opportunities.status}, 'value', ${opportunities.value}, 'currency', ${opportunities.currency},
      'pipeline_id', ${opportunities.pipeline_id}, 'stage_id', ${opportunities.stage_id}, 'customer_id', ${opportunities.customer_id},
      'assigned_to', ${opportunities.assigned_to}, 'expected_close_date', ${opportunities.expected_close_date})`,
    active: activeUnless(filter, opportunities.archived),
    filter,
  }),
}

/** Archived records are in an audience only if its filter mentions `archived`. */
const activeUnless = (filter: Filter | undefined, archived: unknown): SQL =>
  filter && asksAbout(filter, 'archived') ? sql`true` : sql`not ${archived}`

export type AudienceOf = Pick<FireSettings, 'audience_type' | 'audience_filter' | 'timezone'>

/**
 * The audience as SQL, both for what fires and for its preview. `at`: the instant of the fire; `lists`: those that its filter names, also
 * through other lists. @throws VALIDATION_ERROR for a filter that cannot be used.
 */
export function audienceOf(
  { audience_type: type, audience_filter: sent, timezone: zone }: AudienceOf,
  at: Date,
  lists: StoredList[],
): Audience {
  const filter = readyFilter(type, sent, { now: at, zone }, lists)
  const object = objectOf(type)
  const compiled: Compiled | undefined = filter && object && compileFilter(object, filter, 'audience_filter.filter')
  const { id, from, columns, active, where = compiled?.where ?? sql`true` } = SOURCES[type](sent, filter)
  const scan = type === 'contacts' || type === 'deals' ? (compiled?.scan ?? sql`true`) : where
  return {
    guards: compiled?.guards ?? [],
    reads: compiled?.reads ?? [],
    limit: sent.limit ?? Number.POSITIVE_INFINITY,
    ids: (most) => sql`select ${id} as id from ${from} where ${active} and ${scan} order by ${id} limit ${most}::int`,
    rows: (among, end) => sql`select ${id} as id, r.* from ${from}, lateral (select ${columns}) r(contact_id, opportunity_id, zone, data)
      where ${among(id)} and ${active} and ${where} order by ${id} ${end}`,
  }
}

/** The audience filter with the filters of its lists and its days in their places. */
function readyFilter(
  type: AudienceType,
  sent: AudienceFilter,
  place: { now: Date; zone: string },
  lists: StoredList[],
): Filter | undefined {
  const object = objectOf(type)
  const issues = audienceIssues(type, sent)
  if (issues.length > 0) throw invalid(issues)
  const filter = conditionsOf(type, sent, place.now.getTime())
  if (!filter || !object) return undefined
  const inlined = inlineLists(object, filter, lists)
  if (inlined.issues.length > 0) throw invalid(inlined.issues.map((issue) => ({ ...issue, path: pathOf(issue.path) })))
  return needsPlace(object, inlined.filter) ? placeDays(object, inlined.filter, place) : inlined.filter
}

const pathOf = (path: string): string => (path.startsWith('.list_id') ? 'audience_filter.list_id' : `audience_filter.filter${path}`)

/**
 * The next part of an audience: the first `most` rows among the next records after `after`. Rows, and where to continue (null at the end).
 */
export function nextPart(
  { rows }: Audience,
  type: AudienceType,
  after: string | null,
  most: number,
): { walked: SQL; found: SQL; next: SQL } {
  const { id, from } = SOURCES[type]({}, undefined)
  const table = type === 'users' || type === 'tasks_by_assignee' ? sql`${memberships}` : from
  const beyond = (column: SQL) => sql`${column} > ${after ?? '00000000-0000-0000-0000-000000000000'}::uuid`
  const last = sql`(select id from walked order by id desc limit 1)`
  const lastFound = sql`(select id from found order by id desc limit 1)`
  return {
    walked: sql`select ${id} as id from ${table} where ${beyond(id)} order by ${id} limit ${MAX_WALKED}::int`,
    found: rows((column) => sql`${beyond(column)} and ${column} <= ${last}`, sql`limit ${most}::int`),
    next: sql`case when (select count(*) from found) = ${most}::int and ${last} > ${lastFound} then ${lastFound}
      when (select count(*) from walked) = ${MAX_WALKED}::int then ${last} end`,
  }
}

/** Asserts that what an audience filter names exists. */
export function assertNamed(sent: AudienceFilter): Statement[] {
  const { roles, user_ids, pipeline_id, stage_ids } = sent
  const each = (field: string, values: string[], exists: SQL) =>
    assertNoPaths(
      sql`array(select 'audience_filter.${sql.raw(field)}.' || (n - 1)
        from jsonb_array_elements_text(${texts(values)}) with ordinality e(value, n) where not ${exists})`,
      'does not exist here',
    )
  return [
    ...(roles ? [each('roles', roles, sql`exists (select from roles r where r.role_key = e.value)`)] : []),
    ...(user_ids
      ? [each('user_ids', user_ids, sql`exists (select from memberships m where m.user_id = e.value::uuid and m.status <> 'removed')`)]
      : []),
    ...(stage_ids ? [each('stage_ids', stage_ids, sql`exists (select from stages s where s.id = e.value::uuid)`)] : []),
    ...(pipeline_id
      ? [
          assertField(
            sql`exists (select from pipelines p where p.id = ${pipeline_id})`,
            'audience_filter.pipeline_id',
            'does not exist here',
          ),
        ]
      : []),
  ]
}
