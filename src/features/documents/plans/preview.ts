import { eq, type SQL, sql } from 'drizzle-orm'
import { documentTemplates } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { assertField, mapResult, oneOrThrow } from '../../../data/query.ts'
import { Streamed } from '../../../data/streamed.ts'
import type { MergeField } from '../rules/merge-fields.ts'
import { documentHtml, type PricedItem } from '../rules/section-html.ts'
import type { PreviewQuery } from '../schemas/document-templates.ts'
import { TEMPLATE } from './sections.ts'
import { sectionsOf } from './templates.ts'

/** The width in pixels of the images of a page. */
const WIDTH = 960
/** The most line items that a page shows. */
const MAX_ITEMS = 500

type Values = Partial<Record<MergeField, string | null>>
type Facts = { values: Values; value: number | null; currency: string | null; items: PricedItem[] }

const address = (row: string) =>
  sql.raw(
    "nullif(concat_ws(', ', " +
      `${['address_line1', 'address_line2', 'city', 'state', 'postal_code'].map((name) => `nullif(${row}.${name}, '')`).join(', ')}), '')`,
  )

/**
 * The values of the merge fields, each record found by its key. The company of a contact or an opportunity is for those who may read it.
 */
function factsOf(query: PreviewQuery): SQL<Facts> {
  const { contact_id, customer_id, opportunity_id } = query
  // Row-level security would make a filter over all companies of a condition with coalesce.
  const companyOf = customer_id
    ? sql`${customer_id}::uuid`
    : sql`case when not (select has_scopes('{companies:read}')) then null
        when o.customer_id is not null then o.customer_id else c.customer_id end`
  return sql<Facts>`(select json_build_object(
    'values', json_build_object(
      'contact.first_name', c.first_name, 'contact.last_name', c.last_name,
        'contact.full_name', c.first_name || coalesce(' ' || c.last_name, ''),
      'contact.email', c.email, 'contact.phone', c.phone, 'contact.job_title', c.job_title, 'contact.address', ${address('c')},
      'company.name', k.name, 'company.email', k.email, 'company.phone', k.phone,
        'company.website_url', k.website_url, 'company.abn', k.abn,
      'company.address', ${address('k')}, 'opportunity.name', o.name, 'opportunity.description', o.description,
        'opportunity.value', o.value::text,
      'opportunity.currency', o.currency, 'opportunity.stage', (select s.name from stages s where s.id = o.stage_id),
      'opportunity.expected_close_date', o.expected_close_date::text, 'workspace.name', w.name),
    'value', o.value, 'currency', o.currency,
    'items', (select coalesce(json_agg(i), '[]')
      from (select p.name, p.description, p.quantity, p.subtotal, p.total - p.subtotal as tax, p.total
      from opportunity_products p where p.opportunity_id = ${opportunity_id ?? null}::uuid order by p.position, p.id
      limit ${MAX_ITEMS}::int) i))
    from workspaces w left join contacts c on c.id = ${contact_id ?? null}::uuid
    left join opportunities o on o.id = ${opportunity_id ?? null}::uuid
      left join companies k on k.id = ${companyOf}
    where w.id = current_workspace())`
}

/** Asserts that the records exist, and that the caller may read them. */
const guardsOf = (query: PreviewQuery) =>
  [
    ['contact_id', 'contacts'],
    ['customer_id', 'companies'],
    ['opportunity_id', 'opportunities'],
  ].flatMap(([field = '', table = '']) => {
    const id = query[field as keyof PreviewQuery]
    if (id === undefined) return []
    const exists = sql`exists (select from ${sql.identifier(table)} where id = ${id})`
    return [call('assert_scopes', `{${table}:read}`), assertField(exists, field, `${field} does not exist in this workspace`)]
  })

/** The page of a template with the values of these records. */
export async function previewTemplate(ctx: Ctx, id: string, query: PreviewQuery): Promise<Plan<Streamed>> {
  const today = localDay(ctx.now, await ctx.zone())
  const { apiUrl } = ctx.deployment
  const found = db
    .select({ name: documentTemplates.name, sections: sectionsOf.as('sections'), facts: factsOf(query).as('facts') })
    .from(documentTemplates)
    .where(eq(documentTemplates.id, id))
  const page = mapResult(oneOrThrow(found, TEMPLATE.name, id), ({ name, sections, facts }) => {
    const { items, value, currency } = facts
    const numbers = items.map(({ quantity, subtotal, tax, total, ...item }) => ({
      ...item,
      quantity: Number(quantity),
      subtotal: Number(subtotal),
      tax: Number(tax),
      total: Number(total),
    }))
    const html = documentHtml(name, sections, {
      values: { ...facts.values, today },
      today,
      items: numbers,
      value: value === null ? null : Number(value),
      currency: currency ?? '',
      imageUrl: (file) => `${apiUrl}/images/${file}/${WIDTH}`,
    })
    return new Streamed('text/html; charset=utf-8', () => onePiece(html), {
      'Content-Security-Policy': policyFor(apiUrl),
      'X-Content-Type-Options': 'nosniff',
    })
  })
  return plan(guardsOf(query), page)
}

async function* onePiece(html: string) {
  yield html
}

/** The page shows its own images and styles, and runs nothing. */
const policyFor = (apiUrl: string) =>
  `default-src 'none'; img-src ${new URL(apiUrl).origin}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; ` +
  "frame-ancestors 'none'; sandbox"

/** The day of an instant in a time zone, YYYY-MM-DD. */
const localDay = (now: Date, timeZone: string) => new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(now)
