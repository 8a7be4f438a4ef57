import { and, eq, getTableColumns, isNotNull, type SQL, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { messageMedia } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { read } from '../../../data/plan.ts'
import { mapResult, oneOrThrow } from '../../../data/query.ts'
import { FILE_FOLDER, MEDIA_FOLDER } from '../../../domain/file-names.ts'
import { linkTo } from '../../files/plans/links.ts'
import type { Media } from '../schemas/message-media.ts'

/** The files of a message, as a column of its row. `link`: the column of message_media that names it. */
export const mediaOf = (link: Link, message: SQL) =>
  sql<
    v.InferOutput<typeof Media>
  >`(select coalesce(json_agg(json_build_object('id', f.id, 'name', f.name, 'mimeType', f.content_type, 'size', f.size,
    'status', f.status, 'error', f.error) order by f.rank, f.id), '[]') from message_media f
      where f.${sql.identifier(link)} = ${message})`.as('media')

type Link = 'sms_message_id' | 'whatsapp_message_id'
const ALLOWED = ['stored', 'attached']

/** A link to a file of a message. @throws NOT_FOUND, INVALID_STATE for one that is not stored. */
export function getMedia(ctx: Ctx, link: Link, id: string) {
  const { workspace_id, name, content_type, size, status, source_id } = getTableColumns(messageMedia)
  const found = db
    .select({ workspace_id, id: messageMedia.id, name, mimeType: content_type, size, status, source_id })
    .from(messageMedia)
    .where(and(eq(messageMedia.id, id), isNotNull(messageMedia[link])))
  return read(
    mapResult(oneOrThrow(found, 'media', id), ({ workspace_id: workspace, status: is, source_id: source, ...row }) => {
      const state = is === 'attached' && source === null ? 'deleted' : is
      const place = source === null ? { folder: MEDIA_FOLDER, id: row.id } : { folder: FILE_FOLDER, id: source }
      return { ...row, ...linkTo(ctx, { ...place, workspace_id: workspace, name: row.name ?? row.id, state }, ALLOWED) }
    }),
  )
}
