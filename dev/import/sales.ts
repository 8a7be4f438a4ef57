import type { Place } from './report.ts'

/** The files of the data set, and the columns that each must have. */
export const FILES = {
  'accounts.csv': ['account', 'sector', 'year_established', 'revenue', 'employees', 'office_location', 'subsidiary_of'],
  'products.csv': ['product', 'series', 'sales_price'],
  'sales_teams.csv': ['sales_agent', 'manager', 'regional_office'],
  'sales_pipeline.csv': ['opportunity_id', 'sales_agent', 'product', 'account', 'deal_stage', 'engage_date', 'close_date', 'close_value'],
} as const
export type FileName = keyof typeof FILES

export const PIPELINE = {
  name: 'CRM sales',
  stages: [
    { name: 'Prospecting', kind: 'open', probability: 10 },
    { name: 'Engaging', kind: 'open', probability: 40 },
    { name: 'Won', kind: 'won', probability: 100 },
    { name: 'Lost', kind: 'lost', probability: 0 },
  ],
} as const
export type StageName = (typeof PIPELINE.stages)[number]['name']

/** The files name no currency. Their amounts are in American notation, so they are taken as US dollars. */
export const CURRENCY = 'USD'

/** The files have no email addresses, so each member gets first.last at a domain that cannot receive email. */
export const EMAIL_DOMAIN = 'crm-sales.example'

/** A company in the files. `key` is its external_id, `parent` that of its parent company. */
export interface Company {
  place: Place
  key: string
  parent: string | null
  name: string
  industry: string | null
  country: string | null
  founded_year: number | null
  annual_revenue: number | null
  employee_count: number | null
}

/** `key` is the external_id. */
export interface Product {
  place: Place
  key: string
  name: string
  category: string | null
  price: number | null
}

/** `key` is the email address, `parent` that of the manager. */
export interface Member {
  place: Place
  key: string
  parent: string | null
  full_name: string
  job_title: string
  office: string | null
}

/** `key` is the external_id; `owner`, `company` and `product` are keys too. */
export interface Opportunity {
  place: Place
  key: string
  name: string
  stage: StageName
  value: number
  /** Null while nobody has engaged. */
  opened_at: string | null
  /** Undefined if only the API determines it. */
  closed_at: string | undefined
  owner: string | null
  company: string | null
  product: string | null
  /** The product; an unknown one as written in the file. */
  product_name: string
}

export interface Sales {
  companies: Company[]
  products: Product[]
  members: Member[]
  opportunities: Opportunity[]
}
