import { sql } from 'drizzle-orm'
import { companies, supplierCatalogEntries as entries, products } from '../../../../schema/index.ts'
import { allHold, insertEach, type Reference, refersTo } from '../../../data/bulk.ts'
import type { Statement } from '../../../data/db.ts'
import { columnsFor } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { validateEach, valuesOf, withValues } from '../../../schemas/bulk.ts'
import { type BulkPlan, bulkTable } from '../../records/plans/bulk.ts'
import { updatesOf } from '../../records/plans/updates.ts'
import { CatalogEntryPatchWithId, NewCatalogEntry, SupplierCatalogEntry } from '../schemas/supplier-catalog.ts'
import { ENDS_BEFORE, WHAT } from './catalog.ts'

type Row = Record<string, unknown>

const storedDay = (name: 'valid_from' | 'valid_to') => sql.raw(`(select e.${name} from supplier_catalog_entries e where e.id = r.id)`)
const isSent = (name: 'valid_from' | 'valid_to') => sql.raw(`p.patch ? '${name}'`)
/** The stored days are read only where a line has one of the two, because the planner may ask again for each row. */
const IS_EVER_VALID: Reference = {
  field: 'valid_to',
  condition: sql`coalesce(case when ${isSent('valid_to')} and ${isSent('valid_from')} then r.valid_to >= r.valid_from
    when ${isSent('valid_to')} then r.valid_to >= ${storedDay('valid_from')}
      when ${isSent('valid_from')} then ${storedDay('valid_to')} >= r.valid_from end, true)`,
  message: ENDS_BEFORE,
}

const bulk = bulkTable({
  table: entries,
  entity: 'supplier_catalog_entry',
  what: WHAT,
  fields: columnsFor(entries, SupplierCatalogEntry),
  references: [refersTo('supplier_id', companies), refersTo('product_id', products), IS_EVER_VALID],
})

/**
 * Prefers the last of the written entries of each product that are to be preferred. This follows the write, because the trigger `prefer`
 * cannot change an entry that a later row of the same statement changes.
 */
function prefer(rows: Row[], references: Reference[]): Statement | undefined {
  const preferred = rows.filter(({ is_preferred }) => is_preferred)
  if (preferred.length === 0) return undefined
  const written = sql`select r.id, e.product_id, p.n
    from jsonb_array_elements(${JSON.stringify(preferred)}::jsonb) with ordinality as p(patch, n),
      jsonb_populate_record(null::${entries}, p.patch) as r,
      lateral (select o.product_id from ${entries} o where o.id = r.id limit 1) e
    where ${allHold(references)}`
  const last = sql`select distinct on (product_id, case when product_id is null then id end) id from (${written}) w
    order by product_id, case when product_id is null then id end, n desc`
  return sql`update ${entries} set is_preferred = true where id = any(array(${last})) and is_preferred = false`
}

const withoutPreference = ({ is_preferred: _, ...row }: Row): Row => row

/** A price without a currency has that of its product. */
const CURRENCY = { currency: sql`coalesce(r.currency, (select p.currency from ${products} p where p.id = r.product_id))` }

export function entryCreates(records: unknown[]): BulkPlan<typeof bulk.fields> {
  const validated = validateEach(NewCatalogEntry, records, (input) => ({ ...input, id: newId() }))
  const rows = valuesOf(validated)
  return [bulk, validated, insertEach(entries, rows.map(withoutPreference), bulk.references, CURRENCY), prefer(rows, bulk.references)]
}

export function entryUpdates(records: unknown[]): BulkPlan<typeof bulk.fields> {
  const validated = validateEach(CatalogEntryPatchWithId, records, (patch) => patch)
  const patches = valuesOf(validated)
  const first = patches.map(({ is_preferred, ...patch }) => (is_preferred === false ? { ...patch, is_preferred } : patch))
  const [table, ...write] = updatesOf(bulk, withValues(validated, first))
  return [table, ...write, prefer(patches, table.references)]
}
