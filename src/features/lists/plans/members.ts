import { sql } from 'drizzle-orm'
import { lists } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { handedText } from '../../../data/handed.ts'
import type { Page } from '../../../data/paged.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { assert, assertField, mapResult, plainRows, type Query } from '../../../data/query.ts'
import { lockForUpdate } from '../../../data/store.ts'
import type { StoredList } from '../../../domain/filters/lists.ts'
import { entityOf } from '../../../domain/records.ts'
import { AppError, type Issue, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { type Bulk, failure } from '../../../schemas/bulk.ts'
import { CUSTOM_SORT, isTimeSort, SORTS, TIME_SORTS } from '../../../schemas/search.ts'
import { needsScopes, SEARCHED, searchIn, withDays } from '../../search/plans/record-search.ts'
import { MAX_LIST_DEPTH, MAX_MEMBERS } from '../rules/lists.ts'
import { MEMBERS, type MembersQuery } from '../schemas/lists.ts'
import { membership, membersOf, readLists } from './list-filters.ts'

/** Lists the members of a list: those that a search for membership finds. The list is read first, in a round trip of its own. */
export async function listMembers(ctx: Ctx, id: string, query: MembersQuery): Promise<Plan<Page<unknown>>> {
  const known = await readLists(ctx, [id], MAX_LIST_DEPTH + 1)
  const list = known.find((one) => one.id === id)
  if (!list) throw new AppError('NOT_FOUND', 'No such list in this workspace')
  const { object } = list
  const issues = [...faultsOfSort(list, query), ...faultsOfFields(list, query)]
  if (issues.length > 0) throw invalid(issues)
  const filter = await withDays(ctx, object, membersOf(list, known))
  const body = { ...query, filter: membership(id) }
  const { statements, result } = searchIn(SEARCHED[object], object, body, { ready: filter, name: `members ${id}`, counts: true })
  return plan([...needsScopes([object]), ...statements], result)
}

function faultsOfSort({ object }: StoredList, { sort }: MembersQuery): Issue[] {
  const names: readonly string[] = SORTS[object]
  if (names.includes(sort.replace('-', '')) || isTimeSort(sort.replace('-', '')) || CUSTOM_SORT.test(sort)) return []
  return [
    {
      path: 'sort',
      message:
        `This is a list of ${object}: sort by ${[...names, ...Object.keys(TIME_SORTS)].join(', ')}, ` +
        'or metadata.<key> of a custom field',
    },
  ]
}

function faultsOfFields({ object }: StoredList, { fields = [] }: MembersQuery): Issue[] {
  const known = Object.keys(MEMBERS[object].entries)
  return fields.filter((name) => !known.includes(name)).map((name) => ({ path: 'fields', message: `${object} have no field ${name}` }))
}

const column = (object: string, name: string) => sql`case when l.object = ${object} then ${sql.raw(name)} end`

/** What happened to each id that was sent. */
type Outcome = { id: string; index: number; object: StoredList['object']; changed: boolean; present: boolean }

/** Adds up to 100 records to a static list. */
export function addMembers(ctx: Ctx, id: string, ids: string[]): Plan<Bulk<{ id: string; added: true }>> {
  const rowIds = ids.map(() => newId())
  const sent = sentAs(ids, rowIds)
  const insert = sql`insert into list_members (id, list_id, contact_id, customer_id, opportunity_id)
    select r.row_id, l.id, ${column('contacts', 'r.id')}, ${column('companies', 'r.id')}, ${column('opportunities', 'r.id')}
    from lists l, ${sent} where l.id = ${id} and ${isRecord} order by r.id, r.n on conflict do nothing`
  const outcome = sql`exists (select from list_members m where m.id = r.row_id)`
  const full = sql`(select count(*)
    from (select from list_members where list_id = ${id} limit ${MAX_MEMBERS + 1}::int) m) <= ${MAX_MEMBERS}::int`
  return plan(
    [...changing(ctx, id), insert, assertField(full, 'ids', `A static list has at most ${MAX_MEMBERS} members`)],
    mapResult(outcomes(id, sent, outcome), (found) => bulkOf(found, 'Already in the list', ({ id }) => ({ id, added: true as const }))),
  )
}

/** Removes up to 100 records from a static list. */
export function removeMembers(ctx: Ctx, id: string, ids: string[]): Plan<Bulk<{ id: string; removed: true }>> {
  const remove = call('remove_list_members', id, `{${ids.join(',')}}`)
  const outcome = sql`r.id = any((select ${handedText('removed_members')})::uuid[])`
  return plan(
    [...changing(ctx, id), remove],
    mapResult(outcomes(id, sentAs(ids, ids), outcome), (found) =>
      bulkOf(found, 'Not in the list', ({ id }) => ({ id, removed: true as const })),
    ),
  )
}

/** The guards of a change of members: the caller may read the list's records, and the list is static. */
const changing = (ctx: Ctx, id: string) => [
  lockForUpdate(ctx, lists, id, 'list'),
  sql`select assert_scopes(array(select object || ':read' from lists where id = ${id}))`,
  assert(
    sql`(select kind = 'static' from lists where id = ${id})`,
    'INVALID_STATE',
    'A live list has the records that its filter matches: change its filter instead',
    { state: 'live', allowed: ['static'] },
  ),
]

/** The ids `r.id` with the ids of their new rows. */
const sentAs = (ids: string[], rowIds: string[]) =>
  sql`unnest(${`{${ids.join(',')}}`}::uuid[], ${`{${rowIds.join(',')}}`}::uuid[]) with ordinality r(id, row_id, n)`

const isRecord = sql`case l.object when 'contacts' then exists (select from contacts where id = r.id)
  when 'companies' then exists (select from companies where id = r.id) else exists (select from opportunities where id = r.id) end`

const outcomes = (id: string, sent: ReturnType<typeof sql>, changed: ReturnType<typeof sql>): Query<Outcome[]> =>
  plainRows(sql`select r.id, r.n - 1, l.object, ${changed}, ${isRecord} from lists l, ${sent} where l.id = ${id} order by r.n`, [
    'id',
    'index',
    'object',
    'changed',
    'present',
  ])

function bulkOf<Item>(found: Outcome[], otherwise: string, item: (outcome: Outcome) => Item): Bulk<Item> {
  const bulk: Bulk<Item> = { results: [], skipped: [], errors: [] }
  const seen = new Set<string>()
  for (const outcome of found) {
    const { id, index, object, changed, present } = outcome
    if (seen.has(id)) bulk.skipped.push({ index, id, reason: 'Duplicate id in request' })
    else if (changed) bulk.results.push(item(outcome))
    else if (present) bulk.skipped.push({ index, id, reason: otherwise })
    else bulk.errors.push(failure(index, new AppError('NOT_FOUND', `No such ${entityOf(object)} in this workspace`), id))
    seen.add(id)
  }
  return bulk
}
