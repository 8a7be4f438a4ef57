import type * as v from 'valibot'
import { products } from '../../../../schema/index.ts'
import { insertEach } from '../../../data/bulk.ts'
import { mergedMetadata } from '../../../data/metadata.ts'
import { columnsFor } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { validateEach, valuesOf } from '../../../schemas/bulk.ts'
import { type BulkPlan, bulkTable, bulkWrite } from '../../records/plans/bulk.ts'
import { updatesOf } from '../../records/plans/updates.ts'
import { NewProduct, Product, ProductPatchWithId } from '../schemas/products.ts'

const bulk = bulkTable({ table: products, entity: 'product', what: 'product', fields: columnsFor(products, Product), references: [] })

export function productCreates(
  records: unknown[],
  schema: v.GenericSchema<unknown, NewProduct> = NewProduct,
): BulkPlan<typeof bulk.fields> {
  const validated = validateEach(schema, records, (input) => ({ ...input, id: newId() }))
  return [bulk, validated, insertEach(products, valuesOf(validated), [])]
}

export const productUpdates = (records: unknown[]): BulkPlan<typeof bulk.fields> =>
  updatesOf(
    bulk,
    validateEach(ProductPatchWithId, records, (patch) => patch),
    { merging: { metadata: mergedMetadata(products) } },
  )

export const createProducts = (records: unknown[]) => bulkWrite(...productCreates(records))
