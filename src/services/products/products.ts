import { products } from '../../../schema/index.ts'
import { insertEach } from '../../data/bulk.ts'
import { columnsFor } from '../../data/store.ts'
import { newId } from '../../lib/ids.ts'
import { validateEach, valuesOf } from '../../schemas/bulk.ts'
import { NewProduct, Product } from '../../schemas/products.ts'
import { bulkTable, bulkWrite } from '../bulk/bulk.ts'

const bulk = bulkTable({ table: products, entity: 'product', what: 'product', fields: columnsFor(products, Product), references: [] })

export function createProducts(records: unknown[]) {
  const validated = validateEach(NewProduct, records, (input) => ({ ...input, id: newId() }))
  return bulkWrite(bulk, validated, insertEach(products, valuesOf(validated), []))
}
