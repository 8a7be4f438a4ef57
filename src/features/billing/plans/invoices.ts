import { type SQL, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { invoices, opportunities } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import type { Statement } from '../../../data/db.ts'
import { asText, hand, handedText } from '../../../data/handed.ts'
import { type PageQuery, page } from '../../../data/page.ts'
import { plan } from '../../../data/plan.ts'
import { assertExists } from '../../../data/store.ts'
import { dayIn } from '../../../domain/local-days.ts'
import { idKey, keyOf, merged, type Source } from '../../lists/plans/merged-lists.ts'
import type { InvoiceHeader } from '../schemas/billing.ts'

/** Tells the transaction which day it is where the workspace is. Every plan that reads `is_overdue` begins with it. */
export const setToday = async (ctx: Ctx): Promise<Statement> => hand('today', asText(sql`${dayIn(await ctx.zone(), ctx.now)}`))

/** Overdue by the date in the workspace's time zone (see setToday). */
const overdue = (invoice: SQL) =>
  sql`(${invoice}.status in ('sent', 'partially_paid') and ${invoice}.amount_due > 0
    and coalesce(${invoice}.due_date < (select ${handedText('today')}::date), false))`
export const isOverdue = sql<boolean>`${overdue(sql`invoices`)}`.as('is_overdue')

const plain = { mapFromDriverValue: (value: unknown) => value }
const { id, invoice_number, status, currency, total, amount_paid, amount_due, due_date, customer_id, opportunity_id, created_at } = invoices
const headerFields = {
  id,
  invoice_number,
  status,
  is_overdue: plain,
  currency,
  total,
  amount_paid,
  amount_due,
  due_date,
  customer_id,
  customer_name: plain,
  opportunity_id,
  source: plain,
  created_at,
}

const header = (source: string) =>
  sql`i.id, i.invoice_number, i.status, ${overdue(sql`i`)} as is_overdue, i.currency, i.total, i.amount_paid, i.amount_due,
    i.due_date, i.customer_id,
    (select c.name from companies c where c.workspace_id = i.workspace_id and c.id = i.customer_id) as customer_name, i.opportunity_id,
      ${sql.raw(`'${source}'`)} as source, i.created_at`

/** Lists an opportunity's own invoices and those of its billing parties, newest first. */
export async function invoicesOfOpportunity(opportunityId: string, query: PageQuery, ctx: Ctx) {
  const own: Source = (slice) => slice(sql`select ${header('opportunity')} from invoices i where i.opportunity_id = ${opportunityId}`)
  const brought: Source = (slice) =>
    sql`select t.* from billing_parties b cross join lateral (${slice(
      sql`select ${header('billing_party')} from invoices i
        where i.customer_id = b.customer_id and i.opportunity_id is distinct from ${opportunityId}::uuid`,
    )}) t where b.opportunity_id = ${opportunityId}`
  const result = page<v.InferOutput<typeof InvoiceHeader>>({
    select: merged(headerFields, [own, brought]),
    id: idKey,
    where: [],
    sorts: { created_at: keyOf('created_at') },
    name: `invoices of ${opportunityId}`,
    query: { ...query, sort: '-created_at' },
  })
  return plan([await setToday(ctx), assertExists(opportunities, opportunityId, 'opportunity')], result)
}
