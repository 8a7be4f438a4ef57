import { Hono } from 'hono'
import { exportTemplates } from '../schema/index.ts'
import { createTemplate, exportTemplateViews, updateTemplate } from '../src/features/exports/plans/export-templates.ts'
import { MAX_VIEWS } from '../src/features/exports/rules/templates.ts'
import {
  EXPORT_TEMPLATE_SORTS,
  ExportTemplate,
  ExportTemplatePatch,
  ExportView,
  ExportViewPatch,
  exportTemplateFilters,
  NewExportTemplate,
  NewExportView,
} from '../src/features/exports/schemas/export-templates.ts'
import { children } from '../src/http/children.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { CRM } from './paths.ts'

export const exportTemplatesRouter = new Hono<App>()
export const exportTemplatesApi = endpoints(exportTemplatesRouter, { path: CRM.exportTemplates, tag: 'Export Templates' })

resource(exportTemplatesApi, {
  name: 'export_template',
  plural: 'export-templates',
  scope: 'exports',
  table: exportTemplates,
  returns: ExportTemplate,
  list: { filters: exportTemplateFilters, sorts: EXPORT_TEMPLATE_SORTS },
  get: {},
  create: {
    description:
      'Columns, filter and sort are checked. What they read is checked against the role of the key’s owner when the template is run.',
    body: NewExportTemplate,
    plan: createTemplate,
    errors: [],
  },
  update: { body: ExportTemplatePatch, plan: updateTemplate, errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  remove: { description: 'Its views are deleted with it, those of all members. A restored template has them again.' },
  history: true,
})

children(exportTemplatesApi, {
  parent: { name: 'export_template', param: 'export_template_id', scope: 'exports' },
  path: '/views',
  name: 'view',
  key: 'view_id',
  rows: exportTemplateViews,
  returns: ExportView,
  list: { description: 'A view belongs to the owner of the key with which it was saved. Nobody else sees it, also not a client_admin.' },
  get: {},
  create: { description: `A member has at most ${MAX_VIEWS} views of a template.`, body: NewExportView },
  update: { body: ExportViewPatch },
  remove: {},
})
