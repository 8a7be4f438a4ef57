import { type SQL, sql } from 'drizzle-orm'
import { batch } from '../src/data/batch.ts'
import { FILE_FOLDER, IMPORT_FOLDER, keyOfFile } from '../src/domain/file-names.ts'
import { databaseOf, type Env } from '../src/env.ts'

type Row = { workspace_id: string; id: string; state: 'stored' | 'missing' }

const AT_ONCE = 1000
/** The most pages of AT_ONCE rows per run. The next run continues from there. */
const PAGES = 100
const NIL = '00000000-0000-0000-0000-000000000000'
const BEGINNING: Row = { workspace_id: NIL, id: NIL, state: 'stored' }

/**
 * A folder, the function that returns its rows in order of their keys, where the sweep's position is stored, and whether a row records
 * that its object is missing.
 */
type Store = { folder: string; rowsAfter: SQL; place: string; settles: boolean }
const STORES: Store[] = [
  { folder: FILE_FOLDER, rowsAfter: sql`files_after`, place: 'sweeps/attachments', settles: true },
  { folder: IMPORT_FOLDER, rowsAfter: sql`imports_after`, place: 'sweeps/imports', settles: false },
]

/** An object younger than this, in milliseconds, may belong to an upload whose row is not written yet. */
const YOUNG = 3_600_000

/**
 * Reconciles rows and objects, both read in order of their keys: an object without a row is deleted, and a row without an object becomes
 * `missing`. Rows are read first, because a row is only written after its object.
 */
export async function sweepFiles(env: Env): Promise<void> {
  for (const store of STORES) await sweepStore(env, store)
}

async function sweepStore(env: Env, store: Store): Promise<void> {
  const place = await env.FILES.get(store.place)
  let after: Row | undefined = place ? await place.json<Row>() : BEGINNING
  for (let pages = 0; pages < PAGES && after; pages++) after = await sweepPage(env, store, after)
  await (after ? env.FILES.put(store.place, JSON.stringify(after)) : env.FILES.delete(store.place))
}

/** Reconciles the rows after `after` with the objects up to the last of them, or to the end. Returns where it stopped. */
async function sweepPage(env: Env, { folder, rowsAfter, settles }: Store, after: Row): Promise<Row | undefined> {
  const keyOf = ({ workspace_id, id }: Row) => `${folder}${workspace_id}/${id}`
  const [rows] = (await batch(databaseOf(env), [
    sql`select coalesce(json_agg(f), '[]') from ${rowsAfter}(${after.workspace_id}::uuid, ${after.id}::uuid, ${AT_ONCE}) f`,
  ])) as [Row[]]
  const last = rows.length === AT_ONCE ? rows.at(-1) : undefined
  const objects = await objectsBetween(env, folder, keyOf(after), last && keyOf(last))
  const known = new Set(rows.map(keyOf))
  const old = Date.now() - YOUNG
  const orphans = [...objects].filter((key) => !known.has(key) && timeOf(key) < old)
  for (let at = 0; at < orphans.length; at += AT_ONCE) await env.FILES.delete(orphans.slice(at, at + AT_ONCE))
  if (settles)
    await settle(
      env,
      rows.filter((row) => row.state === 'stored' && !objects.has(keyOf(row))),
      rows.filter((row) => row.state === 'missing' && objects.has(keyOf(row))),
    )
  return last
}

/** The creation time of the UUID v7 at the end of the key. */
const timeOf = (key: string) => Number.parseInt(key.slice(-36).replaceAll('-', '').slice(0, 12), 16)

async function objectsBetween(env: Env, prefix: string, first: string, last: string | undefined): Promise<Set<string>> {
  const found = new Set<string>()
  for (let cursor: string | undefined, more = true; more; ) {
    const page = await env.FILES.list({ prefix, limit: AT_ONCE, ...(cursor ? { cursor } : { startAfter: first }) })
    for (const { key } of page.objects) if (!last || key <= last) found.add(key)
    const end = page.objects.at(-1)
    more = page.truncated && (!last || !end || end.key < last)
    cursor = page.truncated ? page.cursor : undefined
  }
  return found
}

/** Kept small, because each row becomes a change in the history. */
const SETTLED_AT_ONCE = 100

async function settle(env: Env, missing: Row[], stored: Row[]): Promise<void> {
  if (missing.length > 0)
    console.error(
      JSON.stringify({
        level: 'error',
        message: 'files without an object',
        keys: missing.map(({ workspace_id, id }) => keyOfFile(workspace_id, id)),
      }),
    )
  const settled = [...missing.map((row) => ({ ...row, state: 'missing' })), ...stored.map((row) => ({ ...row, state: 'stored' }))]
  for (let at = 0; at < settled.length; at += SETTLED_AT_ONCE)
    await batch(databaseOf(env), [sql`select sync_file_states(${JSON.stringify(settled.slice(at, at + SETTLED_AT_ONCE))}::jsonb)`])
}
