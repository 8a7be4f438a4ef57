import type pg from 'pg'
import { MONEY_MAX } from '../../src/domain/money.ts'
import type { PAYMENT_KINDS } from '../../src/features/agency/rules/agency.ts'
import { MAX_PENDING } from '../../src/features/agency/rules/agency.ts'
import { monthIn } from '../../src/features/agency/rules/months.ts'
import { Complaint } from '../settings.ts'

type Database = pg.ClientBase | pg.Pool

/** What the operator of the platform says about agencies, in the database. */
export type NewAgency = { commission_percent: number; currency: string; signup_url: string | null; from_month: string }

export const AGENCY_OPTIONS = {
  commission: { type: 'string' },
  currency: { type: 'string' },
  'signup-link': { type: 'string' },
  since: { type: 'string' },
} as const
export type AgencyOptions = { commission?: string; currency?: string; 'signup-link'?: string; since?: string }

/** Reads a number with at most two decimals, without its floating point value; undefined unless it is one. */
export const inHundredths = (text: string): number | undefined => {
  const parts = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text)
  return parts ? Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0')) : undefined
}

function readCommission(text: string): number {
  const hundredths = inHundredths(text)
  if (hundredths === undefined || hundredths > 10_000)
    throw new Complaint('--commission is a percentage from 0 to 100, such as 20 or 12.5.')
  return hundredths / 100
}

function readCurrency(currency: string): string {
  if (!/^[A-Z]{3}$/.test(currency)) throw new Complaint('--currency is a code of three letters, such as AUD.')
  if (new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits !== 2)
    throw new Complaint(`Commission is computed in hundredths, which ${currency} does not have.`)
  return currency
}

function readSignupLink(link: string): string {
  if (!(URL.canParse(link) && /^https?:/.test(link))) throw new Complaint('--signup-link is a web address.')
  return link
}

export function readAgency(options: AgencyOptions, now: Date): NewAgency {
  const link = options['signup-link']
  if (options.since !== undefined && !/^20\d\d-(0[1-9]|1[0-2])$/.test(options.since))
    throw new Complaint('--since is a month, such as 2026-01.')
  return {
    commission_percent: readCommission(options.commission ?? '20'),
    currency: readCurrency(options.currency ?? 'AUD'),
    signup_url: link === undefined ? null : readSignupLink(link),
    from_month: options.since ? `${options.since}-01` : monthIn('UTC', now),
  }
}

export type AgencyChange = Partial<Omit<NewAgency, 'from_month'>>

/** The signup link `none` takes the present one away. */
export function readAgencyChange({ commission, currency, 'signup-link': link, since }: AgencyOptions): AgencyChange {
  if (since !== undefined) throw new Complaint('The first month of the commission of an agency stays: leave --since out.')
  const change: AgencyChange = {
    ...(commission !== undefined && { commission_percent: readCommission(commission) }),
    ...(currency !== undefined && { currency: readCurrency(currency) }),
    ...(link !== undefined && { signup_url: link === 'none' ? null : readSignupLink(link) }),
  }
  if (Object.keys(change).length === 0) throw new Complaint('Say what changes: --commission, --currency or --signup-link.')
  return change
}

export const makeAgency = (database: Database, workspaceId: string, agency: NewAgency) =>
  database.query('select make_agency($1, $2)', [workspaceId, JSON.stringify(agency)])

/** Changes an agency. A percentage counts from the present month on. */
export async function changeAgency(database: Database, workspaceId: string, change: AgencyChange): Promise<void> {
  const month = monthIn(await zoneOf(database, workspaceId), new Date())
  await database.query('select change_agency($1, $2, $3)', [workspaceId, JSON.stringify(change), month])
}

export type ClientLink = { brought_in_by?: string; is_template?: boolean; plan?: string; trial_ends_at?: string }

export const linkClient = (database: Database, agencyId: string, clientId: string, link: ClientLink = {}) =>
  database.query('select link_agency_client($1, $2, $3)', [agencyId, clientId, JSON.stringify(link)])

export const unlinkClient = (database: Database, agencyId: string, clientId: string) =>
  database.query('select unlink_agency_client($1, $2)', [agencyId, clientId])

async function zoneOf(database: Database, agencyId: string): Promise<string> {
  const { rows } = await database.query('select timezone from workspaces where id = $1', [agencyId])
  if (rows.length === 0) throw new Complaint(`There is no workspace ${agencyId}.`)
  return rows[0].timezone
}

export type PaymentIn = {
  client_id: string
  kind: (typeof PAYMENT_KINDS)[number]
  paid_at: string
  amount_cents: number
  currency: string
  reference: string
}
export type RefundIn = { payment_reference: string; refunded_at: string; amount_cents: number; reference: string }

/** The largest amount, in cents. */
export const MOST_CENTS = Math.round(MONEY_MAX * 100)

/** Records a payment of a client, once for each reference. */
export async function recordPayment(database: Database, agencyId: string, payment: PaymentIn): Promise<string> {
  const month = monthIn(await zoneOf(database, agencyId), new Date(payment.paid_at))
  const row = JSON.stringify({ ...payment, month })
  const { rows } = await database.query('select record_agency_payment($1, $2, $3) as id', [agencyId, row, MAX_PENDING])
  return rows[0].id
}

/** Records a refund of a payment, once for each reference. */
export async function recordRefund(database: Database, agencyId: string, refund: RefundIn): Promise<string> {
  const month = monthIn(await zoneOf(database, agencyId), new Date(refund.refunded_at))
  const row = JSON.stringify({ ...refund, month })
  const { rows } = await database.query('select record_agency_refund($1, $2) as id', [agencyId, row])
  return rows[0].id
}
