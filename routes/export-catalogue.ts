import { Hono } from 'hono'
import { describeExports } from '../src/features/exports/plans/field-catalogue.ts'
import { ExportCatalogue, exportCatalogueQuery } from '../src/features/exports/schemas/export-catalogue.ts'
import { scopes } from '../src/http/modes.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { CRM } from './paths.ts'

export const exportCatalogueRouter = new Hono<App>()
export const exportCatalogueApi = endpoints(exportCatalogueRouter, { path: CRM.exports, tag: 'Exports' })

exportCatalogueApi.get(
  '/field-catalog',
  {
    id: 'getExportFieldCatalog',
    summary: 'Describe the fields of exports',
    description: 'What the role of the key’s owner may not read is left out. If that is the root entity itself, the response is 403.',
    access: scopes('exports:read'),
    query: exportCatalogueQuery,
    returns: ExportCatalogue,
  },
  ({ query }) => describeExports(query.root_entity),
)
