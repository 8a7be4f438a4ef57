import { type SQL, sql } from 'drizzle-orm'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { EMAIL_FOLDER, FILE_FOLDER, IMPORT_FOLDER, MEDIA_FOLDER, STORED_FOLDER } from '../../../domain/file-names.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'

type Row = { workspace_id: string; id: string; state: 'stored' | 'missing' | 'deleted' }

const PAGE_SIZE = 1000
/** The most pages of PAGE_SIZE rows per run. The next run continues from there. */
const MAX_PAGES = 100
const NIL = '00000000-0000-0000-0000-000000000000'
const START: Row = { workspace_id: NIL, id: NIL, state: 'stored' }

/**
 * A folder, the function that returns its rows in order of their keys, where the sweep's position is stored, and whether a row records
 * that its object is missing.
 */
type Store = { folder: string; rowsAfter: SQL; cursorKey: string; tracksLoss: boolean }
const STORES: Store[] = [
  { folder: FILE_FOLDER, rowsAfter: sql`files_after`, cursorKey: 'sweeps/attachments', tracksLoss: true },
  { folder: STORED_FOLDER, rowsAfter: sql`stored_files_after`, cursorKey: 'sweeps/files', tracksLoss: true },
  { folder: EMAIL_FOLDER, rowsAfter: sql`email_files_after`, cursorKey: 'sweeps/emails', tracksLoss: false },
  { folder: MEDIA_FOLDER, rowsAfter: sql`media_files_after`, cursorKey: 'sweeps/media', tracksLoss: false },
  { folder: IMPORT_FOLDER, rowsAfter: sql`imports_after`, cursorKey: 'sweeps/imports', tracksLoss: false },
]

/** An object younger than this, in milliseconds, may belong to an upload whose row is not written yet. */
const MIN_AGE_MS = 3_600_000

/**
 * Reconciles rows and objects, both read in order of their keys: an object without a row is deleted, and a row without an object becomes
 * `missing`. Rows are read first, because a row is only written after its object.
 */
export async function sweepFiles(env: Env): Promise<void> {
  for (const store of STORES) await sweepStore(env, store)
}

async function sweepStore(env: Env, store: Store): Promise<void> {
  const place = await env.FILES.get(store.cursorKey)
  let after: Row | undefined = place ? await place.json<Row>() : START
  for (let pages = 0; pages < MAX_PAGES && after; pages++) after = await sweepPage(env, store, after)
  await (after ? env.FILES.put(store.cursorKey, JSON.stringify(after)) : env.FILES.delete(store.cursorKey))
}

/** Reconciles the rows after `after` with the objects up to the last of them, or to the end. Returns where it stopped. */
async function sweepPage(env: Env, { folder, rowsAfter, tracksLoss }: Store, after: Row): Promise<Row | undefined> {
  const keyOf = ({ workspace_id, id }: Row) => `${folder}${workspace_id}/${id}`
  const [rows] = (await batch(jobsDatabaseOf(env), [
    sql`select coalesce(json_agg(f), '[]') from ${rowsAfter}(${after.workspace_id}::uuid, ${after.id}::uuid, ${PAGE_SIZE}) f`,
  ])) as [Row[]]
  const last = rows.length === PAGE_SIZE ? rows.at(-1) : undefined
  const objects = await objectsBetween(env, folder, keyOf(after), last && keyOf(last))
  const rowKeys = new Set(rows.map(keyOf))
  const old = Date.now() - MIN_AGE_MS
  const orphans = [...objects].filter((key) => !rowKeys.has(key) && timeOf(key) < old)
  for (let at = 0; at < orphans.length; at += PAGE_SIZE) await env.FILES.delete(orphans.slice(at, at + PAGE_SIZE))
  if (tracksLoss)
    await syncStates(
      env,
      keyOf,
      rows.filter((row) => row.state === 'stored' && !objects.has(keyOf(row))),
      rows.filter((row) => row.state === 'missing' && objects.has(keyOf(row))),
    )
  return last
}

/** The creation time of the UUID v7 at the end of the key. */
const timeOf = (key: string) => Number.parseInt(key.slice(-36).replaceAll('-', '').slice(0, 12), 16)

async function objectsBetween(env: Env, prefix: string, first: string, last: string | undefined): Promise<Set<string>> {
  const keys = new Set<string>()
  for (let cursor: string | undefined, more = true; more; ) {
    const page = await env.FILES.list({ prefix, limit: PAGE_SIZE, ...(cursor ? { cursor } : { startAfter: first }) })
    for (const { key } of page.objects) if (!last || key <= last) keys.add(key)
    const end = page.objects.at(-1)
    more = page.truncated && (!last || !end || end.key < last)
    cursor = page.truncated ? page.cursor : undefined
  }
  return keys
}

/** Kept small, because each row becomes a change in the history. */
const SYNC_BATCH = 100

async function syncStates(env: Env, keyOf: (row: Row) => string, missing: Row[], stored: Row[]): Promise<void> {
  if (missing.length > 0)
    console.error(
      JSON.stringify({
        level: 'error',
        message: 'files without an object',
        keys: missing.map(keyOf),
      }),
    )
  const changed = [...missing.map((row) => ({ ...row, state: 'missing' })), ...stored.map((row) => ({ ...row, state: 'stored' }))]
  for (let at = 0; at < changed.length; at += SYNC_BATCH)
    await batch(jobsDatabaseOf(env), [call('sync_file_states', JSON.stringify(changed.slice(at, at + SYNC_BATCH)))])
}
