import { and, eq, isNull, sql } from 'drizzle-orm'
import { agencies, agencyClients, websites, workspaces } from '../../../../schema/index.ts'
import { db } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import type { Page } from '../../../data/paged.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { oneOrThrow } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { SYNCS_SHOWN } from '../rules/agency.ts'
import { type Agency, AgencyClient, type AgencyWebsite } from '../schemas/agency.ts'
import { assertAgency } from './settling.ts'

const linked = (isTemplate: boolean) =>
  sql<number>`(select count(*)::int from agency_clients where ended_at is null and is_template = ${sql.raw(String(isTemplate))})`

/** The agency itself, with the numbers of those that it looks after. */
export function getAgency(): Plan<Agency> {
  const select = db
    .select({
      id: agencies.workspace_id,
      name: workspaces.name,
      commission_percent: agencies.commission_percent,
      currency: agencies.currency,
      signup_url: agencies.signup_url,
      client_count: linked(false).as('client_count'),
      template_count: linked(true).as('template_count'),
    })
    .from(agencies)
    .innerJoin(workspaces, eq(workspaces.id, agencies.workspace_id))
  return plan([assertAgency()], oneOrThrow(select, 'agency'))
}

const columns = columnsFor(agencyClients, AgencyClient, {
  amount_paid: sql<number>`(${agencyClients.paid_cents} / 100.0)::float8`.as('amount_paid'),
})
const selectClients = (keys: Keys) => db.select({ ...columns, ...keys }).from(agencyClients)

export function listClients({ is_template, ...query }: PageQuery & { is_template?: boolean | undefined }): Plan<Page<AgencyClient>> {
  const result = page({
    select: selectClients,
    id: agencyClients.client_id,
    where: [isNull(agencyClients.ended_at), is_template === undefined ? undefined : eq(agencyClients.is_template, is_template)],
    sorts: { linked_at: agencyClients.linked_at },
    name: `clients ${is_template ?? ''}`,
    query: { ...query, sort: 'linked_at' },
  })
  return plan([assertAgency()], result)
}

export function getClient(id: string): Plan<AgencyClient> {
  const select = db
    .select(columns)
    .from(agencyClients)
    .where(and(eq(agencyClients.client_id, id), isNull(agencyClients.ended_at)))
  return plan([assertAgency()], oneOrThrow(select, 'client', id))
}

const syncs = sql<AgencyWebsite['syncs']>`(select coalesce(json_agg(json_build_object('id', s.id, 'status', s.status, 'commit', s.commit,
    'preview_url', s.preview_url, 'log_tail', s.log_tail, 'started_at', iso(s.started_at), 'ended_at', iso(s.ended_at))
    order by s.started_at desc, s.id desc), '[]')
  from (select * from website_syncs where website_syncs.website_id = websites.id order by started_at desc, id desc
    limit ${sql.raw(String(SYNCS_SHOWN))}) s)`

const selectWebsites = (keys: Keys) =>
  db
    .select({
      id: websites.id,
      client_id: websites.client_id,
      name: websites.name,
      repository: websites.repository,
      branch: websites.branch,
      created_at: websites.created_at,
      syncs: syncs.as('syncs'),
      ...keys,
    })
    .from(websites)

/** The websites of clients that the agency looks after. */
export function listWebsites({ client_id, ...query }: PageQuery & { client_id?: string | undefined }): Plan<Page<AgencyWebsite>> {
  const result = page({
    select: selectWebsites,
    id: websites.id,
    where: [client_id ? eq(websites.client_id, client_id) : undefined],
    sorts: { created_at: websites.created_at },
    name: `websites ${client_id ?? ''}`,
    query: { ...query, sort: 'created_at' },
  })
  return plan([assertAgency()], result)
}
