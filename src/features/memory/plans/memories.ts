import { eq, type SQL, sql } from 'drizzle-orm'
import { memories } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement, writing } from '../../../data/db.ts'
import { listWhere, sortKeys } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import type { Page } from '../../../data/paged.ts'
import { type Plan, plan, read, waking } from '../../../data/plan.ts'
import { Added, assertField, constant, mapResult, oneOrThrow } from '../../../data/query.ts'
import { columnsFor, lockForUpdate, noteAdded, rowExists, updateRows } from '../../../data/store.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { MAX_CONFLICTS } from '../rules/memory.ts'
import { Memory, type MemoryPatch, memoryFilters, type NewMemory } from '../schemas/memory.ts'

const WHAT = 'memory'
const isCurrent = sql<boolean>`(valid_from <= now() and (valid_until is null or valid_until > now()))`
const most = sql.raw(String(MAX_CONFLICTS))
export const columns = columnsFor(memories, Memory, {
  is_current: isCurrent.as('is_current'),
  contradicts: sql<string[]>`contradicting_memories(memories, ${most})`.as('contradicts'),
})
const select = (keys: Keys) => db.select({ ...columns, ...keys }).from(memories)
const memoryOf = (id: string) => oneOrThrow(db.select(columns).from(memories).where(eq(memories.id, id)), WHAT, id)

export const getMemory = (id: string): Plan<Memory> => read(memoryOf(id))

/** Memories by their subject, their source and whether they hold now. */
export function listMemories({ is_current: current, ...query }: Record<string, unknown>): Plan<Page<Memory>> {
  const { is_current: _, ...filters } = memoryFilters
  const held = current === undefined ? [] : [current ? sql`${isCurrent}` : sql`not ${isCurrent}`]
  const where = [...listWhere(memories, filters, query), ...held]
  return read(page({ select, id: memories.id, where, sorts: SORTS, name: 'memory', query: query as PageQuery }))
}
const SORTS = sortKeys(memories, ['created_at', 'updated_at'])

/**
 * Remembers a fact. One that is known already is not added again. Additions about one subject wait for each other, so that of two
 * contradicting ones the later sees the earlier.
 */
export function addMemory(ctx: Ctx, { on_conflict, ...input }: NewMemory): Plan<Added<Memory>> {
  const id = newId()
  const row = rowOf(ctx, id, input)
  const subject = row.contact_id ?? row.customer_id ?? row.opportunity_id
  const same = sql`same_memory(${subject}::uuid, ${row.topic}, ${row.text}, ${row.valid_from}::timestamptz)`
  const statements = [
    call('lock_memories', subject),
    assertField(sql`is_memory_source(${row.source_type}, ${sourceOf(row)})`, 'source_id', NO_SOURCE),
    insertUnless(row, same),
    on_conflict === 'supersede' && call('supersede_memories', id),
    noteAdded(rowExists(memories, id)),
  ]
  const isNew = sql<boolean>`id = ${id}::uuid`.as('is_new')
  // A subselect, so that no plan asks for each memory whether it is the one.
  const known = sql`id = (select coalesce((select m.id from memories m where m.id = ${id}), ${same}))`
  const remembered = oneOrThrow(
    db
      .select({ ...columns, isNew })
      .from(memories)
      .where(known),
    WHAT,
  )
  return waking(
    EMBED,
    plan(
      statements,
      mapResult(remembered, ({ isNew, ...memory }) => new Added(memory, isNew)),
    ),
  )
}
const EMBED = 'memory.embed'
const NO_SOURCE = 'must be the id of such a source in this workspace, and not of one in the mailbox of a member'
const ENDS_LATER = 'must be later than valid_from'
const BEGINS_EARLIER = 'must be earlier than valid_until'
const SUBJECTS = ['contact_id', 'customer_id', 'opportunity_id'] as const

/** @throws VALIDATION_ERROR for several subjects, a source without an id, and a validity that ends before it begins */
function rowOf({ now }: Ctx, id: string, input: Omit<NewMemory, 'on_conflict'>) {
  const { contact_id = null, customer_id = null, opportunity_id = null, topic = null, source_id = null, valid_until = null } = input
  const { text, source_type = 'member', valid_from = now.toISOString() } = input
  const [, second] = SUBJECTS.filter((name) => input[name] != null)
  if (second) throw invalid([{ path: second, message: 'cannot be sent with another subject: a memory is about one record' }])
  if (source_id === null && source_type !== 'member') throw invalid([{ path: 'source_id', message: `is required for a ${source_type}` }])
  if (valid_until !== null && valid_until <= valid_from) throw invalid([{ path: 'valid_until', message: ENDS_LATER }])
  return { id, contact_id, customer_id, opportunity_id, text, topic, source_type, source_id, valid_from, valid_until }
}
type Row = ReturnType<typeof rowOf>

const sourceOf = ({ source_id }: Row): SQL => (source_id === null ? sql`current_user_id()` : sql`${source_id}::uuid`)

function insertUnless(row: Row, same: SQL): Statement {
  const { id, contact_id, customer_id, opportunity_id, text, topic, source_type, valid_from, valid_until } = row
  return writing(
    memories,
    [row],
    sql`insert into memories (id, contact_id, customer_id, opportunity_id, text, topic, source_type, source_id, valid_from, valid_until)
      select ${id}::uuid, ${contact_id}::uuid, ${customer_id}::uuid, ${opportunity_id}::uuid, ${text}, ${topic},
        ${source_type}, ${sourceOf(row)},
        ${valid_from}::timestamptz, ${valid_until}::timestamptz where ${same} is null`,
  )
}

/** Corrects a memory. It supersedes nothing; what it contradicts then is shown. */
export function updateMemory(ctx: Ctx, id: string, patch: MemoryPatch): Plan<Memory> {
  const { valid_from, valid_until } = patch
  const from = valid_from === undefined ? sql`m.valid_from` : sql`${valid_from}::timestamptz`
  const until = valid_until === undefined ? sql`m.valid_until` : sql`${valid_until}::timestamptz`
  const isValid = sql`(select coalesce(${until}, 'infinity') > ${from} from memories m where m.id = ${id})`
  const changed = { ...patch, ...(valid_until !== undefined && { superseded_by_id: null }) }
  return waking(
    EMBED,
    plan(
      [
        lockForUpdate(ctx, memories, id, WHAT),
        (valid_from ?? valid_until) !== undefined &&
          (valid_until == null ? assertField(isValid, 'valid_from', BEGINS_EARLIER) : assertField(isValid, 'valid_until', ENDS_LATER)),
        updateRows(memories, changed, eq(memories.id, id), { id }),
      ],
      memoryOf(id),
    ),
  )
}

/** Deletes a memory for good. */
export const forgetMemory = (ctx: Ctx, id: string): Plan<{ id: string; deleted: true }> =>
  plan([lockForUpdate(ctx, memories, id, WHAT), call('forget_memory', id)], constant({ id, deleted: true as const }))
