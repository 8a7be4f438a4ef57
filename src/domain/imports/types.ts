import type { FieldType } from '../filters/custom-types.ts'

export const IMPORT_OBJECTS = ['contacts', 'companies', 'opportunities'] as const
export type ImportObject = (typeof IMPORT_OBJECTS)[number]

/** `checked`: tried without writing. `failed` and `cancelled` ones can be started again, where they stopped. */
export const IMPORT_STATES = ['ready', 'checking', 'checked', 'running', 'finished', 'failed', 'cancelled', 'undoing', 'undone'] as const
export type ImportState = (typeof IMPORT_STATES)[number]
/** In these it is worked on. */
export const ACTIVE_STATES: readonly ImportState[] = ['checking', 'running', 'undoing']

/** What is done with a line whose record is there already, or is not. */
export const IMPORT_MODES = ['create', 'update', 'upsert'] as const
export type ImportMode = (typeof IMPORT_MODES)[number]

export const ROW_STATUSES = ['created', 'updated', 'skipped', 'failed'] as const

export const DATE_FORMATS = ['dmy', 'mdy', 'ymd'] as const
export type DateFormat = (typeof DATE_FORMATS)[number]

/** By which of its fields a line finds its record. */
export const MATCH_FIELDS = {
  contacts: ['id', 'external_id', 'email', 'phone'],
  companies: ['id', 'external_id', 'name', 'email'],
  opportunities: ['id', 'external_id', 'name'],
} as const satisfies Record<ImportObject, readonly string[]>
export const ALL_MATCH_FIELDS = ['id', 'external_id', 'email', 'phone', 'name'] as const

/** Which column fills which field: a field of the object, or `metadata.<key>`. */
export type Mapped = { column: string; field: string }
export type Suggested = Mapped & { confidence: number }

/** A custom field, as far as reading its values goes. */
export type Definition = { key: string; label: string; type: FieldType; options: string[] }
