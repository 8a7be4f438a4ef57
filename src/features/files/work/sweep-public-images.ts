import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { PUBLIC_FOLDER } from '../../../domain/file-names.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { UNUSED_DAYS } from '../rules/public-images.ts'

/** Where the sweep's position in the list of objects is stored. */
const CURSOR_KEY = 'sweeps/public-images'
const MOST_EXPIRED = 1000
const PAGE_SIZE = 1000
/** The most pages of objects per run. The next run continues from there. */
const MAX_PAGES = 100
/** An object younger than this, in milliseconds, may belong to an upload that is under way. */
const MIN_AGE_MS = 3_600_000

/** Deletes images of visitors that nothing has referred to for days, then the objects that have no row. */
export async function sweepPublicImages(env: Env): Promise<void> {
  const [expired] = (await batch(jobsDatabaseOf(env), [call('expire_public_images', UNUSED_DAYS, MOST_EXPIRED)])) as [string[]]
  if (expired.length > 0) await env.FILES.delete(expired.map((name) => PUBLIC_FOLDER + name))
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
  const digestOf = ({ key }: R2Object) => key.slice(PUBLIC_FOLDER.length).replace(/\.\w+$/, '')
  const names = `{${old.map(digestOf).join(',')}}`
  const [unknown] = (await batch(jobsDatabaseOf(env), [call('unknown_public_images', names)])) as [string[]]
  const gone = new Set(unknown)
  const keys = old.filter((object) => gone.has(digestOf(object))).map(({ key }) => key)
  if (keys.length > 0) await env.FILES.delete(keys)
}
