import { eq } from 'drizzle-orm'
import { products } from '../../../schema/index.ts'
import type { Ctx } from '../../context.ts'
import { insertEach, updateEach } from '../../data/bulk.ts'
import { db } from '../../data/db.ts'
import { plan } from '../../data/plan.ts'
import { oneOrThrow } from '../../data/query.ts'
import { columnsFor, lockForUpdate, mergedMetadata } from '../../data/store.ts'
import { newId } from '../../lib/ids.ts'
import { validateEach, valuesOf } from '../../schemas/bulk.ts'
import { NewProduct, Product, type ProductPatch, ProductPatchWithId } from '../../schemas/products.ts'
import { type BulkPlan, bulkTable, bulkWrite } from '../bulk/bulk.ts'
import { updatesOf } from '../bulk/updates.ts'
import { clearable } from '../settings/custom-fields.ts'

const bulk = bulkTable({ table: products, entity: 'product', what: 'product', fields: columnsFor(products, Product), references: [] })

export function updateProduct(ctx: Ctx, id: string, patch: ProductPatch) {
  const record = oneOrThrow(db.select(columnsFor(products, Product)).from(products).where(eq(products.id, id)), 'product')
  const update = Object.keys(patch).length > 0 && updateEach(products, [{ id, ...patch }], [], { metadata: mergedMetadata(products) })
  return plan([lockForUpdate(ctx, products, id, 'product'), clearable('product', patch.metadata), update], record)
}

export function productCreates(records: unknown[]): BulkPlan<typeof bulk.fields> {
  const validated = validateEach(NewProduct, records, (input) => ({ ...input, id: newId() }))
  return [bulk, validated, insertEach(products, valuesOf(validated), [])]
}

export const productUpdates = (records: unknown[]): BulkPlan<typeof bulk.fields> =>
  updatesOf(
    bulk,
    validateEach(ProductPatchWithId, records, (patch) => patch),
    { merging: { metadata: mergedMetadata(products) } },
  )

export const createProducts = (records: unknown[]) => bulkWrite(...productCreates(records))
