import { type SQL, sql } from 'drizzle-orm'
import { activities, companies, contacts, products, supplierCatalogEntries, tasks } from '../../../../schema/index.ts'
import type { Keys } from '../../../data/page.ts'
import { columnsFor, selectFrom } from '../../../data/store.ts'
import type { Searched } from '../../../schemas/search.ts'
import { Activity } from '../../activities/schemas/activities.ts'
import { Company } from '../../companies/schemas/companies.ts'
import { Contact } from '../../contacts/schemas/contacts.ts'
import { FIELDS } from '../../imports/rules/fields.ts'
import { listFields } from '../../opportunities/plans/opportunities.ts'
import { Opportunity } from '../../opportunities/schemas/opportunities.ts'
import { Product } from '../../products/schemas/products.ts'
import { SEARCHED, searched } from '../../search/plans/record-search.ts'
import { SupplierCatalogEntry } from '../../supplier-catalog/schemas/supplier-catalog.ts'
import { Task } from '../../tasks/schemas/tasks.ts'
import type { Exported } from '../schemas/exports.ts'

/** What may be read of a record that others refer to by name: its id, in the place of a name that the caller may not read. */
const ifReadable = (plural: string, name: string, id: string) =>
  `case when (select has_scopes('{${plural}:read}')) then ${name} else ${id} end`
const nameOf = (table: string, key: string) => sql.raw(`(select o.name from public.${table} o where o.id = ${key})`)
const emailOf = (key: string) => sql.raw(`(select o.email from public.users o where o.id = ${key})`)
/** As a list, because an import splits a name with a semicolon. */
const companyName = 'export_list(array[o.name])'
const companyOf = (key: string) => sql.raw(`(select ${companyName} from public.companies o where o.id = ${key})`)

/** How an import finds a record again: names of people and opportunities are not unique. */
const KNOWN_BY = {
  companies: companyName,
  contacts: `coalesce(o.external_id, o.email, concat_ws(' ', o.first_name, o.last_name))`,
  opportunities: 'coalesce(o.external_id, o.name)',
  products: 'coalesce(o.external_id, o.sku, o.name)',
} as const
const known = (table: keyof typeof KNOWN_BY, key: string) =>
  sql.raw(ifReadable(table, `(select ${KNOWN_BY[table]} from public.${table} o where o.id = ${key})`, `${key}::text`))
/** The contacts of an activity, the main one first. */
const participants = sql.raw(
  `nullif(export_list(${ifReadable(
    'contacts',
    `array(select ${KNOWN_BY.contacts} from public.contacts o where o.id = any(activities.contact_ids)
      order by array_position(activities.contact_ids, o.id))`,
    'activities.contact_ids::text[]',
  )}), '')`,
)

/** The contacts of an opportunity, the primary one first. */
const stakeholders = sql.raw(
  `nullif(export_list(array(select ${ifReadable('contacts', KNOWN_BY.contacts, 'o.id::text')} from public.opportunity_contacts l
    join public.contacts o on o.workspace_id = l.workspace_id and o.id = l.contact_id where l.opportunity_id = opportunities.id
    order by l.is_primary desc, l.id)), '')`,
)
/** The line items of an opportunity in their order, without their buckets. */
const lineItems = sql.raw(
  `(select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('product',
    ${ifReadable('products', `(select ${KNOWN_BY.products} from public.products o where o.id = i.product_id)`, 'i.product_id::text')},
    'name', i.name, 'description', i.description, 'quantity', i.quantity, 'unit_price', i.unit_price,
      'discount_percent', i.discount_percent,
    'tax_percent', i.tax_percent)) order by i.position, i.id) from public.opportunity_products i
      where i.opportunity_id = opportunities.id)`,
)

/** The records that a row refers to, by name, email address or external id, as an import resolves them. */
const NAMED: Record<Exported, Record<string, SQL>> = {
  contacts: {
    company: companyOf('contacts.customer_id'),
    owner: emailOf('contacts.assigned_to'),
    lead_source: nameOf('lead_sources', 'contacts.source_id'),
  },
  companies: {
    parent_company: nameOf('companies', 'companies.parent_company_id'),
    owner: emailOf('companies.assigned_to'),
  },
  opportunities: {
    company: companyOf('opportunities.customer_id'),
    contact: stakeholders,
    line_items: lineItems,
    owner: emailOf('opportunities.assigned_to'),
    pipeline: nameOf('pipelines', 'opportunities.pipeline_id'),
    stage: nameOf('stages', 'opportunities.stage_id'),
  },
  products: {},
  supplier_catalog_entries: {
    supplier: sql.raw(
      ifReadable(
        'companies',
        '(select o.name from public.companies o where o.id = supplier_catalog_entries.supplier_id)',
        'supplier_catalog_entries.supplier_id::text',
      ),
    ),
    product: known('products', 'supplier_catalog_entries.product_id'),
  },
  tasks: {
    owner: emailOf('tasks.assigned_to'),
    contact: known('contacts', 'tasks.contact_id'),
    company: known('companies', 'tasks.customer_id'),
    opportunity: known('opportunities', 'tasks.opportunity_id'),
    // A completed task keeps how its series recurs, and does not recur itself.
    recurrence: sql.raw(`case when tasks.status <> 'completed' then tasks.recurrence end`),
  },
  activities: {
    contact: participants,
    company: known('companies', 'activities.customer_id'),
    opportunity: known('opportunities', 'activities.deal_id'),
  },
}

const SCHEMAS = {
  contacts: Contact,
  companies: Company,
  opportunities: Opportunity,
  products: Product,
  supplier_catalog_entries: SupplierCatalogEntry,
  tasks: Task,
  activities: Activity,
}
export const FIELDS_OF: Record<Exported, Record<string, unknown>> = {
  contacts: columnsFor(contacts, Contact),
  companies: columnsFor(companies, Company),
  opportunities: listFields,
  products: columnsFor(products, Product),
  supplier_catalog_entries: columnsFor(supplierCatalogEntries, SupplierCatalogEntry),
  tasks: columnsFor(tasks, Task),
  activities: columnsFor(activities, Activity),
}

const withNames = (object: Exported): Record<string, unknown> => ({
  ...FIELDS_OF[object],
  ...Object.fromEntries(Object.entries(NAMED[object]).map(([name, value]) => [name, value.as(name)])),
})
const exported = (object: Searched) => searched(SEARCHED[object].table, withNames(object), SEARCHED[object].sorts)
export const EXPORTED = { contacts: exported('contacts'), companies: exported('companies'), opportunities: exported('opportunities') }

const TABLES = { products, supplier_catalog_entries: supplierCatalogEntries, tasks, activities }
export type Listed = keyof typeof TABLES
const selectOf = (object: Listed) => {
  const fields = withNames(object)
  return (keys: Keys) => selectFrom<unknown>(TABLES[object], { ...fields, ...keys })
}
/** The selects of pages, each of them constant (see page). */
export const SELECTS = {
  products: selectOf('products'),
  supplier_catalog_entries: selectOf('supplier_catalog_entries'),
  tasks: selectOf('tasks'),
  activities: selectOf('activities'),
}

/** The fields that an export can have as columns. */
export const availableFields = (object: Exported): string[] => [
  ...new Set([...Object.keys(SCHEMAS[object].entries), ...Object.keys(NAMED[object])]),
]
/** The default columns are those that an import accepts, so that a corrected file can be imported without a mapping. */
export const defaultFields = (object: Exported): string[] => {
  const available = availableFields(object)
  return FIELDS[object].map(({ name }) => name).filter((name) => available.includes(name))
}
