import type { FieldType } from '../filters/custom-types.ts'
import { RECORD_PLURALS, type RecordPlural } from '../records.ts'

export const IMPORT_OBJECTS = RECORD_PLURALS
export type ImportObject = RecordPlural

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
