import { eq, sql } from 'drizzle-orm'
import { documentTemplates } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { oneOrThrow } from '../../../data/query.ts'
import { assertExists, columnsFor, insertRow, isChangedBy, lockForUpdate, updateRows } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { DocumentTemplate, type DocumentTemplateDetails, type TemplateSection } from '../schemas/document-templates.ts'
import { TEMPLATE } from './sections.ts'

/** The sections of a template as responses show them. */
export const sectionsOf = sql<
  TemplateSection[]
>`(select coalesce(json_agg(json_build_object('id', s.id, 'template_id', s.template_id, 'type', s.type,
    'title', s.title, 'content_length', s.content_length, 'content_sha256', s.content_sha256, 'file_id', s.file_id, 'position', s.position,
    'content', s.content, 'version', s.version, 'created_at', iso(s.created_at), 'updated_at', iso(s.updated_at))
      order by s.position, s.id), '[]')
  from document_template_sections s where s.workspace_id = document_templates.workspace_id and s.template_id = document_templates.id)`

const columns = { ...columnsFor(documentTemplates, DocumentTemplate), sections: sectionsOf.as('sections') }
const recordOf = (id: string) =>
  oneOrThrow(db.select(columns).from(documentTemplates).where(eq(documentTemplates.id, id)), TEMPLATE.name, id)

export const getTemplate = (id: string): Plan<DocumentTemplateDetails> => read(recordOf(id))

export function createTemplate(_ctx: Ctx, input: object): Plan<DocumentTemplateDetails> {
  const id = newId()
  return plan([insertRow(documentTemplates, { ...input, id })], recordOf(id))
}

/** A change of a template is a revision, as one of its sections is. */
export function updateTemplate(ctx: Ctx, id: string, patch: object): Plan<DocumentTemplateDetails> {
  const revision = sql`${documentTemplates.revision} + ${isChangedBy(documentTemplates, patch)}::int`
  const change = Object.keys(patch).length > 0 && { ...patch, revision }
  return plan(
    [
      lockForUpdate(ctx, documentTemplates, id, TEMPLATE.name),
      change && updateRows(documentTemplates, change, eq(documentTemplates.id, id), { id }),
    ],
    recordOf(id),
  )
}

/** Adds a template with the same sections. */
export function duplicateTemplate(id: string, name?: string): Plan<DocumentTemplateDetails> {
  const copy = newId()
  return plan(
    [
      assertExists(documentTemplates, id, TEMPLATE.name),
      sql`insert into document_templates (id, name, description, document_type)
        select ${copy}::uuid, coalesce(${name ?? null}::text, left('Copy of ' || t.name, 200)), t.description, t.document_type
        from document_templates t where t.id = ${id}`,
      sql`insert into document_template_sections (template_id, type, title, content, content_length, content_sha256, file_id, position)
        select ${copy}::uuid, s.type, s.title, s.content, s.content_length, s.content_sha256, s.file_id, s.position
        from document_template_sections s where s.template_id = ${id} order by s.position, s.id`,
    ],
    recordOf(copy),
  )
}
