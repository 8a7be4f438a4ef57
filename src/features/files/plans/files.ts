import { eq, sql } from 'drizzle-orm'
import { crmSettings, files } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { asText, hand, handedText } from '../../../data/handed.ts'
import { listWhere, sortKeys } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { compiledSelect, constant, mapResult, oneOrThrow, selected, typed } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate } from '../../../data/store.ts'
import { cleanName, keyOfStored } from '../../../domain/file-names.ts'
import { extensionOf, FILE_TYPES, type FileType } from '../../../domain/file-types.ts'
import type { FileKind } from '../../../domain/files.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import type { Readable, Received } from '../../../providers/files/port.ts'
import { type FilePatch, fileFilters, StoredFile } from '../schemas/files.ts'
import { assertPicture, rewritePicture } from './images.ts'
import { inspectorOf } from './judge.ts'
import { fromFile, placeOfFile, setsOfFiles } from './kinds.ts'
import { linkTo, type Place } from './links.ts'
import { assertReserved, release, reserve, whileReserved } from './storage.ts'

/** The address of an image, from what setFilesUrl hands over. */
const fileUrl = sql<string | null>`case when type = 'image' then (select ${handedText('files_url')}) || '/' || id end`.as('url')
export const setFilesUrl = async ({ deployment }: Ctx): Promise<Statement> =>
  hand('files_url', asText(sql`${`${deployment.apiUrl}/images`}`))

/** The fields that are no columns of `files`; fromFile and setsOfFiles have those of what a file belongs to. */
export const fileFields = {
  url: fileUrl,
  record_type: sql<StoredFile['record_type']>`files.record_type`.as('record_type'),
  record_id: sql<string | null>`files.record_id`.as('record_id'),
}
const columns = columnsFor(files, StoredFile, fileFields)
const WHAT = 'file'
const select = (keys: Keys) => db.select({ ...columns, ...keys }).from(files)
const all = compiledSelect(db.select(columns).from(files))
const recordOf = (id: string) => oneOrThrow(typed<StoredFile>({ getSQL: () => fromFile(id, all.head), fields: all.fields }), WHAT, id)

/** Lists files of all kinds that the caller may read: those of the workspace, of records, and of received messages. */
export const listFiles = (query: Record<string, unknown>) =>
  read(
    page<StoredFile>({
      select,
      id: files.id,
      where: listWhere(files, fileFilters, query),
      sets: setsOfFiles(query.type as string | undefined),
      sorts: sortKeys(files, ['created_at', 'updated_at']),
      name: 'files',
      query: query as PageQuery,
    }),
  )

export const getFile = (id: string) => read(recordOf(id))

/** Deletes a file of any kind. @throws CONFLICT for one that is used, with where */
export const deleteFile = (ctx: Ctx, id: string) =>
  plan([call('delete_file', id, ctx.ifMatch ?? null)], constant({ id, deleted: true as const }))

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
  const own = call('assert_unowned_file', id)
  return plan([await setFilesUrl(ctx), own, lockForUpdate(ctx, files, id, WHAT), rename], recordOf(id))
}

/** A clean name with the extension that was sent, if there is one. */
function cleanStem(name: string): string {
  const clean = cleanName(name, 'txt')
  return extensionOf(name) === 'txt' ? clean : clean.slice(0, -'.txt'.length)
}

/** A download URL that works for a minute. */
export function linkToFile(ctx: Ctx, id: string) {
  const found = selected<Place>(placeOfFile(id), ['folder', 'workspace_id', 'id', 'name', 'state'])
  return read(mapResult(oneOrThrow(found, WHAT, id), (place) => linkTo(ctx, place)))
}
