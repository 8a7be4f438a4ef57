import { sql } from 'drizzle-orm'
import { customType, index, integer, text, uuid } from 'drizzle-orm/pg-core'
import { isoInstant, withInstants } from '../src/lib/instants.ts'

/** timestamptz with millisecond precision; in TypeScript an ISO 8601 string in UTC, `2026-11-20T08:31:06.405Z`. */
export const instant = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp(3) with time zone',
  fromDriver: isoInstant,
})

/** JSON whose strings that are instants come in the same form as instants elsewhere. */
export const recorded = <Data>() =>
  customType<{ data: Data; driverData: unknown }>({
    dataType: () => 'jsonb',
    toDriver: (value) => JSON.stringify(value),
    fromDriver: (value) => withInstants(value) as Data,
  })

/** A calendar date, `YYYY-MM-DD`. */
export const day = customType<{ data: string; driverData: string }>({ dataType: () => 'date' })

/** Money with two decimals. Postgres computes with it exactly; a JSON number only carries it. */
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

/** A number of things, which may be a fraction of one. */
export const amount = customType<{ data: number; driverData: string | number }>({
  dataType: () => 'numeric(14, 4)',
  toDriver: (value) => String(value),
  fromDriver: Number,
})

export const bytes = customType<{ data: Uint8Array }>({ dataType: () => 'bytea' })

/** Text ordered by code point, so that ranges over it mean prefixes. */
export const normalised = customType<{ data: string; driverData: string }>({ dataType: () => 'text collate "C"' })

/** The columns of every tenant table. The workspace is the session's: no statement names it. */
export const tenant = {
  workspace_id: uuid().notNull().default(sql`current_workspace()`),
}

export const identity = {
  ...tenant,
  id: uuid().notNull().default(sql`uuidv7()`),
}

/** `version` counts changes (it is the ETag); both are kept by the `touch` trigger. */
export const timestamps = {
  version: integer().notNull().default(1),
  created_at: instant().notNull().default(sql`now()`),
  updated_at: instant().notNull().default(sql`now()`),
}

export const addressParts = {
  address_line1: text(),
  address_line2: text(),
  city: text(),
  state: text(),
  postal_code: text(),
}

/**
 * The index that `search` in a list asks (candidate_rows). Its workspace is text, so that no other index can be taken for it; the space makes
 * the beginning of a text the beginning of a word. New rows wait in a list of at most so many kB, which each search reads.
 */
export const byWords = (table: string) =>
  index(`${table}_by_words`)
    .using('gin', sql`(workspace_id::text)`, sql`(' ' || search_text) gin_trgm_ops`)
    .with({ gin_pending_list_limit: 1024 })
