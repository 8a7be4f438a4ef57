import { Hono } from 'hono'
import * as v from 'valibot'
import { leadSources } from '../../schema/index.ts'
import { deleteLeadSource, listLeadSourceUses } from '../../src/features/contacts/plans/lead-sources.ts'
import { renameOption } from '../../src/features/settings/plans/picklists.ts'
import {
  deleteSourceQuery,
  LeadSourceDeleted,
  LeadSourceUse,
  OptionRenamed,
  renameOf,
  STILL_NAMED,
} from '../../src/features/settings/schemas/picklists.ts'
import { LeadSource, leadSourceFields } from '../../src/features/settings/schemas/settings.ts'
import { listOf, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id, pageQuery, QueryBool } from '../../src/schemas/fields.ts'
import { WORKSPACE } from '../paths.ts'

export const leadSourcesRouter = new Hono<App>()
export const leadSourcesApi = endpoints(leadSourcesRouter, { path: WORKSPACE.leadSources, tag: 'Lead sources' })

const body = v.strictObject(leadSourceFields)

leadSourcesApi.get(
  '/usage',
  {
    id: 'listLeadSourceUsage',
    summary: 'List the usage of each lead source',
    description: 'Lead sources are sorted by name. Records are counted up to 1,000.',
    access: scopes('company:read'),
    query: v.strictObject(pageQuery),
    returns: listOf(LeadSourceUse),
  },
  ({ query }) => listLeadSourceUses(query),
)
leadSourcesApi.post(
  '/rename',
  {
    id: 'renameLeadSource',
    summary: 'Rename a lead source in every record',
    description:
      'Renames the lead source, which contacts refer to by id, and changes the opportunities whose lead_source is its name. ' +
      'One call changes at most 2,000 opportunities; repeat it while `more` is true. ' +
      STILL_NAMED,
    access: scopes('company:write'),
    body: renameOf('lead_sources'),
    returns: OptionRenamed,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, body }) => renameOption(ctx, 'lead_sources', body),
)
leadSourcesApi.delete(
  '/:lead_source_id',
  {
    id: 'deleteLeadSource',
    summary: 'Delete a lead source',
    description:
      'A lead source that contacts or opportunities use can only be deleted with replace_with, which replaces it in these records. ' +
      'One call changes at most 2,000 contacts and 2,000 opportunities; repeat it while `more` is true.',
    access: scopes('company:delete'),
    params: v.object({ lead_source_id: Id }),
    query: deleteSourceQuery,
    returns: LeadSourceDeleted,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, query }) => deleteLeadSource(ctx, params.lead_source_id, query.replace_with),
)
resource(leadSourcesApi, {
  name: 'lead_source',
  plural: 'lead_sources',
  scope: 'company',
  table: leadSources,
  returns: LeadSource,
  list: { filters: { is_active: v.optional(QueryBool) }, sorts: ['created_at', 'updated_at', 'name'] },
  get: {},
  create: { body },
  update: { body: v.partial(body) },
  restore: {},
  history: true,
})
