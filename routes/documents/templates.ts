import { Hono } from 'hono'
import * as v from 'valibot'
import { documentTemplates } from '../../schema/index.ts'
import { previewTemplate } from '../../src/features/documents/plans/preview.ts'
import { reorderSections, templateSections, updateSection } from '../../src/features/documents/plans/sections.ts'
import { createTemplate, duplicateTemplate, getTemplate, updateTemplate } from '../../src/features/documents/plans/templates.ts'
import {
  DocumentTemplate,
  DocumentTemplateCopy,
  DocumentTemplateDetails,
  DocumentTemplatePatch,
  NewDocumentTemplate,
  NewSection,
  previewQuery,
  SectionOrder,
  SectionPatch,
  TEMPLATE_SORTS,
  TemplateSection,
  templateFilters,
} from '../../src/features/documents/schemas/document-templates.ts'
import { children } from '../../src/http/children.ts'
import { created, listOf, scopes, stream } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id } from '../../src/schemas/fields.ts'
import { DOCUMENTS } from '../paths.ts'

export const documentTemplatesRouter = new Hono<App>()
export const documentTemplatesApi = endpoints(documentTemplatesRouter, { path: DOCUMENTS.documentTemplates, tag: 'Document Templates' })

const params = v.object({ document_template_id: Id })
const read = scopes('documents:read')
const write = scopes('documents:write')

resource(documentTemplatesApi, {
  name: 'document_template',
  plural: 'document-templates',
  scope: 'documents',
  table: documentTemplates,
  returns: DocumentTemplate,
  record: DocumentTemplateDetails,
  list: { filters: templateFilters, sorts: TEMPLATE_SORTS },
  get: { description: 'With its sections in order.', plan: getTemplate },
  create: { body: NewDocumentTemplate, plan: createTemplate, errors: [] },
  update: { body: DocumentTemplatePatch, plan: updateTemplate, errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  remove: { action: 'write', errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  history: true,
})
documentTemplatesApi.post(
  '/:document_template_id/duplicate',
  {
    id: 'duplicateDocumentTemplate',
    summary: 'Duplicate a document template',
    description: 'The copy has the same sections.',
    access: write,
    params,
    body: DocumentTemplateCopy,
    returns: created(DocumentTemplateDetails),
    errors: ['NOT_FOUND'],
  },
  ({ params, body }) => duplicateTemplate(params.document_template_id, body.name),
)
documentTemplatesApi.get(
  '/:document_template_id/preview',
  {
    id: 'previewDocumentTemplate',
    summary: 'Preview a document template',
    description:
      'Returns a page of HTML with the values of these records in the place of merge fields. ' +
      'A field without a value shows what follows `|`, or nothing. ' +
      'Scripts, forms and foreign images of a rich-content section are left out.',
    access: read,
    params,
    query: previewQuery,
    returns: stream(['text/html'], v.string()),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, query }) => previewTemplate(ctx, params.document_template_id, query),
)
documentTemplatesApi.post(
  '/:document_template_id/sections/reorder',
  {
    id: 'reorderDocumentTemplateSections',
    summary: 'Reorder the sections of a document template',
    description: 'Names all sections. If they have changed in the meantime, the answer is CONFLICT, and details have their ids.',
    access: write,
    params,
    body: SectionOrder,
    returns: listOf(TemplateSection),
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  ({ ctx, params, body }) => reorderSections(ctx, params.document_template_id, body.section_ids),
)
children(documentTemplatesApi, {
  parent: { name: 'document_template', param: 'document_template_id', scope: 'documents' },
  path: '/sections',
  name: 'section',
  key: 'section_id',
  rows: templateSections,
  returns: TemplateSection,
  access: { read, write, remove: write },
  list: {},
  get: {},
  create: {
    description: 'A template has at most 200 sections. An unknown merge field is refused with the nearest known one.',
    body: NewSection,
  },
  remove: {},
})
documentTemplatesApi.patch(
  '/:document_template_id/sections/:section_id',
  {
    id: 'updateDocumentTemplateSection',
    summary: 'Update a section of a document template',
    description: 'The content is replaced as a whole. The type stays.',
    access: write,
    params: v.object({ document_template_id: Id, section_id: Id }),
    body: SectionPatch,
    returns: TemplateSection,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateSection(ctx, params.document_template_id, params.section_id, body),
)
