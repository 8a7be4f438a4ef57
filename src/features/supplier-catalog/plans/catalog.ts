import { eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { companies, supplierCatalogEntries as entries, products } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { refersTo } from '../../../data/bulk.ts'
import type { Statement } from '../../../data/db.ts'
import { plan } from '../../../data/plan.ts'
import { assertField, compiledSelect, oneOrThrow, rows, typed } from '../../../data/query.ts'
import { assertExists, assertSent, columnsFor, insertRow, lockForUpdate, selectAny, selectFrom, updateRows } from '../../../data/store.ts'
import { dayIn } from '../../../domain/local-days.ts'
import { DEFAULT_CURRENCY } from '../../../domain/money.ts'
import { newId } from '../../../lib/ids.ts'
import {
  type CatalogEntryPatch,
  type NewCatalogEntry,
  type OffersQuery,
  SupplierCatalogEntry,
  type SupplierOffer,
} from '../schemas/supplier-catalog.ts'

type Entry = v.InferOutput<typeof SupplierCatalogEntry>
type Offer = v.InferOutput<typeof SupplierOffer>

export const WHAT = 'supplier catalog entry'
const MOST_OFFERS = 100
const columns = columnsFor(entries, SupplierCatalogEntry)
const records = compiledSelect(selectFrom<Entry>(entries, columns))
const record = (id: string) => oneOrThrow(records.where(eq(entries.id, id)), WHAT, id)

const REFERENCES = [refersTo('supplier_id', companies), refersTo('product_id', products)]

export const ENDS_BEFORE = 'must not be before valid_from: send a later day, or null for a price without an end'
type Validity = Pick<CatalogEntryPatch, 'valid_from' | 'valid_to'>

/** Asserts that a price is valid on at least one day; days that are not sent are those of the stored entry. */
function isEverValid({ valid_from, valid_to }: Validity, id: string): Statement | undefined {
  if (!valid_from && !valid_to) return undefined
  const dayOf = (name: string, day: string | null | undefined) =>
    day === undefined ? sql`(select e.${sql.identifier(name)} from ${entries} e where e.id = ${id})` : sql`${day}::date`
  return assertField(sql`coalesce(${dayOf('valid_to', valid_to)} >= ${dayOf('valid_from', valid_from)}, true)`, 'valid_to', ENDS_BEFORE)
}

const currencyOf = (product: string | null | undefined) =>
  sql`coalesce((select p.currency from products p where p.id = ${product ?? null}::uuid), ${DEFAULT_CURRENCY})`

/** Creates an entry, in the currency of its product unless another one is sent. */
export function createEntry(_ctx: Ctx, input: NewCatalogEntry) {
  const id = newId()
  const row = { ...input, id, currency: input.currency ?? currencyOf(input.product_id) }
  return plan([assertSent(entries, { ...input, id }, REFERENCES), isEverValid(input, id), insertRow(entries, row)], record(id))
}

export const updateEntry = (ctx: Ctx, id: string, patch: CatalogEntryPatch) =>
  plan(
    [
      lockForUpdate(ctx, entries, id, WHAT),
      assertSent(entries, { ...patch, id }, REFERENCES),
      isEverValid(patch, id),
      updateRows(entries, patch, eq(entries.id, id), { id }),
    ],
    record(id),
  )

/** The prices at which a quantity of a product can be bought on a day, the cheapest first. */
export async function listOffers(ctx: Ctx, { product_id, quantity = 1, date, currency }: OffersQuery) {
  const day = date ?? dayIn(await ctx.zone(), ctx.now)
  const offer = {
    ...columns,
    supplier_name:
      sql`(select c.name from companies c where c.workspace_id = supplier_catalog_entries.workspace_id and c.id = supplier_id)`.as(
        'supplier_name',
      ),
    quantity: sql`${quantity}::numeric`.mapWith(Number).as('quantity'),
    cost: sql`round(${quantity}::numeric * supplier_price, 2)`.mapWith(Number).as('cost'),
    is_cheapest: sql`o.is_cheapest`.as('is_cheapest'),
  }
  const offers = sql`supplier_offers(${product_id}::uuid, ${quantity}::numeric, ${day}::date,
    ${currency ?? currencyOf(product_id)}, ${MOST_OFFERS}::int) o`
  const select = selectAny(offer)
    .from(entries)
    .innerJoin(offers, sql`o.id = supplier_catalog_entries.id`)
    .orderBy(sql`supplier_price, is_preferred desc, supplier_catalog_entries.id`)
  return plan([assertExists(products, product_id, 'product')], rows(typed<Offer>(select)))
}
