import { eq, sql } from 'drizzle-orm'
import { crmSettings, files } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { db, type Statement } from '../../data/db.ts'
import { type Plan, plan, read } from '../../data/plan.ts'
import { mapResult, oneOrThrow } from '../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate } from '../../data/store.ts'
import { cleanName, keyOfStored } from '../../domain/file-names.ts'
import { extensionOf, FILE_TYPES, type FileType } from '../../domain/file-types.ts'
import type { FileKind } from '../../domain/files.ts'
import { AppError } from '../../errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Readable, Received } from '../../providers/files/port.ts'
import { type FilePatch, StoredFile } from '../../schemas/files.ts'
import { assertPicture, rewritePicture } from './images.ts'
import { inspectorOf } from './judge.ts'
import { assertReserved, release, reserve, whileReserved } from './storage.ts'

/** The address of an image, from the setting that setFilesUrl makes. */
export const fileUrl = sql<string | null>`case when type = 'image' then current_setting('app.files_url', true) || '/' || id end`.as('url')
export const setFilesUrl = async ({ deployment }: Ctx): Promise<Statement> =>
  sql`select set_config('app.files_url', ${`${deployment.apiUrl}/images`}, true)`

const columns = columnsFor(files, StoredFile, { url: fileUrl })
const WHAT = 'file'
const recordOf = (id: string) => oneOrThrow(db.select(columns).from(files).where(eq(files.id, id)), WHAT, id)

type Judged = { type: FileType; width: number | null; height: number | null }

async function judged(type: FileType, file: Readable): Promise<Judged> {
  const kind = kindOf(file)
  if (kind === 'document' && type !== 'pdf')
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'A document is a PDF: send other files with the type secure', { allowed: ['pdf'] })
  if (kind !== 'image') return { type, width: null, height: null }
  return { type, ...(await assertPicture(type, file)) }
}

const kindOf = ({ fields }: Pick<Received, 'fields'>) => (fields.type ?? 'secure') as FileKind

/** As the upload of an attachment: the right first, then the object, then the row. An image is written anew before it is public. */
export async function uploadFile(ctx: Ctx): Promise<Plan<StoredFile>> {
  ctx.files.expect()
  const id = newId()
  const owner = db
    .select({ workspace_id: crmSettings.workspace_id, free: reserve(ctx, id).as('free') })
    .from(crmSettings)
    .where(eq(crmSettings.workspace_id, sql`current_workspace()`))
  const { workspace_id, free } = await ctx.read(oneOrThrow(owner, 'workspace'))
  assertReserved(free)
  const key = keyOfStored(workspace_id, id)
  const row = await whileReserved(ctx, id, async () => {
    const isWhole = true
    const { judged: found, ...file } = await ctx.files.receive(key, inspectorOf(isWhole, judged))
    const { size, sha256 } = kindOf(file) === 'image' ? await rewritePicture(ctx, key, file, found.type) : file
    const { type, ...dimensions } = found
    return { id, type: kindOf(file), name: cleanName(file.name, type), content_type: FILE_TYPES[type], size, sha256, ...dimensions }
  })
  return plan([await setFilesUrl(ctx), insertRow(files, row), release(id)], recordOf(id))
}

/** Renames a file. It keeps its extension, which follows from its type. */
export async function updateFile(ctx: Ctx, id: string, { name }: FilePatch): Promise<Plan<StoredFile>> {
  const clean = name === undefined ? undefined : cleanStem(name)
  const extension = sql`'.' || substring(name from '[^.]+$')`
  const rename =
    clean !== undefined &&
    sql`update files set name = case when right(lower(${clean}), length(${extension})) = lower(${extension}) then ${clean}::text
      else ${clean}::text || ${extension} end where id = ${id}`
  return plan([await setFilesUrl(ctx), lockForUpdate(ctx, files, id, WHAT), rename], recordOf(id))
}

/** A clean name with the extension that was sent, if there is one. */
function cleanStem(name: string): string {
  const clean = cleanName(name, 'txt')
  return extensionOf(name) === 'txt' ? clean : clean.slice(0, -'.txt'.length)
}

/** A download URL that works for a minute. */
export function linkToFile(ctx: Ctx, id: string) {
  const { workspace_id, name, state } = files
  const found = db.select({ workspace_id, name, state }).from(files).where(eq(files.id, id))
  return read(mapResult(oneOrThrow(found, WHAT, id), (file) => linkOf(ctx, id, file)))
}

/** @throws INVALID_STATE for a file that was lost. */
export function linkOf(ctx: Ctx, id: string, { workspace_id, name, state }: { workspace_id: string; name: string; state: string }) {
  if (state === 'missing')
    throw new AppError('INVALID_STATE', 'The file was lost in storage: upload it again', { state, allowed: ['stored'] })
  return ctx.files.link(keyOfStored(workspace_id, id), name, ctx.now)
}
