import { and, eq, sql } from 'drizzle-orm'
import { attachments, opportunities } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { db } from '../../data/db.ts'
import { type PageQuery, page } from '../../data/page.ts'
import { plan, read } from '../../data/plan.ts'
import { constant, mapResult, oneOrThrow } from '../../data/query.ts'
import { assertExists, columnsFor } from '../../data/store.ts'
import { ALLOWED, cleanName, keyOfFile } from '../../domain/file-names.ts'
import { FILE_TYPES, TypeFinder } from '../../domain/file-types.ts'
import { AppError } from '../../errors.ts'
import { newId } from '../../lib/ids.ts'
import { Attachment } from '../../schemas/attachments.ts'

const fields = columnsFor(attachments, Attachment)
const ofPair = (opportunityId: string, id: string) => and(eq(attachments.id, id), eq(attachments.opportunity_id, opportunityId))
const attachment = (opportunityId: string, id: string) =>
  oneOrThrow(db.select(fields).from(attachments).where(ofPair(opportunityId, id)), 'attachment on this opportunity')

export function listAttachments(opportunityId: string, query: PageQuery) {
  const result = page({
    select: (keys) => db.select({ ...fields, ...keys }).from(attachments),
    id: attachments.id,
    where: [eq(attachments.opportunity_id, opportunityId)],
    sorts: { created_at: attachments.created_at },
    name: `attachments ${opportunityId}`,
    query: { ...query, sort: '-created_at' },
  })
  return plan([assertExists(opportunities, opportunityId, 'opportunity')], result)
}

export const getAttachment = (opportunityId: string, id: string) => read(attachment(opportunityId, id))

/**
 * Checks the caller's permission in a separate round trip first, so that no file is read or stored for someone without access. Then it
 * stores the object and after it the row: a crash in between leaves an unreachable object, which the sweep removes.
 */
export async function uploadAttachment(ctx: Ctx, opportunityId: string) {
  ctx.files.expect()
  const opportunity = db.select({ workspace_id: opportunities.workspace_id }).from(opportunities).where(eq(opportunities.id, opportunityId))
  const { workspace_id } = await ctx.read(oneOrThrow(opportunity, 'opportunity', opportunityId))
  const id = newId()
  const finder = new TypeFinder()
  const {
    name: originalName,
    size,
    sha256,
    judged: type,
  } = await ctx.files.receive(keyOfFile(workspace_id, id), {
    add: (chunk) => finder.add(chunk),
    async judge(file) {
      const type = await finder.find(file.name, file)
      if (!type) throw new AppError('UNSUPPORTED_MEDIA_TYPE', `Accepted file types: ${ALLOWED.join(', ')}`, { allowed: ALLOWED })
      return type
    },
  })
  const row = { id, opportunity_id: opportunityId, name: cleanName(originalName, type), content_type: FILE_TYPES[type], size, sha256 }
  return plan(
    [assertExists(opportunities, opportunityId, 'opportunity'), db.insert(attachments).values(row)],
    attachment(opportunityId, id),
  )
}

/** Returns a download URL for the file that is valid for one minute. */
export function linkAttachment(ctx: Ctx, opportunityId: string, id: string) {
  const { workspace_id, name, state } = attachments
  const stored = oneOrThrow(
    db.select({ workspace_id, name, state }).from(attachments).where(ofPair(opportunityId, id)),
    'attachment on this opportunity',
  )
  return read(
    mapResult(stored, ({ workspace_id, name, state }) => {
      if (state === 'missing')
        throw new AppError('INVALID_STATE', 'The file was lost in storage: upload it again', { state, allowed: ['stored'] })
      return ctx.files.link(keyOfFile(workspace_id, id), name, ctx.now)
    }),
  )
}

/** Deletes the row. The event of this change removes the stored object after the commit. */
export function removeAttachment(ctx: Ctx, opportunityId: string, id: string) {
  return plan(
    [
      sql`select assert_version((select version from attachments where id = ${id} and opportunity_id = ${opportunityId} for update), ${ctx.ifMatch ?? null}::int, 'attachment on this opportunity')`,
      db.delete(attachments).where(ofPair(opportunityId, id)),
    ],
    constant({ id, deleted: true as const }),
  )
}
