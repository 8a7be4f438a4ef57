import { eq, type SQL, sql } from 'drizzle-orm'
import * as v from 'valibot'
import { companies, contacts, opportunities } from '../../../../schema/index.ts'
import type { Candidates } from '../../../data/candidates.ts'
import { db } from '../../../data/db.ts'
import { ofContact } from '../../../data/list-entries.ts'
import { listFiltering, listWhere, sortKeys } from '../../../data/lists.ts'
import { type Filtering, type Keys, type PageQuery, page } from '../../../data/page.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { assertExists, type OwnedTable } from '../../../data/store.ts'
import { describe, Enum, Id, SingleLine } from '../../../schemas/fields.ts'
import { followerFilter } from '../../followers/schemas/followers.ts'
import { STATUSES } from '../../pipelines/rules/pipeline.ts'
import { tagFilter } from '../../tags/schemas/tags.ts'
import { listFields } from './opportunities.ts'

export const opportunityFilters = {
  pipeline_id: v.optional(Id),
  stage_id: v.optional(Id),
  status: v.optional(Enum(STATUSES)),
  assigned_to: v.optional(describe(Id, 'The member who owns it.')),
  contact_id: v.optional(describe(Id, 'Linked to this contact.')),
  customer_id: v.optional(describe(Id, 'Of this company.')),
  lead_source: v.optional(SingleLine(120)),
  ...tagFilter,
  ...followerFilter,
  external_id: v.optional(SingleLine()),
}
/** The sort expression of the index: opportunities without a date come last. */
const expectedClose = {
  key: sql`(case when ${opportunities.expected_close_date} is null then 'infinity'::date else ${opportunities.expected_close_date} end)`,
  type: 'date',
}
/** As expectedClose: opportunities without a stage come last. */
const stageEntered = {
  key: sql`(case when ${opportunities.stage_entered_at} is null then 'infinity'::timestamptz else ${opportunities.stage_entered_at} end)`,
  type: 'timestamptz',
}
export const opportunitySorts = {
  ...sortKeys(opportunities, ['created_at', 'updated_at', 'name', 'value', 'assigned_to']),
  expected_close_date: expectedClose,
  stage_entered_at: stageEntered,
}

const rowsWith = (keys: Keys) => db.select({ ...listFields, ...keys }).from(opportunities)

/** Restricts a list to the opportunities linked to a contact. */
export const linkedTo = (contactId: unknown): SQL | undefined =>
  contactId === undefined
    ? undefined
    : sql`${opportunities.id} in (select l.opportunity_id from opportunity_contacts l where l.contact_id = ${contactId})`

/**
 * The filters that no index covers in the order of a list: with those of a contact, which an index leads to, and of which there are few as
 * a rule.
 */
function filteringOf(query: Record<string, unknown>): Filtering | undefined {
  const filter = listFiltering(opportunities, query)
  const scan = linkedTo(query.contact_id)
  if (!scan) return filter
  const { contact_id } = query
  const where = sql`exists (select from opportunity_contacts l
    where l.opportunity_id = ${opportunities.id} and l.contact_id = ${contact_id})`
  const candidates: Candidates[] = [{ further: 'contact_id', value: contact_id as string }]
  const entries = { index: ofContact(contact_id), rest: filter?.where }
  if (!filter) return { where, scan, candidates: candidates[0], related: true, entries }
  if (filter.candidates) candidates.push(filter.candidates)
  return {
    where: sql`${where} and ${filter.where}`,
    scan: sql`${scan} and ${filter.scan}`,
    candidates: { all: candidates },
    related: true,
    entries,
  }
}

/** Lists opportunities, restricted by the conditions in `more`. */
export function listOpportunities(name: string, more: SQL[], query: Record<string, unknown>) {
  return read(
    page({
      select: rowsWith,
      id: opportunities.id,
      where: [...listWhere(opportunities, opportunityFilters, query), ...more],
      sorts: opportunitySorts,
      archived: opportunities.archived,
      filter: filteringOf(query),
      isTable: more.length === 0,
      name,
      query: query as PageQuery,
    }),
  )
}

export const dealsOfContact = (contactId: string, query: Record<string, unknown>) =>
  below(contacts, contactId, 'contact', listOpportunities(`deals of ${contactId}`, [], { ...query, contact_id: contactId }))
export const opportunitiesOfCompany = (companyId: string, query: Record<string, unknown>) =>
  below(
    companies,
    companyId,
    'company',
    listOpportunities(`opportunities of ${companyId}`, [eq(opportunities.customer_id, companyId)], query),
  )

const below = <Out>(table: OwnedTable, id: string, what: string, { result: answer }: Plan<Out>) =>
  plan([assertExists(table, id, what)], answer)
