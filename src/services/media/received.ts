import { and, eq, getTableColumns, isNotNull, type SQL, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { messageMedia } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { db } from '../../data/db.ts'
import { read } from '../../data/plan.ts'
import { mapResult, oneOrThrow } from '../../data/query.ts'
import { keyOfMedia } from '../../domain/file-names.ts'
import { AppError } from '../../errors.ts'
import type { ReceivedMedia } from '../../schemas/message-media.ts'

/** The files of a message, as a column of its row. `link`: the column of message_media that names it. */
export const mediaOf = (link: 'sms_message_id' | 'whatsapp_message_id', message: SQL) =>
  sql<
    v.InferOutput<typeof ReceivedMedia>
  >`(select coalesce(json_agg(json_build_object('id', f.id, 'name', f.name, 'mimeType', f.content_type, 'size', f.size,
    'status', f.status, 'error', f.error) order by f.rank, f.id), '[]') from message_media f where f.${sql.identifier(link)} = ${message})`.as(
    'media',
  )

/** A link to a file of a message that was received. @throws NOT_FOUND, INVALID_STATE for one that is not stored. */
export function getMedia(ctx: Ctx, link: 'sms_message_id' | 'whatsapp_message_id', id: string) {
  const { workspace_id, name, content_type, size, status } = getTableColumns(messageMedia)
  const found = db
    .select({ workspace_id, id: messageMedia.id, name, mimeType: content_type, size, status })
    .from(messageMedia)
    .where(and(eq(messageMedia.id, id), isNotNull(messageMedia[link])))
  return read(
    mapResult(oneOrThrow(found, 'media', id), ({ workspace_id: workspace, status: is, ...row }) => {
      if (is !== 'stored')
        throw new AppError(
          'INVALID_STATE',
          is === 'failed' ? 'The file could not be fetched from the provider' : 'The file is being fetched: try again soon',
          {
            state: is,
            allowed: ['stored'],
          },
        )
      return { ...row, ...ctx.files.link(keyOfMedia(workspace, row.id), row.name ?? row.id, ctx.now) }
    }),
  )
}
