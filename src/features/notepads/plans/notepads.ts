import { eq, type SQL, sql } from 'drizzle-orm'
import { memberships, notepads, roles } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { membersReferTo } from '../../../data/bulk.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { listFilters, sortKeys } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import type { Page } from '../../../data/paged.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { assertField, constant, oneOrThrow } from '../../../data/query.ts'
import { assertExists, assertFewDependants, assertSent, columnsFor, insertRow, lockForUpdate, updateRows } from '../../../data/store.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { accessColumns, accessFaults, MAX_RESTRICTED, type Visibility } from '../rules/notepads.ts'
import { type NewNotepad, NOTEPAD_SORTS, Notepad, NotepadDetails, type NotepadPatch, notepadFilters } from '../schemas/notepads.ts'

export const WHAT = 'notepad'
const columns = columnsFor(notepads, Notepad)
const details = columnsFor(notepads, NotepadDetails)
const REFERENCES = [membersReferTo('access', 'user_id', memberships, 'user_id'), rolesOf()]

/** Roles are named by their key, which is no id. */
function rolesOf() {
  const known = sql`(select true from ${roles} t where t.role_key = e ->> 'role' limit 1) is true`
  const paths = sql`array(select concat('access.', n - 1, '.role')
    from jsonb_array_elements(coalesce(p.patch -> 'access', '[]')) with ordinality as list(e, n)
    where e ->> 'role' is not null and not (${known}))`
  return { field: 'access.role', condition: sql`cardinality(${paths}) = 0`, paths, message: 'must be the key of a role of this workspace' }
}

const recordOf = (id: string) => oneOrThrow(db.select(details).from(notepads).where(eq(notepads.id, id)), WHAT, id)
/** A notepad without its content. */
export const summaryOf = (id: string) => oneOrThrow(db.select(columns).from(notepads).where(eq(notepads.id, id)), WHAT, id)

export const getNotepad = (id: string): Plan<NotepadDetails> => read(recordOf(id))

/** Locks a notepad that the caller may change. */
export const lockNotepad = (ctx: Ctx, id: string): Statement[] => [
  lockForUpdate(ctx, notepads, id, WHAT),
  call('assert_notepad_writer', id),
]

const hasRoom = (visibility: Visibility | undefined, id: string): Statement | undefined =>
  visibility === 'restricted' ? call('assert_restricted_room', id, MAX_RESTRICTED) : undefined

export function createNotepad(_ctx: Ctx, input: NewNotepad): Plan<NotepadDetails> {
  const { visibility = 'workspace', access, ...others } = input
  const faults = accessFaults({ visibility, access })
  if (faults.length > 0) throw invalid(faults)
  const row = { ...others, ...accessColumns({ visibility, access }), id: newId() }
  return plan(
    [
      visibility !== 'workspace' && call('assert_notepad_person'),
      hasRoom(visibility, row.id),
      assertSent(notepads, row, REFERENCES),
      insertRow(notepads, row),
    ],
    recordOf(row.id),
  )
}

/** Changes a notepad, but not its content. Whoever changes who sees it is its owner from then on. */
export function updateNotepad(ctx: Ctx, id: string, { visibility, access, ...others }: NotepadPatch): Plan<NotepadDetails> {
  const faults = accessFaults({ visibility, access })
  if (faults.length > 0) throw invalid(faults)
  const sent = accessColumns({ visibility, access })
  const list = sent.access && sql`${JSON.stringify(sent.access)}::jsonb`
  const isSeen = visibility !== undefined || list !== undefined
  const patch = { ...others, ...sent, ...(isSeen && { owner_id: ownerAfter(visibility, list) }) }
  return plan(
    [
      lockForUpdate(ctx, notepads, id, WHAT),
      call('assert_notepad_writer', id, visibility ?? null, list ?? null),
      hasRoom(visibility, id),
      visibility === undefined && access && assertFits(id, access.length > 0),
      assertSent(notepads, { ...others, ...sent, id }, REFERENCES),
      updateRows(notepads, patch, eq(notepads.id, id), { id }),
    ],
    recordOf(id),
  )
}

function ownerAfter(visibility: Visibility | undefined, access: SQL | undefined): SQL {
  const shown = visibility === undefined ? sql`false` : sql`visibility <> ${visibility}`
  const shared = access === undefined ? sql`false` : sql`access <> ${access}`
  return sql`case when ${shown} or ${shared} then current_person() else owner_id end`
}

/** Asserts that an access list that is sent alone fits the visibility that the notepad has. */
const assertFits = (id: string, isShared: boolean): Statement =>
  assertField(
    sql`(select (visibility = 'restricted') = ${sql.raw(String(isShared))} from ${notepads} where ${notepads.id} = ${id})`,
    'access',
    isShared
      ? 'only a restricted notepad has an access list: send the visibility restricted too'
      : 'must name who may read a restricted notepad: a member or a role, or make it private',
  )

export const removeNotepad = (ctx: Ctx, id: string): Plan<{ id: string; deleted: true }> =>
  plan(
    [...lockNotepad(ctx, id), assertFewDependants(notepads, id, 'notepad'), db.delete(notepads).where(eq(notepads.id, id))],
    constant({ id, deleted: true as const }),
  )

/** Only what the caller would see comes back. */
export const restoreGuards = (id: string): Statement[] => [assertExists(notepads, id, WHAT)]

/**
 * The notepads that the caller may see, as the sets of a page, each of which an index has in order: those of the workspace, the caller's
 * own, and those restricted ones that the policy leaves, of which a workspace has few.
 */
const SETS: Record<Visibility, SQL> = {
  workspace: sql`select * from notepads where visibility = 'workspace'`,
  private: sql`select * from notepads where owner_id = (select current_person()) and visibility = 'private'`,
  restricted: sql`select * from notepads where visibility = 'restricted'`,
}

const select = (keys: Keys) => db.select({ ...columns, ...keys }).from(notepads)

export function listNotepads(query: Record<string, unknown>): Plan<Page<Notepad>> {
  const { visibility } = query as { visibility?: Visibility }
  return read(
    page({
      select,
      id: notepads.id,
      ...listFilters(notepads, notepadFilters, query),
      sets: visibility === undefined ? Object.values(SETS) : [SETS[visibility]],
      sorts: sortKeys(notepads, NOTEPAD_SORTS),
      name: 'notepads',
      query: query as PageQuery,
    }),
  )
}
