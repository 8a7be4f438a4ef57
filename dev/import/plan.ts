import type { Place } from './report.ts'
import { type Company, CURRENCY, type Member, type Opportunity, type Product, type StageName } from './sales.ts'

export type Fields = Record<string, string | number | null | undefined>
/** A record as the API returns it. */
export type Found = Record<string, unknown> & { id: string }

/** A record as it should be, with the ids of related records filled in. */
export interface Wanted {
  place: Place
  key: string
  /** The values that are compared with the existing record, except undefined ones. */
  fields: Fields
  /** Values that are only sent when the record is created, and never compared. */
  first?: Record<string, unknown>
  /** The stage in which the record should be. */
  stage_id?: string
}

export interface Plan {
  create: Wanted[]
  move: { id: string; wanted: Wanted }[]
  change: { id: string; patch: Fields; wanted: Wanted }[]
}

/** Returns what to send so that the records become as wanted; nothing for those that already are. */
export function planFor(all: Wanted[], found: Map<string, Found>): Plan {
  const plan: Plan = { create: [], move: [], change: [] }
  for (const wanted of all) {
    const record = found.get(wanted.key)
    if (!record) {
      plan.create.push(wanted)
      continue
    }
    const { id } = record
    if (wanted.stage_id !== undefined && wanted.stage_id !== record.stage_id) plan.move.push({ id, wanted })
    const patch = differences(wanted.fields, record)
    if (Object.keys(patch).length > 0) plan.change.push({ id, patch, wanted })
  }
  return plan
}

/** The wanted values that differ from the record's. */
export function differences(fields: Fields, record: Record<string, unknown>): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== undefined && value !== record[name]))
}

/** The ids of records, by key. */
export type Ids = Map<string, string>

/** The id of the record with this key. Undefined, and so neither sent nor compared, if that record could not be imported. */
const idOf = (ids: Ids, key: string | null): string | null | undefined => (key === null ? null : ids.get(key))

export const wantedCompany = ({ place, key, parent, ...fields }: Company, ids: Ids): Wanted => ({
  place,
  key,
  fields: { external_id: key, ...fields, parent_company_id: idOf(ids, parent) },
})

export const wantedProduct = ({ place, key, name, category, price }: Product): Wanted => ({
  place,
  key,
  fields: { external_id: key, name, category, price: price ?? undefined, currency: CURRENCY },
})

export const wantedMember = ({ place, key, parent, full_name, job_title, office }: Member, ids: Ids): Wanted => ({
  place,
  key,
  fields: { job_title, office, manager_user_id: idOf(ids, parent) },
  first: { email: key, full_name, role: 'client_editor' },
})

export interface References {
  companies: Ids
  members: Ids
  products: Ids
  stages: Map<StageName, string>
  prices: Map<string, number | null>
}

export function wantedOpportunity(opportunity: Opportunity, known: References): Wanted {
  const { place, key, name, value, opened_at, closed_at } = opportunity
  const stage_id = known.stages.get(opportunity.stage)!
  const [customer_id, assigned_to] = [idOf(known.companies, opportunity.company), idOf(known.members, opportunity.owner)]
  return {
    place,
    key,
    stage_id,
    fields: { external_id: key, name, value, currency: CURRENCY, assigned_to, customer_id, opened_at, closed_at },
    first: { stage_id, products: lineItems(opportunity, known) },
  }
}

/** One unit of the product at its list price. The value of the opportunity is the final price. */
export function lineItems({ product, product_name }: Opportunity, { products, prices }: References): Record<string, unknown>[] {
  if (product_name === '') return []
  const product_id = product === null ? undefined : products.get(product)
  return [{ product_id, name: product_name, quantity: 1, unit_price: prices.get(product ?? '') ?? 0 }]
}

/** Whether a record of this name was created for the product, so that its line item is already correct. */
export const isNamedFor = (product: string, name: unknown) =>
  typeof name === 'string' &&
  [`${product || 'Opportunity'} for `, `${product || 'Opportunity'} (no company)`].some((begin) => name.startsWith(begin))
