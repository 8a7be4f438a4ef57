import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { constant, mapResult, plainRows } from '../../../data/query.ts'
import { withoutRequired } from '../../../data/required-fields.ts'
import { toEmailAddress } from '../../../domain/email-addresses.ts'
import { toCountryName } from '../../../domain/time-zones.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { cutText } from '../../../lib/text.ts'
import { createContact } from '../../contacts/plans/contacts.ts'
import { createOpportunity } from '../../opportunities/plans/opportunities.ts'
import type { PaymentReport } from '../provider/port.ts'
import { soldItem } from '../rules/totals.ts'
import type { Buyer, OrderLine } from '../rules/types.ts'
import { sealedPlace } from './settings.ts'

type Received = { received: true }
const RECEIVED = constant<Received>({ received: true })

/** Whoever knows the address of a workspace's webhook: reaches the workspace, and proves by a signature that it is the provider. */
export function paymentProvider({ url }: { url: string }) {
  const token = new URL(url).pathname.split('/')[3] ?? ''
  return { kind: 'provider_callback' as const, id: `payments ${token}`, grant: call('payment_grant', token) }
}
export const readSigned = ({ bytes, headers }: { bytes: Uint8Array; headers: Headers }) => ({
  bytes,
  signature: headers.get('stripe-signature'),
})

type Secrets = { workspace_id: string; secret_key: string; webhook_secret: string | null }
export const storedSecrets = mapResult(
  plainRows<Secrets>(sql`select workspace_id, secret_key, webhook_secret from payment_settings`, [
    'workspace_id',
    'secret_key',
    'webhook_secret',
  ]),
  ([row]) => row,
)

/** The order that a report is about, and what it makes when it is paid. */
type Reported = {
  id: string
  form: string
  pipeline_id: string | null
  prices_include_tax: boolean
  currency: string
  total: number
  lines: OrderLine[]
  buyer: Buyer | null
  is_paid: boolean
  /** Whether this event of the provider is logged already. */
  is_known: boolean
  contact: { id: string; customer_id: string | null } | null
}

/**
 * Takes a report of the payment provider. Its signature is verified over the exact bytes with the secret of the workspace that its address
 * belongs to. What follows from it commits together with its log entry. @throws UNAUTHENTICATED, or PROVIDER_ERROR when the provider, which
 * sends it again, must be asked first.
 */
export async function receivePayment(
  ctx: Ctx,
  { bytes, signature }: { bytes: Uint8Array; signature: string | null },
): Promise<Plan<Received>> {
  const secrets = await ctx.read(storedSecrets)
  if (!secrets?.webhook_secret) throw new AppError('UNAUTHENTICATED', 'This workspace has no signing secret for its webhook')
  const { workspace_id } = secrets
  const secret = await ctx.deployment.secrets.unseal(sealedPlace(workspace_id, 'webhook_secret'), secrets.webhook_secret)
  const report = await ctx.deployment.payments.readReport(secret, { bytes, signature, now: ctx.now })
  if (!report) return plan([], RECEIVED)
  const order = (await findOrder(ctx, report)) ?? (await askForOrder(ctx, secrets, report))
  if (!order || order.is_known) return plan([], RECEIVED)
  const { id, is_paid, is_known, contact } = order
  const stands = sql`order_stands(${id}::uuid, ${report.event_id}::text, ${is_paid}::boolean, ${is_known}::boolean,
    ${contact?.id ?? null}::uuid, ${payerEmail(report)}::text)`
  await ctx.assume(constant(null), null, () => stands)
  return plan(await statementsFor(ctx, order, report), RECEIVED)
}

/** The order of a report. An id from another workspace finds nothing. */
function findOrder(ctx: Ctx, report: PaymentReport): Promise<Reported | null> {
  const found = call('reported_order', report.order_id, report.payment_id, report.event_id, payerEmail(report))
  return ctx.read(mapResult(plainRows<{ order: Reported | null }>(found, ['order']), ([row]) => row?.order ?? null))
}

