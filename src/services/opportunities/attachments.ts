import { and, eq } from 'drizzle-orm'
import { attachments as files, opportunities } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { childrenOf } from '../../data/children.ts'
import { db } from '../../data/db.ts'
import { plan, read } from '../../data/plan.ts'
import { mapResult, oneOrThrow } from '../../data/query.ts'
import { assertExists, columnsFor } from '../../data/store.ts'
import { ALLOWED, cleanName, keyOfFile } from '../../domain/file-names.ts'
import { FILE_TYPES, TypeFinder } from '../../domain/file-types.ts'
import { AppError } from '../../errors.ts'
import { newId } from '../../lib/ids.ts'
import { Attachment } from '../../schemas/attachments.ts'
import { OPPORTUNITY } from './parent.ts'

const fields = columnsFor(files, Attachment)
const ofPair = (opportunityId: string, id: string) => and(eq(files.id, id), eq(files.opportunity_id, opportunityId))
/** The files of an opportunity. The event of a deletion removes the stored object after the commit. */
export const attachments = childrenOf({
  parent: OPPORTUNITY,
  what: 'attachment on this opportunity',
  table: files,
  link: files.opportunity_id,
  select: (keys) => db.select({ ...fields, ...keys }).from(files),
  sort: '-created_at',
})

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
    [assertExists(opportunities, opportunityId, 'opportunity'), db.insert(files).values(row)],
    attachments.get(opportunityId, id).result,
  )
}

/** Returns a download URL for the file that is valid for one minute. */
export function linkAttachment(ctx: Ctx, opportunityId: string, id: string) {
  const { workspace_id, name, state } = files
  const stored = oneOrThrow(
    db.select({ workspace_id, name, state }).from(files).where(ofPair(opportunityId, id)),
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
