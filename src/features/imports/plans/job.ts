import { batch, type Database } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import type { Encoding } from '../../../domain/csv/encoding.ts'
import { fieldOf, spillFields } from '../rules/fields.ts'
import { CUSTOM, type Field } from '../rules/kinds.ts'
import { type ImportState, PHASE_OF, type Phase } from '../rules/states.ts'
import type { DateFormat, Definition, FileType, ImportMode, ImportObject, Mapped, Replacement, UnknownAction } from '../rules/types.ts'

/** What decides how the cells of a line are read. */
export type ReadSettings = {
  object: ImportObject
  mapping: Mapped[]
  match_by: string | null
  defaults: Record<string, string>
  replacements: Replacement[]
  external_id_prefix: string | null
  date_format: DateFormat
  /** The time zone of the workspace, for times without an offset. */
  zone: string
  country: string | null
  clear_empty: boolean
  definitions: Definition[]
}

type Stored = ReadSettings & {
  workspace_id: string
  id: string
  state: ImportState
  mode: ImportMode
  unknown_companies: UnknownAction
  unknown_lead_sources: UnknownAction
  unknown_owners: UnknownAction
  unknown_contacts: UnknownAction
  unknown_opportunities: UnknownAction
  unknown_pipelines: UnknownAction
  unknown_stages: UnknownAction
  file: {
    type: FileType
    /** The size in bytes of what the lines are read from. */
    stored_size: number
    encoding: Encoding
    delimiter: string
    columns: { name: string }[]
    next_byte: number
    next_line: number
  }
}

/** A column's index and name in the file, and the field that it fills. */
export type Filled = { at: number; column: string; field: Field }
/** The settings with which lines are read, prepared for the file. */
export type Reader = ReadSettings & {
  filled: Filled[]
  /** The number of the file's columns. */
  width: number
  /** The fields that take further values of a cell. */
  lists: string[]
  /** Applies the replacements of a field's values, which are compared without regard to case. */
  replaced: (field: string, raw: string) => string
}

/** An import with everything that the queue consumer needs to process it. */
export type Job = Stored & Reader & { phase: Phase }

/** Loads the import. Returns undefined when there is nothing to do for it. */
export async function loadJob(database: Database, workspaceId: string, id: string): Promise<Job | undefined> {
  const [stored] = (await batch(database, [call('load_import', workspaceId, id)])) as [Stored | null]
  const phase = stored && PHASE_OF[stored.state]
  if (!stored || !phase) return undefined
  return { ...stored, phase, ...readerOf(stored, stored.file.columns) }
}

/** Connects the settings with the columns of the file. */
export function readerOf<Settings extends ReadSettings>(settings: Settings, columns: { name: string }[]): Settings & Reader {
  const { mapping, object, definitions } = settings
  const places = new Map(columns.map(({ name }, at) => [name, at]))
  const filled = mapping.flatMap(({ column, field: name }) => {
    const at = places.get(column)
    const field = fieldOf(object, name, definitions)
    return at === undefined || !field ? [] : [{ at, column, field }]
  })
  return { ...settings, filled, width: columns.length, lists: spillFields(object), replaced: replacerOf(settings) }
}

function replacerOf({ replacements }: ReadSettings): Reader['replaced'] {
  const known = new Map(replacements.map(({ field, from, to }) => [`${field} ${from.trim().toLowerCase()}`, to]))
  return known.size === 0 ? (_, raw) => raw : (field, raw) => known.get(`${field} ${raw.trim().toLowerCase()}`) ?? raw
}

/** Translates the path of an API error to the file's column field: `customer_id` becomes `company`, `tags.0.name` becomes `tags`. */
export function columnFieldOf({ filled }: Pick<Reader, 'filled'>, path: string): string {
  const names = filled.map(({ field }) => field)
  const root = path.startsWith(CUSTOM) ? path : (path.split('.')[0] as string)
  const match =
    names.find(({ name }) => name === path || name === root) ?? names.find(({ becomes, all }) => becomes === root || all === root)
  const whole = root === 'first_name' || root === 'last_name' ? names.find(({ kind }) => kind === 'full_name') : undefined
  return (match ?? whole)?.name ?? path
}