/** A dispute names only its payment, of which the report may still be on its way: the provider knows what was ordered with it. */
async function askForOrder(ctx: Ctx, { workspace_id, secret_key }: Secrets, report: PaymentReport): Promise<Reported | null> {
  if (report.order_id !== null || report.payment_id === null) return null
  const key = await ctx.deployment.secrets.unseal(sealedPlace(workspace_id, 'secret_key'), secret_key)
  const order_id = await ctx.deployment.payments.orderOf(key, report.payment_id)
  return order_id === null ? null : findOrder(ctx, { ...report, order_id })
}

async function statementsFor(ctx: Ctx, order: Reported, { order_id: _, payer, ...report }: PaymentReport): Promise<Statement[]> {
  if (report.event !== 'paid') return [record(order, report)]
  // A second report of one payment, such as that of its bank.
  if (order.is_paid) return []
  const { statements, contact_id, opportunity_id } = await sold(
    ctx,
    order,
    order.buyer?.email ? order.buyer : buyerOf(payer),
    report.amount,
  )
  const message = differs(order, report)
    ? `The provider has charged ${report.amount} ${report.currency} instead of ${order.total} ${order.currency}`
    : null
  return [...statements, record(order, { ...report, message, contact_id, opportunity_id })]
}

const differs = (order: Reported, { amount, currency }: Pick<PaymentReport, 'amount' | 'currency'>) =>
  amount !== Number(order.total) || currency !== order.currency

const record = (
  { id }: Reported,
  { event_id, ...report }: Omit<PaymentReport, 'order_id'> & { contact_id?: string | null; opportunity_id?: string },
) => call('record_payment', id, JSON.stringify({ ...report, provider_event_id: event_id }))

const payerEmail = ({ payer }: Pick<PaymentReport, 'payer'>): string | null => toEmailAddress(payer?.email?.trim() ?? '') ?? null

/** The buyer that the provider names, for an order whose own details are gone: its page has expired, or the person was purged. */
function buyerOf(payer: PaymentReport['payer']): Buyer | null {
  const email = payerEmail({ payer })
  return email === null ? null : { name: payer?.name?.trim() || (email.split('@')[0] as string), email }
}

/** The contact, if there is none, and the opportunity of an order that was paid. */
async function sold(ctx: Ctx, order: Reported, buyer: Buyer | null, paid: number | null) {
  const contact = order.contact ? { id: order.contact.id, statements: [] } : buyer && (await newContact(ctx, buyer))
  const opportunity_id = newId()
  const input = {
    name: cutText(buyer ? `${order.form}: ${buyer.name}` : order.form, 200),
    value: paid ?? Number(order.total),
    currency: order.currency,
    ...(order.pipeline_id && { pipeline_id: order.pipeline_id }),
    ...(order.contact?.customer_id && { customer_id: order.contact.customer_id }),
    ...(contact && { contacts: [{ contact_id: contact.id, is_primary: true }] }),
    ...(buyer?.notes && { notes: buyer.notes }),
    products: order.lines.map((line) => soldItem(line, order.prices_include_tax)),
  }
  const { statements } = createOpportunity(ctx, input, opportunity_id)
  return { statements: withoutRequired([...(contact?.statements ?? []), ...statements]), contact_id: contact?.id ?? null, opportunity_id }
}

/** A contact with the details of the form. The last word of the name is the last name. */
async function newContact(ctx: Ctx, { name, email, notes: _, country, ...details }: Buyer) {
  const [, first_name = name, last_name] = /^(.+?)\s+(\S+)$/.exec(name) ?? []
  const known = country && toCountryName(country)
  const input = {
    ...details,
    first_name: cutText(first_name, 120),
    ...(last_name && { last_name: cutText(last_name, 120) }),
    ...(known && { country: known }),
    email,
    source: 'order_form' as const,
  }
  const id = newId()
  return { id, statements: (await createContact(ctx, input, id)).statements }
}
