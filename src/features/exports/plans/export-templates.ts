import { eq } from 'drizzle-orm'
import { exportTemplates, exportViews } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { childrenOf } from '../../../data/children.ts'
import { db } from '../../../data/db.ts'
import type { Keys } from '../../../data/page.ts'
import { plan } from '../../../data/plan.ts'
import { oneOrThrow } from '../../../data/query.ts'
import { assertExists, columnsFor, insertRow, lockForUpdate, updateRows } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { MAX_VIEWS } from '../rules/templates.ts'
import {
  ExportTemplate,
  type ExportTemplatePatch,
  ExportView,
  type ExportViewPatch,
  type NewExportTemplate,
  type NewExportView,
} from '../schemas/export-templates.ts'
import { definitionGuards } from './template-definitions.ts'

export const WHAT = 'export template'
const VIEW = 'view of yours of this export template'
const fields = columnsFor(exportTemplates, ExportTemplate)
export const templateOf = (id: string) => oneOrThrow(db.select(fields).from(exportTemplates).where(eq(exportTemplates.id, id)), WHAT, id)

export async function createTemplate(ctx: Ctx, input: NewExportTemplate) {
  const id = newId()
  const guards = await definitionGuards(ctx, input.root_entity, input)
  return plan([...guards, insertRow(exportTemplates, { ...input, id })], templateOf(id))
}

const changesDefinition = ({ columns, filters, sort }: ExportTemplatePatch | ExportViewPatch) =>
  [columns, filters, sort].some((part) => part !== undefined && part !== null)

/** Guards for what is changed of the definition. The root entity, which never changes, is read in a round trip of its own. */
async function changeGuards(ctx: Ctx, templateId: string, patch: ExportTemplatePatch | ExportViewPatch) {
  if (!changesDefinition(patch)) return []
  const { root_entity } = await ctx.read(templateOf(templateId))
  return definitionGuards(ctx, root_entity, patch)
}

export async function updateTemplate(ctx: Ctx, id: string, patch: ExportTemplatePatch) {
  const guards = await changeGuards(ctx, id, patch)
  return plan(
    [lockForUpdate(ctx, exportTemplates, id, WHAT), ...guards, updateRows(exportTemplates, patch, eq(exportTemplates.id, id), { id })],
    templateOf(id),
  )
}

/** The views of the key's owner; row-level security hides those of others. */
const views = childrenOf<ExportView, NewExportView, ExportViewPatch>({
  parent: { table: exportTemplates, name: WHAT },
  what: VIEW,
  table: exportViews,
  link: exportViews.template_id,
  select: (keys: Keys) => db.select({ ...columnsFor(exportViews, ExportView), ...keys }).from(exportViews),
  sort: '-created_at',
  max: {
    rows: MAX_VIEWS,
    field: 'name',
    message: `A member has at most ${MAX_VIEWS} views of a template: delete one first`,
  },
})

const guarded =
  (guards: Awaited<ReturnType<typeof changeGuards>>) =>
  <Out>({ statements, result }: ReturnType<typeof plan<Out>>) =>
    plan([...guards, ...statements], result)

export const exportTemplateViews = {
  ...views,
  create: async (ctx: Ctx, templateId: string, input: NewExportView) =>
    guarded(await changeGuards(ctx, templateId, input))(views.create(ctx, templateId, input)),
  update: async (ctx: Ctx, templateId: string, id: string, patch: ExportViewPatch) =>
    guarded(await changeGuards(ctx, templateId, patch))(views.update(ctx, templateId, id, patch)),
  /** A deletion is kept without its owner's policy, so the restored view must be one that the caller sees. */
  restore(templateId: string, id: string) {
    const { statements, result } = views.restore(templateId, id)
    return plan([...statements, assertExists(exportViews, id, VIEW)], result)
  },
}
