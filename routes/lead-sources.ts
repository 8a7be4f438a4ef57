import * as v from 'valibot'
import { leadSources } from '../schema/index.ts'
import { group } from '../src/http/endpoint.ts'
import { resource } from '../src/http/resource.ts'
import { QueryBool } from '../src/shapes/fields.ts'
import { LeadSource, leadSourceFields } from '../src/shapes/settings.ts'

export const leadSourcesApi = group('/lead-sources', 'Lead sources')

resource(leadSourcesApi, {
  name: 'lead_source',
  plural: 'lead sources',
  scope: 'company',
  table: leadSources,
  returns: LeadSource,
  body: leadSourceFields,
  filters: { is_active: v.optional(QueryBool) },
  sorts: ['created_at', 'updated_at', 'name'],
})
