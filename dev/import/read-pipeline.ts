import type { Row } from './csv.ts'
import { companyKey, isNew, productKey } from './read-catalogue.ts'
import { type Company, type Member, type Opportunity, PIPELINE, type Product, type StageName } from './sales.ts'
import { normalise } from './values.ts'

interface Known {
  companies: Company[]
  products: Product[]
  /** By normalised name. */
  members: Map<string, Member>
}
interface Index {
  companies: Map<string, Company>
  products: Map<string, Product>
  members: Map<string, Member>
}

const stages = new Map(PIPELINE.stages.map(({ name, kind }) => [normalise(name), { name, kind }]))

export function readOpportunities(rows: Row[], { companies, products, members }: Known): Opportunity[] {
  const index: Index = { companies: byKey(companies), products: byKey(products), members }
  const found = new Map<string, { opportunity: Opportunity; row: Row }>()
  for (const row of rows) {
    const key = row.text('opportunity_id')
    if (!isNew(row, 'opportunity_id', key, found.get(key)?.row)) continue
    const stage = stageOf(row)
    if (stage) found.set(key, { opportunity: { place: row, key, ...partsOf(row, index), ...stage }, row })
  }
  return [...found.values()].map(({ opportunity }) => opportunity)
}

const byKey = <T extends { key: string }>(all: T[]) => new Map(all.map((one) => [one.key, one]))

/** An opportunity needs a status: a line without won, lost or open cannot be imported. */
function stageOf(row: Row): Pick<Opportunity, 'stage' | 'value' | 'opened_at' | 'closed_at'> | undefined {
  const text = row.text('deal_stage')
  const stage = stages.get(normalise(text))
  if (!stage) {
    row.note('deal_stage', 'skipped', `none of ${PIPELINE.stages.map(({ name }) => name).join(', ')}`, text)
    return undefined
  }
  if (text !== stage.name) row.note('deal_stage', 'mended', `${text} → ${stage.name}`)
  return { stage: stage.name, value: worthOf(row, stage), ...datesOf(row, stage) }
}

type Stage = { name: StageName; kind: 'open' | 'won' | 'lost' }

/** Empty is valid while the opportunity is open. */
function worthOf(row: Row, { kind }: Stage): number {
  if (kind !== 'open' && row.text('close_value') === '') row.note('close_value', 'kept without', 'empty: counted as 0')
  return row.money('close_value') ?? 0
}

function datesOf(row: Row, { name, kind }: Stage): Pick<Opportunity, 'opened_at' | 'closed_at'> {
  const opened_at = row.day('engage_date')
  const closed = row.day('close_date')
  if (name !== 'Prospecting') row.missing('engage_date')
  if (kind === 'open') {
    if (closed) row.note('close_date', 'kept without', 'an open opportunity has no close date', row.text('close_date'))
    return { opened_at, closed_at: undefined }
  }
  if (row.text('close_date') === '') row.note('close_date', 'kept without', 'empty: closed when it is imported')
  if (opened_at && closed && closed < opened_at) row.note('close_date', 'kept as it is', 'before the engage_date', row.text('close_date'))
  return { opened_at, closed_at: closed ?? undefined }
}

function partsOf(row: Row, index: Index): Pick<Opportunity, 'name' | 'owner' | 'company' | 'product' | 'product_name'> {
  const product = productOf(row, index)
  const company = companyOf(row, index)
  return {
    name: `${product.name || 'Opportunity'} ${company.name ? `for ${company.name}` : '(no company)'}`,
    owner: ownerOf(row, index),
    company: company.key,
    product: product.key,
    product_name: product.name,
  }
}

function productOf(row: Row, { products }: Index): { key: string | null; name: string } {
  const text = row.text('product')
  const product = products.get(productKey(text))
  if (text === '') row.note('product', 'kept without', 'empty')
  else if (!product) row.note('product', 'kept without', 'no such product in products.csv: its name alone is kept', text)
  else if (text !== product.name) row.note('product', 'mended', `${text} → ${product.name}`)
  return { key: product?.key ?? null, name: product?.name ?? text }
}

function companyOf(row: Row, { companies }: Index): { key: string | null; name: string } {
  const text = row.text('account')
  const company = companies.get(companyKey(text))
  if (text === '') row.note('account', 'kept without', 'empty: no company')
  else if (!company) row.note('account', 'kept without', 'no such account in accounts.csv: its name alone is kept', text)
  else if (text !== company.name) row.note('account', 'mended', `${text} → ${company.name}`)
  return { key: company?.key ?? null, name: company?.name ?? text }
}

function ownerOf(row: Row, { members }: Index): string | null {
  const text = row.text('sales_agent')
  const member = members.get(normalise(text))
  if (!member)
    row.note(
      'sales_agent',
      'kept without',
      text ? 'no such seller in sales_teams.csv: nobody is assigned' : 'empty: nobody is assigned',
      ...(text ? [text] : []),
    )
  else if (text !== member.full_name) row.note('sales_agent', 'mended', `${text} → ${member.full_name}`)
  return member?.key ?? null
}
