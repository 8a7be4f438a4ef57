import { sql } from 'drizzle-orm'
import { companies, leadResults, opportunities, pipelines } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { assertField, mapResult, rows } from '../../../data/query.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { valuesOf } from '../../../schemas/bulk.ts'
import { companyCreates } from '../../companies/plans/companies.ts'
import { opportunityCreates } from '../../opportunities/plans/opportunities.ts'
import { bulkStatements } from '../../records/plans/bulk.ts'
import type { LeadConversion, LeadResult } from '../schemas/results.ts'
import { assertMade, type LeadFacts, linkPeople, readLeads, uuids } from './people.ts'
import { resultColumns } from './results.ts'

type Statements = (Statement | undefined | false)[]

/**
 * Makes customers of results: each gets the contact and the company that are known, or new ones, and an opportunity. All of them are
 * converted, or none; one that was converted before stays as it is.
 */
export async function convertResults(ctx: Ctx, { lead_result_ids: ids, pipeline_id, create_opportunities = true }: LeadConversion) {
  const leads = (await readLeads(ctx, ids)).filter(({ status }) => status !== 'converted')
  for (const { id, status } of leads) if (status !== 'new') throw notNew(ids.indexOf(id), status)
  const isPipeline = sql`exists (select from ${pipelines} where ${pipelines.id} = ${pipeline_id})`
  const known = pipeline_id !== undefined && assertField(isPipeline, 'pipeline_id', 'does not exist in this workspace')
  if (leads.length === 0) return converted(ids, [known])
  const firms = companiesOf(leads)
  const people = await linkPeople(ctx, leads, firms.companyOf)
  const deals = create_opportunities ? opportunitiesOf(leads, firms.companyOf, people.contactOf, pipeline_id) : []
  const made = deals.map((deal) => deal.id)
  return converted(ids, [
    known,
    ...firms.statements,
    ...people.statements,
    ...(deals.length > 0 ? [...createDeals(deals), assertMade(opportunities, made, 'opportunity')] : []),
    noteConversion(leads, firms.companyOf, made),
  ])
}

const notNew = (at: number, state: string) =>
  new AppError('INVALID_STATE', `lead_result_ids.${at} is ${state}: set its status to new first`, { state, allowed: ['new', 'converted'] })

function converted(ids: string[], statements: Statements): Plan<{ results: LeadResult[] }> {
  const found = rows(
    db
      .select(resultColumns)
      .from(leadResults)
      .where(sql`${leadResults.id} = any(${uuids(ids)})`),
  )
  return plan(
    statements,
    mapResult(found, (all) => ({ results: ids.map((id) => all.find((one) => one.id === id) as LeadResult) })),
  )
}

/** The company of each result that names one: the one that it has, or a new one, one for each website or name. */
function companiesOf(leads: LeadFacts[]): { companyOf: Map<string, string>; statements: Statements } {
  const keyOf = ({ domain, company_name }: LeadFacts) => domain ?? company_name?.trim().toLowerCase()
  const named = leads.filter((lead) => lead.customer_id === null && lead.company_name)
  const firsts = named.filter((lead, at) => named.findIndex((other) => keyOf(other) === keyOf(lead)) === at)
  const input = firsts.map(({ company_name, website, city, country }) => ({
    name: company_name,
    ...(website && { website_url: website }),
    ...(city && { city }),
    ...(country && { country }),
  }))
  const creates = companyCreates(input)
  const made = new Map(firsts.map((lead, at) => [keyOf(lead), valuesOf(creates[1])[at]?.id as string]))
  const companyOf = new Map<string, string>()
  for (const lead of leads) {
    const id = lead.customer_id ?? (lead.company_name ? made.get(keyOf(lead)) : undefined)
    if (id) companyOf.set(lead.id, id)
  }
  const asserted = leads.map((lead) => (firsts.includes(lead) ? companyOf.get(lead.id) : undefined))
  const statements = firsts.length > 0 ? [...bulkStatements(creates).statements, assertMade(companies, asserted, 'company')] : []
  return { companyOf, statements }
}

const opportunitiesOf = (
  leads: LeadFacts[],
  companyOf: Map<string, string>,
  contactOf: (lead: LeadFacts) => string,
  pipeline_id: string | undefined,
) =>
  leads.map((lead) => {
    const customer_id = companyOf.get(lead.id)
    return {
      id: newId(),
      name: lead.company_name ?? lead.name,
      contacts: [{ contact_id: contactOf(lead), is_primary: true }],
      ...(customer_id && { customer_id }),
      ...(pipeline_id && { pipeline_id }),
    }
  })

const createDeals = (deals: ReturnType<typeof opportunitiesOf>): Statement[] =>
  bulkStatements(opportunityCreates({ valid: deals.map((value, index) => ({ index, creates: true, value })), errors: [] })).statements

function noteConversion(leads: LeadFacts[], companyOf: Map<string, string>, deals: string[]): Statement {
  const noted = leads.map(({ id }, at) => ({ id, customer_id: companyOf.get(id) ?? null, opportunity_id: deals[at] ?? null }))
  return sql`update lead_results r set status = 'converted', converted_at = now(), customer_id = n.customer_id,
      opportunity_id = n.opportunity_id
    from jsonb_to_recordset(${JSON.stringify(noted)}::jsonb) n(id uuid, customer_id uuid, opportunity_id uuid) where r.id = n.id`
}
