import { sql } from 'drizzle-orm'
import { foreignKey, index, jsonb, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { amount, byWords, identity, normalised, reference, timestamps } from './columns.ts'
import { opportunities, opportunityProducts, products } from './opportunities.ts'

type Attributes = Record<string, unknown>
const labelled = {
  label: text(),
  search_text: normalised().notNull().generatedAlwaysAs(sql`search_form(coalesce(label, ''))`),
  type: text(),
  status: text(),
  quantity: amount().notNull().default(1),
  attributes: jsonb().$type<Attributes>().notNull().default({}),
}

/** What a product consists of. A component may belong to another one of the same product; a trigger refuses cycles. */
export const productComponents = pgTable(
  'product_components',
  { ...identity, product_id: uuid().notNull(), parent_component_id: uuid(), ...labelled, ...timestamps },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('product_components_by_created').on(t.workspace_id, t.created_at, t.id),
    index('product_components_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('product_components_by_product').on(t.workspace_id, t.product_id, t.created_at, t.id),
    index('product_components_by_type').on(t.workspace_id, t.type, t.created_at, t.id),
    index('product_components_by_parent').on(t.workspace_id, t.parent_component_id).where(sql`parent_component_id is not null`),
    byWords('product_components'),
    reference(t.product_id, products, 'cascade'),
    foreignKey({
      name: 'product_components.parent_component_id',
      columns: [t.workspace_id, t.parent_component_id],
      foreignColumns: [t.workspace_id, t.id],
    }).onDelete('set null'),
  ],
)

/** A component of a product that was sold. Its values are its own, so later changes of the product do not affect them. */
export const componentInstances = pgTable(
  'component_instances',
  {
    ...identity,
    /** Null after the product was deleted. */
    product_id: uuid(),
    opportunity_id: uuid().notNull(),
    /** The component and the line item that it was made of. */
    component_id: uuid(),
    line_item_id: uuid(),
    ...labelled,
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('component_instances_by_created').on(t.workspace_id, t.created_at, t.id),
    index('component_instances_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('component_instances_by_opportunity').on(t.workspace_id, t.opportunity_id, t.created_at, t.id),
    index('component_instances_by_product').on(t.workspace_id, t.product_id, t.created_at, t.id),
    index('component_instances_by_status').on(t.workspace_id, t.status, t.created_at, t.id),
    index('component_instances_by_component').on(t.workspace_id, t.component_id).where(sql`component_id is not null`),
    uniqueIndex('component_instances_source_key').on(t.workspace_id, t.line_item_id, t.component_id).where(sql`line_item_id is not null`),
    byWords('component_instances'),
    reference(t.product_id, products, 'set null'),
    reference(t.opportunity_id, opportunities, 'cascade'),
    reference(t.component_id, productComponents, 'set null'),
    reference(t.line_item_id, opportunityProducts, 'set null'),
  ],
)
