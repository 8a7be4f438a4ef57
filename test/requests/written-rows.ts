import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { expect } from 'vitest'
import { tenantTables } from '../contract/state.ts'

/**
 * What is written to the rows of a database of tests, also by a transaction that is rolled back: a trigger reports it in a notice. What
 * does not repeat, such as an id, a token or a time, is replaced by a word for it.
 */
export type RowWrite = {
  endpoint: string
  /** The request, and the transaction of it. */
  request: string | null
  transaction: string
  table: string
  now: string
  before: Row | null
  after: Row | null
}
type Row = Record<string, unknown>

const PREFIX = 'written: '
const CALLED = 'for each row execute function written.report()'
/** Logs, what triggers keep about other rows, and what is counted. */
const LEFT_OUT = new RegExp(
  `^(${[
    'api_key_uses|changes|changes_.*|outbox_.*|idempotency|requests|requests_.*|timeline_changes|record_times|record_time_checks',
    'record_counts|record_count_deltas|opportunity_(deltas|totals|periods)|search_words|feed_followers',
  ].join('|')})$`,
)
/** Columns that depend on when a row was written, or on how many there were before. */
const VARYING = new RegExp(
  `^(${[
    'id|workspace_id|created_at|updated_at|search_.*|.*_xid|xid|.*_norm|version|duration_ms|content_length|since|until|key_hash',
    'lexemes|seconds_in_stage|log',
  ].join('|')})$`,
)
/** What is compared of an event; its payload is that of its record. */
const EVENT = ['type', 'entity', 'needs_delivery', 'cause_type']
/** Copies of rows in other rows, and what work that goes on changes at any time. */
const OMITTED: Record<string, string[]> = {
  deleted_rows: ['before'],
  merge_entries: ['before', 'after'],
  transcripts: ['error', 'turn', 'attempts', 'claim_id', 'claimed_until', 'due_at'],
}

/** The tables whose writes are compared. */
const reportedTables = async (owner: pg.Pool): Promise<string[]> => (await tenantTables(owner)).filter((table) => !LEFT_OUT.test(table))

/** `always`: also without triggers. */
export async function reportWrites(owner: pg.Pool, always = false): Promise<void> {
  const tables = await reportedTables(owner)
  await owner.query(`create schema written; grant usage on schema written to public;
    create function written.report() returns trigger security definer set search_path = public, pg_temp language plpgsql as $$
    declare
      request jsonb := nullif(current_setting('app.request', true), '');
    begin
      raise notice '${PREFIX}%', jsonb_build_object(
        'endpoint', concat(request ->> 'method', ' ', request ->> 'endpoint'),
        'request', current_request_id(), 'transaction', pg_current_xact_id(),
        'table', tg_table_name, 'now', now(),
        'before', case when tg_op <> 'INSERT' then to_jsonb(old) end, 'after', case when tg_op <> 'DELETE' then to_jsonb(new) end);
      return null;
    end $$;
    ${tables.map((table) => `create trigger written after insert or update or delete on ${table} ${CALLED}`).join(';')};
    ${always ? tables.map((table) => `alter table ${table} enable always trigger written`).join(';') : ''}`)
}

/** What a notice reports, if it is one of the trigger. */
export const writeIn = (message: string): RowWrite | undefined =>
  message.startsWith(PREFIX) ? (JSON.parse(message.slice(PREFIX.length)) as RowWrite) : undefined

/** Without what was written by transactions that failed, and that their requests have repeated. */
export function ofLastTransactions(rows: RowWrite[]): RowWrite[] {
  const last = new Map(rows.map(({ request, transaction }) => [request, transaction]))
  return rows.filter(({ request, transaction }) => last.get(request) === transaction)
}

