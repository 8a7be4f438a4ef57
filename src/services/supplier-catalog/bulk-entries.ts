import { sql } from 'drizzle-orm'
import { companies, supplierCatalogEntries as entries, products } from '../../../schema/index.ts'
import { allHold, insertEach, type Reference, refersTo } from '../../data/bulk.ts'
import type { Statement } from '../../data/db.ts'
import { columnsFor } from '../../data/store.ts'
import { newId } from '../../lib/ids.ts'
import { validateEach, valuesOf, withValues } from '../../schemas/bulk.ts'
import { CatalogEntryPatchWithId, NewCatalogEntry, SupplierCatalogEntry } from '../../schemas/supplier-catalog.ts'
import { type BulkPlan, bulkTable } from '../bulk/bulk.ts'
import { updatesOf } from '../bulk/updates.ts'
import { ENDS_BEFORE, WHAT } from './catalog.ts'

type Row = Record<string, unknown>

const dayOf = (name: 'valid_from' | 'valid_to') =>
  sql.raw(`case when p.patch ? '${name}' then r.${name} else (select e.${name} from supplier_catalog_entries e where e.id = r.id) end`)
const IS_EVER_VALID: Reference = {
  field: 'valid_to',
  condition: sql`coalesce((${dayOf('valid_to')}) >= (${dayOf('valid_from')}), true)`,
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
 * Prefers the last of the written entries of each product that are to be preferred. This follows the write, because the trigger `prefer` cannot
 * change an entry that a later row of the same statement changes.
 */
function prefer(rows: Row[], references: Reference[]): Statement | undefined {
  const preferred = rows.filter(({ is_preferred }) => is_preferred)
  if (preferred.length === 0) return undefined
  const last = sql`select distinct on (e.product_id, case when e.product_id is null then e.id end) e.id
    from jsonb_array_elements(${JSON.stringify(preferred)}::jsonb) with ordinality as p(patch, n), jsonb_populate_record(null::${entries}, p.patch) as r
      join ${entries} e on e.id = r.id
    where ${allHold(references)} order by e.product_id, case when e.product_id is null then e.id end, p.n desc`
  return sql`update ${entries} t set is_preferred = true from (${last}) l where t.id = l.id and not t.is_preferred`
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
