import { eq, sql } from 'drizzle-orm'
import { lists } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db, type Statement, writing } from '../../../data/db.ts'
import { compileFilter } from '../../../data/filters.ts'
import { plan } from '../../../data/plan.ts'
import { assert } from '../../../data/query.ts'
import { columnsFor, lockForUpdate, store, updateRows } from '../../../data/store.ts'
import type { StoredList } from '../../../domain/filters/lists.ts'
import { parseFilter } from '../../../domain/filters/parse.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { needsScopes, withDays } from '../../search/plans/record-search.ts'
import { List, type ListPatch, type NewList } from '../schemas/lists.ts'
import { readLists, withLists } from './list-filters.ts'

const { record } = store(lists, 'list', db.select(columnsFor(lists, List)).from(lists))
const SHARED = '00000000-0000-0000-0000-000000000000'
/** Within which names are unique: the shared lists, or those of the caller. */
const scopeOf = (visibility: string | undefined) => ({ name_scope: visibility === 'shared' ? SHARED : null })

/** Creates a list of the caller. The lists that its filter names are read in a round trip of their own. */
export async function createList(ctx: Ctx, input: NewList) {
  const row = { ...input, filter: input.filter ?? null, search: input.search ?? null, id: newId() }
  const insert = db.insert(lists).values({ ...row, owner_id: sql`current_user_id()` })
  return plan([...(await filterGuards(ctx, row)), writing(lists, [{ ...row, ...scopeOf(row.visibility) }], insert)], record(row.id))
}

/** Changes a list. A new filter is checked against the list as it is stored, which takes a round trip. */
export async function updateList(ctx: Ctx, id: string, patch: ListPatch) {
  const guards = patch.filter === undefined && patch.search === undefined ? [] : await changeGuards(ctx, id, patch)
  const update = updateRows(lists, patch, eq(lists.id, id), { id, ...(patch.visibility && scopeOf(patch.visibility)) })
  return plan([lockForUpdate(ctx, lists, id, 'list'), patch.visibility && assertOwner(id, patch.visibility), ...guards, update], record(id))
}

/** Only who sees the private lists of an owner may decide who sees them. */
const assertOwner = (id: string, visibility: string): Statement =>
  assert(
    sql`(select visibility = ${visibility} or owner_id is not distinct from current_user_id() or sees_private_lists()
      from lists where id = ${id})`,
    'FORBIDDEN',
    'Only the owner of the list, or a key whose owner has the role client_admin, may change its visibility',
  )

async function changeGuards(ctx: Ctx, id: string, { filter, search }: ListPatch): Promise<Statement[]> {
  const [stored] = await readLists(ctx, [id], 1)
  if (!stored) throw new AppError('NOT_FOUND', 'No such list in this workspace')
  const list = {
    ...stored,
    filter: filter === undefined ? stored.filter : filter,
    search: search === undefined ? stored.search : search,
  }
  const isEmpty = list.filter === null && list.search === null
  if (list.kind === 'static' && !isEmpty)
    throw invalid([{ path: filter ? 'filter' : 'search', message: 'A static list has members instead: leave it out' }])
  if (list.kind === 'live' && isEmpty) throw invalid([{ path: 'filter', message: 'A live list needs a filter or search words' }])
  return filterGuards(ctx, list)
}

/** The guards for the filter of a list that is written: the search would accept it from this caller. */
async function filterGuards(ctx: Ctx, list: Omit<StoredList, 'name'> & { name?: string | undefined }): Promise<Statement[]> {
  const { object, kind, filter: sent } = list
  if (kind === 'static' || sent === null) return []
  const { filter, issues } = parseFilter(object, sent)
  if (!filter) throw invalid(issues.map(({ path, message }) => ({ path: `filter${path}`, message })))
  const ready = await withDays(ctx, object, await withLists(ctx, object, filter, { ...list, name: list.name ?? '' }))
  const { reads, guards } = compileFilter(object, ready)
  return [...needsScopes(reads), ...guards]
}