/** Collects what a session writes from now on, until the listeners to its notices are removed. */
export function collectWrites(client: pg.PoolClient): RowWrite[] {
  const found: RowWrite[] = []
  client.on('notice', ({ message = '' }) => {
    const written = writeIn(message)
    if (written) found.push(written)
  })
  return found
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/g
const RECENT_SECONDS = 900
/** Times of samples are whole seconds. */
const SAMPLE = /:\d\d(\.0+)?(Z|[+-]\d\d:\d\d)$/

/** Of what the background works on, the leases and counts that depend on how far it is. */
const LEASES = /(^|_)(claim_id|claimed_until|leased_until)$/
const COUNTS = /(^|_)(turn|attempts)$/

/**
 * Rows as texts, sorted: each has its table, and the columns that an update has changed or a new row has. Beside copies of all rows and
 * work in the background (`isBeside`) it is left to chance which of two equal rows is found, and in which order the entries of a JSON
 * value are: then ids are only ids, and of a JSON value the number of its entries is compared.
 */
export function textsOf(rows: RowWrite[], names: ReadonlyMap<string, string>, isBeside = false): string[] {
  const textOf = (name: string, value: unknown, now: string) => {
    if (!isBeside) return plain(value, now, names)
    if (COUNTS.test(name)) return '#'
    return typeof value === 'object' && value !== null ? `${Object.keys(value).length} entries` : plain(value, now, new Map())
  }
  const texts = rows.flatMap(({ table: stored, now, before, after }) => {
    const table = stored.replace(/^outbox_.*/, 'outbox')
    const row = (after ?? before) as Row
    const name = [row.id, ...(isBeside ? [] : Object.values(row))].map((value) => names.get(value as string)).find(Boolean)
    const written = `${table}${name && before ? ` ${name}` : ''}`
    if (!after) return [`${written} -`]
    const columns = Object.entries(after)
      .filter(
        ([name, value]) =>
          !VARYING.test(name) &&
          !OMITTED[table]?.includes(name) &&
          (table !== 'outbox' || EVENT.includes(name)) &&
          JSON.stringify(value) !== JSON.stringify(before?.[name] ?? null),
      )
      .filter(([name]) => !(isBeside && LEASES.test(name)))
      .map(([name, value]) => `${name}=${textOf(name, value, now)}`)
    return before && columns.length === 0 ? [] : [`${written} ${before ? '~' : '+'} ${columns.join(' ')}`]
  })
  const counts = Map.groupBy(texts, (text) => text)
  return [...counts].map(([text, all]) => (all.length > 1 ? `${all.length} × ${text}` : text)).sort()
}

export function plain(value: unknown, now: string, names: ReadonlyMap<string, string>): string {
  return JSON.stringify(value)
    .replace(TIME, (time) => sinceNow(time, now))
    .replace(/(?<![\w-])(?=[\w+/=-]*\d)(?![0-9a-f]{8}-)[\w+/=-]{20,}/g, 'token')
    .replace(UUID, (id) => names.get(id) ?? '#')
    .replace(/\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d)?(\+00)?)?/g, (_, time) => (time ? 'local time' : 'day'))
    .replace(/[a-z0-9]*(?:[0-9a-f]{8}|\d{6,})[a-z0-9]*/gi, '#')
    .replace(/(?<="(?:\w*xid)":)"\d+"/g, '"#"')
    .replace(/(?<="(?:seed|versionNonce)":)\d+/g, '#')
}

/**
 * A time that the database has computed is a whole number of seconds apart, but for the milliseconds that columns round to. One that is a
 * whole number of seconds itself is that of a sample, unless the transaction has begun at one.
 */
function sinceNow(time: string, now: string): string {
  const microseconds = (text: string) =>
    BigInt(Math.floor(Date.parse(text) / 1000)) * 1_000_000n + BigInt((/\.(\d+)/.exec(text)?.[1] ?? '').padEnd(6, '0'))
  const apart = Number(microseconds(time) - microseconds(now))
  const seconds = Math.round(apart / 1_000_000)
  if (SAMPLE.test(time) && !/\.(000|999)/.test(now) && apart !== 0) return 'time'
  if (Math.abs(apart - seconds * 1_000_000) < 1000) return seconds === 0 ? 'now' : `now${seconds > 0 ? '+' : ''}${seconds}s`
  return Math.abs(seconds) < RECENT_SECONDS ? 'recent' : 'time'
}

/** The names of ids: of several, the first one. */
export const namesOf = (ids: Record<string, string>): Map<string, string> =>
  new Map(
    Object.entries(ids)
      .sort(([a], [b]) => (a < b ? 1 : -1))
      .map(([name, id]) => [id, name]),
  )

const pathOf = (file: string) => join(import.meta.dirname, 'written', file)
/** What is recorded in a file. */
const recordedIn = (file: string): Record<string, string[]> => (existsSync(pathOf(file)) ? parse(readFileSync(pathOf(file), 'utf8')) : {})

/** Compares with what is recorded in a file beside this one; WRITTEN=write records it. */
export function expectWritten(file: string, written: Record<string, string[]>): void {
  if (process.env.WRITTEN === 'write') writeFileSync(pathOf(file), format(written))
  const recorded = recordedIn(file)
  expect(Object.fromEntries(Object.entries(written).map(([name, texts]) => [name, asRecorded(texts, recorded[name] ?? [])]))).toEqual(
    recorded,
  )
}

/** A time that is recorded as unrelated to that of the transaction may be a number of seconds apart by chance. */
const asRecorded = (texts: string[], recorded: string[]) =>
  texts.map((text) => recorded.find((one) => withoutTimes(one) === withoutTimes(text) && hasTimesOf(text, one)) ?? text).sort()
const TIMES = /"(now([+-][\d#]+s?)?|recent|time)"/g
const withoutTimes = (text: string) => text.replace(TIMES, '""')
const timesIn = (text: string) => text.match(TIMES) ?? []
const hasTimesOf = (text: string, recorded: string) =>
  timesIn(recorded).every((time, at) => !time.startsWith('"now') || time === timesIn(text)[at])

const format = (written: Record<string, string[]>) =>
  Object.entries(written)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, texts]) => `${[name, ...texts.map((text) => `  ${text}`)].join('\n')}\n`)
    .join('')

function parse(text: string): Record<string, string[]> {
  const written: Record<string, string[]> = {}
  let last: string[] = []
  for (const line of text.split('\n').filter(Boolean)) {
    if (line.startsWith('  ')) last.push(line.slice(2))
    else written[line] = last = []
  }
  return written
}
