import { and, eq, sql } from 'drizzle-orm'
import { changes, workspaces } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { plan, read } from '../../../data/plan.ts'
import { oneOrThrow } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { Change } from '../../../schemas/common.ts'
import { Workspace, type WorkspacePatch } from '../schemas/workspace.ts'

const current = eq(workspaces.id, sql`current_workspace()`)
const record = oneOrThrow(db.select(columnsFor(workspaces, Workspace)).from(workspaces).where(current), 'workspace')

export const getWorkspace = () => read(record)

export function updateWorkspace(ctx: Ctx, patch: WorkspacePatch) {
  const locked = sql`select assert_version((select version from workspaces where id = current_workspace() for update),
    ${ctx.ifMatch ?? null}::int, 'workspace')`
  return plan([locked, Object.keys(patch).length > 0 && db.update(workspaces).set(patch).where(current)], record)
}

const history = (keys: Keys) => db.select({ ...columnsFor(changes, Change), ...keys }).from(changes)

/** Lists the changes of the workspace itself or of its settings. */
export function listOwnChanges(entity: 'workspace' | 'crm_settings', query: PageQuery) {
  return read(
    page({
      select: history,
      id: changes.id,
      where: [and(eq(changes.entity, entity), sql`${changes.entity_id} = current_workspace()`)],
      sorts: { id: changes.id },
      name: `history ${entity}`,
      query: { ...query, sort: '-id' },
    }),
  )
}
