import { toCountryName } from '../../src/domain/time-zones.ts'
import type { Row } from './csv.ts'
import { cutLoops } from './hierarchy.ts'
import type { Company, Product } from './sales.ts'
import { normalise, squash } from './values.ts'

/** Known misspellings, in lower case. */
const SECTORS = { technolgy: 'technology' }
const COUNTRIES = { philipines: 'Philippines' }

export const companyKey = (name: string) => `crm-sales:company:${normalise(name)}`
export const productKey = (name: string) => `crm-sales:product:${squash(name)}`

export function readCompanies(rows: Row[]): Company[] {
  const found = new Map<string, { company: Company; row: Row }>()
  for (const row of rows) {
    const name = row.text('account')
    const key = companyKey(name)
    if (!isNew(row, 'account', name, found.get(key)?.row)) continue
    const company: Company = {
      place: row,
      key,
      parent: null,
      name,
      industry: row.spelt('sector', SECTORS),
      country: inEnglish(row.spelt('office_location', COUNTRIES)),
      founded_year: row.whole('year_established', 1000, 2200),
      annual_revenue: row.money('revenue', 6),
      employee_count: row.whole('employees', 0, 2_147_483_647),
    }
    row.missing('sector', 'office_location', 'year_established', 'revenue', 'employees')
    found.set(key, { company, row })
  }
  for (const { company, row } of found.values()) company.parent = parentOf(row, company, found)
  const companies = [...found.values()].map(({ company }) => company)
  cutLoops(companies, ({ key }) =>
    found.get(key)?.row.note('subsidiary_of', 'kept without', 'companies that belong to each other in a circle'),
  )
  return companies
}

function parentOf(row: Row, { key }: Company, found: Map<string, unknown>): string | null {
  const name = row.text('subsidiary_of')
  if (name === '') return null
  const parent = companyKey(name)
  if (parent !== key && found.has(parent)) return parent
  row.note('subsidiary_of', 'kept without', parent === key ? 'the company itself' : 'no such account in accounts.csv', name)
  return null
}

export function readProducts(rows: Row[]): Product[] {
  const found = new Map<string, { product: Product; row: Row }>()
  for (const row of rows) {
    const name = row.text('product')
    const key = productKey(name)
    if (!isNew(row, 'product', name, found.get(key)?.row)) continue
    row.missing('series', 'sales_price')
    found.set(key, { product: { place: row, key, name, category: row.text('series') || null, price: row.money('sales_price') }, row })
  }
  return [...found.values()].map(({ product }) => product)
}

/** The country as the API stores it, so that a repeated import finds it unchanged. */
const inEnglish = (country: string | null) => country && (toCountryName(country) ?? country)

/** Whether the row has a name that no earlier row has. If not, a note is added. */
export function isNew(row: Row, field: string, name: string, before: Row | undefined): boolean {
  if (name === '') row.note(field, 'skipped', 'empty')
  else if (before) row.note(field, 'skipped', 'already on an earlier line', `${name}, line ${before.line}`)
  return name !== '' && !before
}
