import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { PUBLIC_FOLDER } from '../../../domain/file-names.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { UNUSED_DAYS } from '../rules/public-images.ts'

/** Where the sweep's position in the list of objects is stored. */
const CURSOR_KEY = 'sweeps/public-images'
const MOST_EXPIRED = 500
/** The most images that are in memory at a time. */
const REMOVED_TOGETHER = 25
const PAGE_SIZE = 1000
/** The most pages of objects per run. The next run continues from there. */
const MAX_PAGES = 100
/** An object younger than this, in milliseconds, may belong to an upload that is under way. */
const MIN_AGE_MS = 3_600_000

/** Deletes images of visitors that nothing has referred to for days, then the objects that have no row. */
export async function sweepPublicImages(env: Env): Promise<void> {
  const [expired] = (await batch(jobsDatabaseOf(env), [call('expire_public_images', UNUSED_DAYS, MOST_EXPIRED)])) as [string[]]
  await remove(
    env,
    expired.map((name) => PUBLIC_FOLDER + name),
  )
  let cursor = await (await env.FILES.get(CURSOR_KEY))?.text()
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await env.FILES.list({ prefix: PUBLIC_FOLDER, limit: PAGE_SIZE, ...(cursor && { cursor }) })
    await removeUnknown(env, page.objects)
    cursor = page.truncated ? page.cursor : undefined
    if (!cursor) break
  }
  await (cursor ? env.FILES.put(CURSOR_KEY, cursor) : env.FILES.delete(CURSOR_KEY))
}

async function removeUnknown(env: Env, objects: R2Object[]): Promise<void> {
  const old = objects.filter(({ uploaded }) => uploaded.getTime() < Date.now() - MIN_AGE_MS)
  if (old.length === 0) return
  const unknown = await unknownAmong(
    env,
    old.map(({ key }) => key),
  )
  await remove(env, unknown)
}

const digestOf = (key: string) => key.slice(PUBLIC_FOLDER.length).replace(/\.\w+$/, '')

/** The keys of those images that have no row. */
async function unknownAmong(env: Env, keys: string[]): Promise<string[]> {
  const [unknown] = (await batch(jobsDatabaseOf(env), [call('unknown_public_images', `{${keys.map(digestOf).join(',')}}`)])) as [string[]]
  const gone = new Set(unknown)
  return keys.filter((key) => gone.has(digestOf(key)))
}

/**
 * Deletes images that have no row. One that a visitor uploads at the same moment has a row afterwards, and is put back: its object may have
 * been stored before the deletion. A row that comes later has an object that comes later.
 */
async function remove(env: Env, keys: string[]): Promise<void> {
  for (let at = 0; at < keys.length; at += REMOVED_TOGETHER) {
    const some = keys.slice(at, at + REMOVED_TOGETHER)
    const contents = await Promise.all(some.map(async (key) => (await env.FILES.get(key))?.arrayBuffer()))
    await env.FILES.delete(some)
    const unknown = new Set(await unknownAmong(env, some))
    for (const [n, key] of some.entries()) {
      const content = contents[n]
      if (content && !unknown.has(key)) await env.FILES.put(key, content)
    }
  }
}
