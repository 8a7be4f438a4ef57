import { sql } from 'drizzle-orm'
import { boolean, check, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { DEFAULT_CURRENCY } from '../src/domain/money.ts'
import { amount, day, identity, money, reference, timestamps } from './columns.ts'
import { companies } from './contacts.ts'
import { products } from './opportunities.ts'

/** What suppliers charge for products. A product has at most one preferred entry, which the trigger `prefer` maintains. */
export const supplierCatalogEntries = pgTable(
  'supplier_catalog_entries',
  {
    ...identity,
    supplier_id: uuid().notNull(),
    product_id: uuid(),
    supplier_price: money().notNull(),
    currency: text().notNull().default(DEFAULT_CURRENCY),
    supplier_sku: text(),
    min_quantity: amount().notNull().default(1),
    lead_time_days: integer(),
    valid_from: day(),
    valid_to: day(),
    is_preferred: boolean().notNull().default(false),
    notes: text(),
    external_id: text(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('supplier_catalog_entries_by_created').on(t.workspace_id, t.created_at, t.id),
    index('supplier_catalog_entries_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('supplier_catalog_entries_by_supplier').on(t.workspace_id, t.supplier_id, t.created_at, t.id),
    index('supplier_catalog_entries_by_product').on(t.workspace_id, t.product_id, t.created_at, t.id),
    index('supplier_catalog_entries_by_price').on(t.workspace_id, t.product_id, t.currency, t.supplier_price, t.id),
    uniqueIndex('supplier_catalog_entries_preferred_key').on(t.workspace_id, t.product_id).where(sql`is_preferred`),
    uniqueIndex('supplier_catalog_entries_external_id_key').on(t.workspace_id, t.external_id),
    check('valid_to', sql`valid_to >= valid_from`),
    reference(t.supplier_id, companies, 'cascade'),
    reference(t.product_id, products, 'cascade'),
  ],
)
