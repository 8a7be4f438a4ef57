import type { FieldType } from '../filters/custom-types.ts'

export const IMPORT_OBJECTS = ['contacts', 'companies', 'opportunities'] as const
export type ImportObject = (typeof IMPORT_OBJECTS)[number]

/** `checked` means validated without writing. `failed` and `cancelled` imports can be resumed. */
export const IMPORT_STATES = ['ready', 'checking', 'checked', 'running', 'finished', 'failed', 'cancelled', 'undoing', 'undone'] as const
export type ImportState = (typeof IMPORT_STATES)[number]
/** States in which the queue processes the import. */
export const ACTIVE_STATES: readonly ImportState[] = ['checking', 'running', 'undoing']

/** Whether lines create records, update existing ones, or both. */
export const IMPORT_MODES = ['create', 'update', 'upsert'] as const
export type ImportMode = (typeof IMPORT_MODES)[number]

export const ROW_STATUSES = ['created', 'updated', 'skipped', 'failed'] as const

export const DATE_FORMATS = ['dmy', 'mdy', 'ymd'] as const
export type DateFormat = (typeof DATE_FORMATS)[number]

/** The fields that a line can be matched to its record by. */
export const MATCH_FIELDS = {
  contacts: ['id', 'external_id', 'email', 'phone'],
  companies: ['id', 'external_id', 'name', 'email'],
  opportunities: ['id', 'external_id', 'name'],
} as const satisfies Record<ImportObject, readonly string[]>
export const ALL_MATCH_FIELDS = ['id', 'external_id', 'email', 'phone', 'name'] as const

/** Maps a column to a field of the object, or to `metadata.<key>`. */
export type Mapped = { column: string; field: string }
export type Suggested = Mapped & { confidence: number }

/** The part of a custom field's definition that parsing needs. */
export type Definition = { key: string; label: string; type: FieldType; options: string[] }
