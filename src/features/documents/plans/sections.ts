import { createHash } from 'node:crypto'
import { and, eq, sql } from 'drizzle-orm'
import * as v from 'valibot'
import { documentTemplates, files, documentTemplateSections as sections } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { type Children, childrenOf } from '../../../data/children.ts'
import { db, type Statement } from '../../../data/db.ts'
import type { Page } from '../../../data/paged.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { reorder } from '../../../data/position.ts'
import { assertField, assertNoPaths, oneOrThrow } from '../../../data/query.ts'
import { columnsFor, isChangedBy, lockForUpdate } from '../../../data/store.ts'
import { MAX_SECTIONS } from '../../../domain/files.ts'
import { invalid } from '../../../errors.ts'
import { issuesOf } from '../../../schemas/issues.ts'
import type { SectionType } from '../rules/section-types.ts'
import { type NewSection, type SectionPatch, TemplateSection } from '../schemas/document-templates.ts'
import { SECTION_CONTENTS } from '../schemas/section-contents.ts'

export const TEMPLATE = { table: documentTemplates, name: 'document template' }
const WHAT = 'section of this document template'
const fields = columnsFor(sections, TemplateSection)

type Content = Record<string, unknown>

const rows = childrenOf<TemplateSection, NewSection, Content>({
  parent: TEMPLATE,
  what: WHAT,
  table: sections,
  link: sections.template_id,
  select: (keys) => db.select({ ...fields, ...keys }).from(sections),
  sort: 'position',
  max: { rows: MAX_SECTIONS, field: 'type', message: `A template has at most ${MAX_SECTIONS} sections: remove one first` },
  lockParent: true,
  create: ({ type, title, content }, { parentId }) => ({
    columns: { type, title: title ?? null, ...stored(checked(type, content)) },
    before: [assertImage(content), bump(parentId)],
  }),
  update: (columns, { parentId, id }) => ({
    columns,
    before: [columns.content ? assertImage(columns.content as Content) : undefined, bump(parentId, changes(id, columns))],
  }),
})

/** Every change of a section is a revision of its template, which a document that is made from it will name. */
const bump = (templateId: string, condition = sql`true`): Statement =>
  sql`update document_templates set revision = revision + 1 where id = ${templateId} and ${condition}`
const changes = (id: string, columns: Record<string, unknown>) =>
  sql`exists (select from ${sections} where ${sections.id} = ${id} and ${isChangedBy(sections, columns)})`
const bumping = <Out>(templateId: string, { statements, result }: Plan<Out>): Plan<Out> => ({
  statements: [...statements, bump(templateId)],
  result,
})

export const templateSections: Children<TemplateSection, NewSection, Content> = {
  ...rows,
  remove: (ctx, templateId, id) => bumping(templateId, rows.remove(ctx, templateId, id)),
  restore: (templateId, id) => bumping(templateId, rows.restore(templateId, id)),
}

/** The content with the fields of its type. @throws VALIDATION_ERROR */
function checked(type: SectionType, content: Content): Content {
  const schema = SECTION_CONTENTS[type]
  const result = v.safeParse(schema, content)
  if (!result.success)
    throw invalid(issuesOf(schema, content, result.issues).map(({ path, message }) => ({ path: `content.${path}`, message })))
  return result.output as Content
}

/** The columns of a content: what history has of it, and the image that it names. */
function stored(content: Content) {
  const text = JSON.stringify(content)
  const content_sha256 = createHash('sha256').update(text).digest('hex')
  return { content, content_length: text.length, content_sha256, file_id: content.image_file_id ?? null }
}

const assertImage = ({ image_file_id: id }: Content): Statement | undefined =>
  id ? assertField(sql`exists (select from ${files} where id = ${id} and type = 'image')`, 'content.image_file_id', NO_IMAGE) : undefined
const NO_IMAGE = 'must be the id of a file of the type image in this workspace: upload it with POST /files'

/**
 * Changes a section. Its type decides which fields the content has: the types that allow the content are likely, and the transaction
 * confirms the one that was assumed.
 */
export async function updateSection(ctx: Ctx, templateId: string, id: string, { title, content }: SectionPatch) {
  const patch = title === undefined ? {} : { title }
  if (content === undefined) return rows.update(ctx, templateId, id, patch)
  const one = db
    .select({ type: sections.type })
    .from(sections)
    .where(and(eq(sections.template_id, templateId), eq(sections.id, id)))
  const likely = likelyType(content)
  const { type } = await ctx.assume(oneOrThrow(one, WHAT), { type: likely }, sql`(${one.getSQL()}) = ${likely}`)
  return rows.update(ctx, templateId, id, { ...patch, ...stored(checked(type as SectionType, content)) })
}

/** The first type whose fields the content has. */
function likelyType(content: Content): string {
  const [found] = Object.entries(SECTION_CONTENTS).find(([, schema]) => v.safeParse(schema, content).success) ?? ['text-block']
  return found
}

/** The places of ids that no section has or had: those of a section that was deleted in the meantime are a conflict instead. */
const neverSections = (ids: string) => sql`array(select 'section_ids.' || (n - 1) from unnest(${ids}::uuid[]) with ordinality u(id, n)
  where not exists (select from document_template_sections s where s.id = u.id)
    and not exists (select from changes c where c.entity = 'document_template_section' and c.entity_id = u.id) order by n)`

/** Puts all sections of a template in order. @throws CONFLICT, with their ids, when they are not the ones that were sent */
export function reorderSections(ctx: Ctx, templateId: string, ids: string[]): Plan<Page<TemplateSection>> {
  const list = `{${ids.join(',')}}`
  const known = sql`(select coalesce(array_agg(s.id order by s.id), '{}') from document_template_sections s
    where s.template_id = ${templateId})`
  const order = { table: sections, parent: sections.template_id, parentId: templateId }
  const [, move] = reorder(order, ids, 'section_ids', '')
  return plan(
    [
      lockForUpdate(ctx, documentTemplates, templateId, TEMPLATE.name),
      assertNoPaths(neverSections(list), 'does not exist in this workspace'),
      sql`select assert_condition(k.ids = array(select x from unnest(${list}::uuid[]) x order by x), 'CONFLICT',
        'The sections of the template are others by now: read them again, and send the id of each once',
          jsonb_build_object('section_ids', k.ids))
        from (select ${known} as ids) k`,
      move,
      bump(templateId),
    ],
    rows.list(templateId, { limit: MAX_SECTIONS }).result,
  )
}
