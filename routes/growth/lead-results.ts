import { Hono } from 'hono'
import * as v from 'valibot'
import { leadResults } from '../../schema/index.ts'
import { convertResults } from '../../src/features/lead-gen/plans/convert.ts'
import { createResult, updateResult } from '../../src/features/lead-gen/plans/results.ts'
import { LeadConversion, LeadResult, LeadResultPatch, leadFilters, NewLeadResult } from '../../src/features/lead-gen/schemas/results.ts'
import { scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { GROWTH } from '../paths.ts'

export const leadResultsRouter = new Hono<App>()
export const leadResultsApi = endpoints(leadResultsRouter, { path: GROWTH.leadResults, tag: 'Lead Generation' })

leadResultsApi.post(
  '/convert',
  {
    id: 'convertLeadResults',
    summary: 'Convert lead results to contacts, companies and opportunities',
    description:
      'Each result gets the contact that it has or that is found by its address or number, or a new one; the company of its website or ' +
      'its name, or a new one; and an opportunity. All are converted, or none. A result that was converted before stays as it is. ' +
      'A conversion ends the enrolments of its person.',
    access: scopes('lead-gen:write', 'contacts:write', 'companies:write', 'opportunities:write'),
    body: LeadConversion,
    returns: v.object({ results: v.pipe(v.array(LeadResult), v.description('The results, in the order of the request.')) }),
    errors: ['INVALID_STATE'],
  },
  ({ ctx, body }) => convertResults(ctx, body),
)
resource(leadResultsApi, {
  name: 'lead_result',
  plural: 'lead_results',
  scope: 'lead-gen',
  table: leadResults,
  returns: LeadResult,
  list: { filters: leadFilters, description: '`search` looks into the name, the company, the address and the city.' },
  get: {},
  create: {
    description:
      'It is compared with earlier results and with contacts: by address, phone number, website, then name and city. ' +
      'The surest that both have decides. One that equals an earlier result is added as a `duplicate`; one that is a contact names it.',
    body: NewLeadResult,
    plan: createResult,
    errors: [],
  },
  update: { body: LeadResultPatch, plan: updateResult, errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'] },
  remove: { errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  history: true,
})
