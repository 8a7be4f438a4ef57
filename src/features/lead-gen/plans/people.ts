import { sql } from 'drizzle-orm'
import { contacts } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { assertNoPaths, mapResult, plainRows } from '../../../data/query.ts'
import type { OwnedTable } from '../../../data/store.ts'
import { invalid } from '../../../errors.ts'
import { valuesOf } from '../../../schemas/bulk.ts'
import { contactCreates } from '../../contacts/plans/contacts.ts'
import { bulkStatements } from '../../records/plans/bulk.ts'
import type { ConsentBasis } from '../rules/consent.ts'
import { personOf } from '../rules/results.ts'
import type { LeadStatus } from '../rules/statuses.ts'

/** A result, with the contact and the company that it has or that were found for it (lead_facts). */
export type LeadFacts = {
  id: string
  name: string
  company_name: string | null
  email: string | null
  phone: string | null
  website: string | null
  domain: string | null
  city: string | null
  country: string | null
  source: string | null
  status: LeadStatus
  consent_basis: ConsentBasis
  contact_id: string | null
  customer_id: string | null
  /** Why the person gets no email. */
  blocked: string | null
}

const FIELD = 'lead_result_ids'
export const uuids = (ids: string[]) => sql`${`{${ids.join(',')}}`}::uuid[]`

/**
 * The results of these ids, in the order of the ids. They are read first, and locked and read again in the transaction of the plan.
 * @throws VALIDATION_ERROR for an id without a result.
 */
export async function readLeads(ctx: Ctx, ids: string[]): Promise<LeadFacts[]> {
  const query = mapResult(plainRows<{ leads: LeadFacts[] }>(call('lead_facts', uuids(ids)), ['leads']), ([row]) => row?.leads ?? [])
  const found = await ctx.read(query)
  await ctx.assume(query, found, (leads) => call('lead_facts_hold', uuids(ids), JSON.stringify(leads)))
  const byId = new Map(found.map((lead) => [lead.id, lead]))
  const missing = ids.flatMap((id, at) => (byId.has(id) ? [] : [{ path: `${FIELD}.${at}`, message: 'does not exist in this workspace' }]))
  if (missing.length > 0) throw invalid(missing)
  return ids.map((id) => byId.get(id) as LeadFacts)
}

/** Who the contact of each result is: the one that it has, or a new one. `companies` has those of new contacts. */
export async function linkPeople(ctx: Ctx, leads: LeadFacts[], companies = new Map<string, string>()) {
  const others = leads.filter(({ contact_id }) => contact_id === null)
  const input = others.map((lead) => {
    const customer_id = companies.get(lead.id)
    return { ...personOf(lead), ...(customer_id && { customer_id }) }
  })
  const creates = await contactCreates(ctx, input)
  const created = valuesOf(creates[1])
  const ids = new Map(others.map(({ id }, at) => [id, created[at]?.id as string]))
  const contactOf = ({ id, contact_id }: LeadFacts) => contact_id ?? (ids.get(id) as string)
  const links = leads.map((lead) => ({ id: lead.id, contact_id: contactOf(lead) }))
  const made = leads.map(({ id }) => ids.get(id))
  const statements = others.length > 0 ? [...bulkStatements(creates).statements, assertMade(contacts, made, 'contact')] : []
  return { contactOf, statements: [...statements, linkStatement(links)] }
}

/** A rule of the workspace, such as a field that its records must have, can refuse one. */
export function assertMade(table: OwnedTable, ids: (string | undefined)[], noun: string): Statement {
  const made = sql`unnest(${`{${ids.map((id) => id ?? 'null').join(',')}}`}::uuid[]) with ordinality m(id, n)`
  const paths = sql`array(select ${`${FIELD}.`} || (n - 1) from ${made}
    where m.id is not null and not exists (select from ${table} where ${table.id} = m.id))`
  return assertNoPaths(paths, `Its ${noun} cannot be made as the workspace asks for: create it yourself first`)
}

const linkStatement = (links: { id: string; contact_id: string }[]): Statement =>
  sql`update lead_results r set contact_id = l.contact_id
    from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) l(id uuid, contact_id uuid)
    where r.id = l.id and r.contact_id is distinct from l.contact_id`
