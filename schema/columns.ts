import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm'
import { type AnyPgColumn, customType, foreignKey, index, integer, type PgTable, text, uuid } from 'drizzle-orm/pg-core'
import { isoInstant, withInstants } from '../src/lib/instants.ts'

/** timestamptz with millisecond precision; in TypeScript an ISO 8601 string in UTC, `2026-11-20T08:31:06.405Z`. */
export const instant = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp(3) with time zone',
  fromDriver: isoInstant,
})

/** JSON in which timestamps have the same form as elsewhere. */
export const recorded = <Data>() =>
  customType<{ data: Data; driverData: unknown }>({
    dataType: () => 'jsonb',
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (value) => withInstants(value) as Data,
  })

/** A calendar date, `YYYY-MM-DD`. */
export const day = customType<{ data: string; driverData: string }>({ dataType: () => 'date' })

/** The id of a transaction, which is never used again. */
export const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' })

/** Which transactions had ended at a moment: see src/lib/snapshots.ts. */
export const snapshot = customType<{ data: string }>({ dataType: () => 'pg_snapshot' })

/** Money with two decimals. PostgreSQL computes with it exactly; JSON numbers only transport it. */
export const money = customType<{ data: number; driverData: string | number }>({
  dataType: () => 'numeric(14, 2)',
  toDriver: (value) => String(value),
  fromDriver: Number,
})

/** 0 to 100 with two decimals. */
export const percent = customType<{ data: number; driverData: string | number }>({
  dataType: () => 'numeric(5, 2)',
  toDriver: (value) => String(value),
  fromDriver: Number,
})

/** A quantity, possibly fractional. */
export const amount = customType<{ data: number; driverData: string | number }>({
  dataType: () => 'numeric(14, 4)',
  toDriver: (value) => String(value),
  fromDriver: Number,
})

export const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** Text in code point order, so that a prefix is a range. */
export const normalised = customType<{ data: string; driverData: string }>({ dataType: () => 'text collate "C"' })

const and = (condition: SQL | undefined) => (condition ? sql` and ${condition}` : sql``)
type Private = Record<'workspace_id' | 'private_to', AnyPgColumn>
/**
 * Two indexes of a table with private_to, in one order: of what the whole team sees, and of what is in the mailbox of one member.
 * They lead past what is private to others (see visibleSets in src/data/lists.ts). Their names replace the % of this one; `what` is
 * the condition for what can be private.
 */
export const visibleIndexes = (name: string, t: Private, order: [AnyPgColumn, ...(AnyPgColumn | SQL)[]], what?: SQL) => [
  index(name.replace('%', 'of_team'))
    .on(t.workspace_id, ...order)
    .where(sql`private_to is null${and(what)}`),
  index(name.replace('%', 'own'))
    .on(t.workspace_id, t.private_to, ...order)
    .where(sql`private_to is not null${and(what)}`),
]

/** The columns of every tenant table. The session determines the workspace; no statement names it. */
export const tenant = {
  workspace_id: uuid().notNull().default(sql`current_workspace()`),
}

export const identity = {
  ...tenant,
  id: uuid().notNull().default(sql`uuidv7()`),
}

/** `version` counts changes and is the ETag; the `touch` trigger maintains both columns. */
export const timestamps = {
  version: integer().notNull().default(1),
  created_at: instant().notNull().default(sql`now()`),
  updated_at: instant().notNull().default(sql`now()`),
}

/**
 * When the background does something about a row next, null when there is nothing to do, and who is at it
 * (schema/functions/work.sql). A change that sets no due_at raises `turn`.
 */
export const work = {
  due_at: instant(),
  turn: integer().notNull().default(0),
  claim_id: uuid(),
  claimed_until: instant(),
  attempts: integer().notNull().default(0),
}

type DueColumns = Record<'workspace_id' | 'due_at', AnyPgColumn>
/** The indexes by which the tick finds workspaces with rows that are due, and a worker those of a workspace. */
export const dueIndexes = (table: string, t: DueColumns, key: AnyPgColumn) => [
  index(`${table}_due`).on(t.due_at, t.workspace_id).where(sql`due_at is not null`),
  index(`${table}_due_of`).on(t.workspace_id, t.due_at, key).where(sql`due_at is not null`),
]

/** A tag of a record; `color` is null when neither the record nor the palette has one. */
export type Tag = { name: string; color: string | null }

export const addressParts = {
  address_line1: text(),
  address_line2: text(),
  city: text(),
  state: text(),
  postal_code: text(),
}

/**
 * The index for `search` in lists (candidate_rows). The workspace is text, so that no other index matches the condition. The leading
 * space makes the beginning of the text the beginning of a word. New rows wait in a pending list of limited size in kB, which each search
 * reads.
 */
export const byWords = (table: string) =>
  index(`${table}_by_words`)
    .using('gin', sql`(workspace_id::text)`, sql`(' ' || search_text) gin_trgm_ops`)
    .with({ gin_pending_list_limit: 1024 })

/**
 * A reference within the workspace, for the extra configuration of a table. `npm run generate` writes it as `tenant_reference`, whose
 * "set null" clears only this column. Tables up to migration 0020 have theirs in the migrations alone.
 */
export function reference(column: AnyPgColumn, parent: PgTable, onDelete: 'no action' | 'cascade' | 'set null' = 'no action') {
  const columnOf = (table: PgTable, name: string) => getTableColumns(table)[name] as AnyPgColumn
  const key = getTableName(parent) === 'memberships' ? 'user_id' : 'id'
  return foreignKey({
    name: `${getTableName(column.table)}.${column.name}`,
    columns: [columnOf(column.table, 'workspace_id'), column],
    foreignColumns: [columnOf(parent, 'workspace_id'), columnOf(parent, key)],
  }).onDelete(onDelete)
}
