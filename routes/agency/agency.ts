import { Hono } from 'hono'
import * as v from 'valibot'
import { getAgency, getClient, listClients, listWebsites } from '../../src/features/agency/plans/clients.ts'
import { Agency, AgencyClient, AgencyWebsite, clientQuery, websiteQuery } from '../../src/features/agency/schemas/agency.ts'
import { listOf, one, scopes } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id } from '../../src/schemas/fields.ts'
import { AGENCY } from '../paths.ts'

export const agencyRouter = new Hono<App>()
export const agencyApi = endpoints(agencyRouter, { path: AGENCY.agency, tag: 'Agency' })

agencyApi.get(
  '',
  {
    id: 'getAgency',
    summary: 'Get your agency',
    description: 'Its commission, where its clients sign up, and how many clients and templates it has.',
    access: scopes('agency:read'),
    returns: one(Agency),
  },
  () => getAgency(),
)
agencyApi.get(
  '/clients',
  {
    id: 'listAgencyClients',
    summary: 'List the clients of the agency',
    description:
      'Clients and templates, in the order in which they were linked, with figures about the health of each: 100 per page. ' +
      'None of what a client stores is among them.',
    access: scopes('agency:read'),
    query: clientQuery,
    returns: listOf(AgencyClient),
  },
  ({ query }) => listClients(query),
)
agencyApi.get(
  '/clients/:client_id',
  {
    id: 'getAgencyClient',
    summary: 'Get a client of the agency',
    description: 'The figures that the list has.',
    access: scopes('agency:read'),
    params: v.object({ client_id: Id }),
    returns: one(AgencyClient),
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getClient(params.client_id),
)
agencyApi.get(
  '/websites',
  {
    id: 'listAgencyWebsites',
    summary: 'List the websites of clients',
    description: 'Where the source of each is, and its latest syncs. A sync that has failed shows the end of its log.',
    access: scopes('agency:read'),
    query: websiteQuery,
    returns: listOf(AgencyWebsite),
  },
  ({ query }) => listWebsites(query),
)
