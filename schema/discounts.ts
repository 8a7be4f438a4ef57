import { boolean, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { identity, percent, reference, timestamps } from './columns.ts'
import { products } from './opportunities.ts'

/** Discounts on products. */
export const discounts = pgTable(
  'discounts',
  {
    ...identity,
    product_id: uuid().notNull(),
    name: text().notNull(),
    percent: percent().notNull(),
    is_active: boolean().notNull().default(true),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('discounts_by_created').on(t.workspace_id, t.created_at, t.id),
    index('discounts_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('discounts_by_product').on(t.workspace_id, t.product_id, t.created_at, t.id),
    reference(t.product_id, products, 'cascade'),
  ],
)
