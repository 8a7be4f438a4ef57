import type { Ctx } from '../../../context.ts'
import { AppError } from '../../../errors.ts'

/** A stored file: the folder of its object, whose key ends with the workspace and the id. */
export type Place = { folder: string; workspace_id: string; id: string; name: string; state: string }

/** Why a file cannot be downloaded in a state. */
const WHY: Record<string, string> = {
  missing: 'The file was lost in storage: upload it again',
  waiting: 'The file is being fetched: try again soon',
  failed: 'The file could not be fetched from the provider',
  deleted: 'The file was deleted after the message was sent',
}

/** A link to a file of any kind that works for a minute. @throws INVALID_STATE for a file that is not there. */
export function linkTo(ctx: Ctx, { folder, workspace_id, id, name, state }: Place, allowed = ['stored']) {
  const why = WHY[state]
  if (why) throw new AppError('INVALID_STATE', why, { state, allowed })
  return ctx.files.link(`${folder}${workspace_id}/${id}`, name, ctx.now)
}
