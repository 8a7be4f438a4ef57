import * as v from 'valibot'
import { describe, Enum, pageQuery, QueryBool } from '../../../schemas/fields.ts'
import { IMPORT_STATES } from '../rules/states.ts'
import { IMPORT_OBJECTS, ROW_STATUSES } from '../rules/types.ts'

/** The filters of the list of imports. */
export const importFilters = {
  state: v.optional(Enum(IMPORT_STATES)),
  object: v.optional(Enum(IMPORT_OBJECTS)),
}
/** The query of the lines of an import. */
export const RowQuery = v.strictObject({
  ...pageQuery,
  status: v.optional(Enum(ROW_STATUSES)),
  warnings: v.optional(describe(QueryBool, 'Whether lines have warnings.', true)),
  undone: v.optional(Enum(['removed', 'restored', 'kept'], 'What the undo of the import did with the record.')),
})
