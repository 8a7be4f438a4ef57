import { Hono } from 'hono'
import * as v from 'valibot'
import { exportTemplates } from '../schema/index.ts'
import { createTemplate, exportTemplateViews, updateTemplate } from '../src/features/exports/plans/export-templates.ts'
import { previewTemplate, runTemplate } from '../src/features/exports/plans/run-template.ts'
import { MAX_VIEWS } from '../src/features/exports/rules/templates.ts'
import {
  EXPORT_TEMPLATE_SORTS,
  ExportPreview,
  ExportPreviewBody,
  ExportRunBody,
  ExportTemplate,
  ExportTemplatePatch,
  ExportView,
  ExportViewPatch,
  exportTemplateFilters,
  NewExportTemplate,
  NewExportView,
} from '../src/features/exports/schemas/export-templates.ts'
import { ExportFile } from '../src/features/exports/schemas/exports.ts'
import { children } from '../src/http/children.ts'
import { scopes, stream } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Id } from '../src/schemas/fields.ts'
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

const params = v.object({ export_template_id: Id })
const RIGHTS =
  'The key needs exports:read only, but the role of its owner must be able to read what the columns, the filter and the sort ' +
  'read: 403 names the columns.'

exportTemplatesApi.post(
  '/:export_template_id/preview',
  {
    id: 'previewExportTemplate',
    summary: 'Preview an export template',
    description: `Returns the headers and the first ten rows. What the body has replaces what the view or the template has. ${RIGHTS}`,
    access: scopes('exports:read'),
    effect: 'read',
    params,
    body: ExportPreviewBody,
    returns: ExportPreview,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => previewTemplate(ctx, params.export_template_id, body),
)
exportTemplatesApi.post(
  '/:export_template_id/run',
  {
    id: 'runExportTemplate',
    summary: 'Run an export template',
    description:
      'Returns an XLSX or a CSV file of at most 250,000 rows. If more rows match, the response has the header `X-Truncated: 1`, ' +
      'and the name of the file says so. In an XLSX file texts are texts, whatever they look like, times are in the time zone of the ' +
      'workspace, and the second sheet says what the first one is; a text of more than 32,767 characters is cut, and its cell is ' +
      `yellow. In a CSV file times are in UTC, and a text that a spreadsheet would evaluate gets a leading apostrophe. ${RIGHTS}`,
    access: scopes('exports:read'),
    effect: 'read',
    params,
    body: ExportRunBody,
    returns: stream(['text/csv', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'], ExportFile),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => runTemplate(ctx, params.export_template_id, body),
)
