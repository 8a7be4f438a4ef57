import type { FieldType } from '../../../domain/filters/custom-types.ts'
import { RECORD_PLURALS } from '../../../domain/records.ts'

export const IMPORT_OBJECTS = [
  ...RECORD_PLURALS,
  'products',
  'supplier_catalog_entries',
  'tasks',
  'activities',
  'lead_results',
  'notes',
] as const
export type ImportObject = (typeof IMPORT_OBJECTS)[number]

/** What the lines of a file become: the table, the entity in the history, and the resource of their scopes. Notes are activities. */
export const IMPORTED = {
  contacts: { table: 'contacts', entity: 'contact', scope: 'contacts' },
  companies: { table: 'companies', entity: 'company', scope: 'companies' },
  opportunities: { table: 'opportunities', entity: 'opportunity', scope: 'opportunities' },
  products: { table: 'products', entity: 'product', scope: 'products' },
  supplier_catalog_entries: { table: 'supplier_catalog_entries', entity: 'supplier_catalog_entry', scope: 'products' },
  tasks: { table: 'tasks', entity: 'task', scope: 'tasks' },
  activities: { table: 'activities', entity: 'activity', scope: 'activities' },
  notes: { table: 'activities', entity: 'activity', scope: 'activities' },
  lead_results: { table: 'lead_results', entity: 'lead_result', scope: 'lead-gen' },
} as const satisfies Record<ImportObject, { table: string; entity: string; scope: string }>
/** What one line is called. */
export const nounOf = (object: ImportObject): string => (object === 'notes' ? 'note' : IMPORTED[object].entity.replaceAll('_', ' '))

/** Whether lines create records, update existing ones, or both. */
export const IMPORT_MODES = ['create', 'update', 'upsert'] as const
export type ImportMode = (typeof IMPORT_MODES)[number]

export const ROW_STATUSES = ['created', 'updated', 'skipped', 'failed'] as const

export const DATE_FORMATS = ['dmy', 'mdy', 'ymd'] as const
export type DateFormat = (typeof DATE_FORMATS)[number]

export const FILE_TYPES = ['csv', 'vcard', 'xlsx'] as const
export type FileType = (typeof FILE_TYPES)[number]

/** The fields that a line can be matched to its record by. */
export const MATCH_FIELDS = {
  contacts: ['id', 'external_id', 'email', 'phone'],
  companies: ['id', 'external_id', 'name', 'email'],
  opportunities: ['id', 'external_id', 'name'],
  products: ['id', 'external_id', 'sku', 'name'],
  supplier_catalog_entries: ['id', 'external_id'],
  tasks: ['id', 'external_id'],
  activities: ['id'],
  notes: ['id'],
  lead_results: ['id'],
} as const satisfies Record<ImportObject, readonly string[]>
export const ALL_MATCH_FIELDS = ['id', 'external_id', 'email', 'phone', 'sku', 'name'] as const
export type MatchField = (typeof ALL_MATCH_FIELDS)[number]

/** Matches each line by the best identifier that it has: see IDENTIFIERS. */
export const BEST = 'best' as const
export const MATCH_SETTINGS = [...ALL_MATCH_FIELDS, BEST] as const

/** The identifiers of a record, the best one first. Two opportunities may have the same name. */
export const IDENTIFIERS: Record<ImportObject, readonly MatchField[]> = {
  contacts: ['id', 'external_id', 'email', 'phone'],
  companies: ['id', 'external_id', 'name', 'email'],
  opportunities: ['id', 'external_id'],
  products: ['id', 'external_id', 'sku', 'name'],
  supplier_catalog_entries: ['id', 'external_id'],
  tasks: ['id', 'external_id'],
  activities: ['id'],
  notes: ['id'],
  lead_results: ['id'],
}
/** A record without an external id is taken over by a line that has an unknown id or external id, and the same value of this field. */
export const ADOPTED_BY: Partial<Record<ImportObject, MatchField>> = { contacts: 'email', companies: 'name', products: 'sku' }

/**
 * What an import does with a line that refers to an unknown record: the record is created, or the line is imported without it, or not at
 * all. A placeholder is also created for an id of another system, so that files can be imported in any order.
 */
export const UNKNOWN_ACTIONS = ['create', 'placeholder', 'report', 'fail'] as const
export type UnknownAction = (typeof UNKNOWN_ACTIONS)[number]

/** A pipeline or stage that lines name and that there is not, with what the import's settings say for it. */
export type UnknownValue = { field: string; value: string; pipeline: string | null; action: UnknownAction; lines: number }

/** Replaces a value of a field's columns by another one, or by none. */
export type Replacement = { field: string; from: string; to: string }

/** A value for the API; or a reason why the cell cannot be parsed, which fails its line, or why it is dropped, which does not. */
export type Cell = { value: unknown } | { message: string } | { warning: string }

/** Maps a column to a field of the object, or to `metadata.<key>`. */
export type Mapped = { column: string; field: string }
export type Suggested = Mapped & { confidence: number }

/** The part of a custom field's definition that parsing needs. */
export type Definition = { key: string; label: string; type: FieldType; options: string[] }

/** What a cell becomes: the field and its value, or why it is not imported. */
export type PreviewedCell = { column: string; text: string; field: string | null; value: unknown; problem: string | null }
export type PreviewedLine = { line: number; cells: PreviewedCell[]; errors: { field: string | null; message: string }[] }
