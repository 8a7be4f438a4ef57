import { type SQL, sql } from 'drizzle-orm'
import { type Reference, updateEach } from '../../../data/bulk.ts'
import type { Statement } from '../../../data/db.ts'
import { type Validated, valuesOf } from '../../../schemas/bulk.ts'
import type { BulkPlan, BulkTable, Fields } from './bulk.ts'
import { checkUnique, uniqueRules } from './unique-values.ts'

type Patch = Record<string, unknown> & { id: string }
type How = {
  /** Rules beside the references of the table. */
  rules?: Reference[]
  /** Locks and guards before the update. */
  before?: (Statement | undefined)[]
  /** SQL for columns: see updateEach. */
  merging?: Record<string, SQL>
}

/** The rule that read-only fields have the values that were sent: see markChanged (src/data/read-only.ts). */
const UNCHANGED: Reference = {
  field: '',
  condition: sql`changed_fields(r.id) is null`,
  paths: sql`array(select jsonb_object_keys(changed_fields(r.id)))`,
}

/** The plan of a bulk update: writes each record in the columns of its own patch, unless it violates a rule. */
export function updatesOf<F extends Fields>(
  of: BulkTable<F>,
  validated: Validated<Patch>,
  { rules = [], before = [], merging = {} }: How = {},
): BulkPlan<F> {
  const patches = valuesOf(validated)
  const references = [...of.references, ...rules, ...uniqueRules(of.table, of.what), UNCHANGED]
  return [{ ...of, references }, validated, ...before, checkUnique(of.table, patches), updateEach(of.table, patches, references, merging)]
}
