import { sql } from 'drizzle-orm'
import { batch, type Database } from '../../data/batch.ts'
import type { Encoding } from '../../domain/csv/encoding.ts'
import { CUSTOM, type Field, fieldOf } from '../../domain/imports/fields.ts'
import { type ImportState, PHASE_OF, type Phase } from '../../domain/imports/states.ts'
import type { DateFormat, Definition, ImportMode, ImportObject, Mapped } from '../../domain/imports/types.ts'

type Stored = {
  workspace_id: string
  id: string
  state: ImportState
  object: ImportObject
  size: number
  mapping: Mapped[]
  mode: ImportMode
  match_by: string | null
  defaults: Record<string, string>
  date_format: DateFormat
  country: string | null
  clear_empty: boolean
  /** The workspace's time zone. */
  zone: string
  definitions: Definition[]
  file: { encoding: Encoding; delimiter: string; columns: { name: string }[]; next_byte: number; next_line: number }
}

/** A column's index in the file and the field that it fills. */
export type Filled = { at: number; field: Field }

/** An import with everything that the queue consumer needs to process it. */
export type Job = Stored & { phase: Phase; filled: Filled[]; width: number }

/** Loads the import. Returns undefined when there is nothing to do for it. */
export async function loadJob(database: Database, workspaceId: string, id: string): Promise<Job | undefined> {
  const [stored] = (await batch(database, [sql`select load_import(${workspaceId}::uuid, ${id}::uuid)`])) as [Stored | null]
  const phase = stored && PHASE_OF[stored.state]
  if (!stored || !phase) return undefined
  const { mapping, file, object, definitions } = stored
  const places = new Map(file.columns.map(({ name }, at) => [name, at]))
  const filled = mapping.flatMap(({ column, field: name }) => {
    const at = places.get(column)
    const field = fieldOf(object, name, definitions)
    return at === undefined || !field ? [] : [{ at, field }]
  })
  return { ...stored, phase, filled, width: file.columns.length }
}

/** Translates the path of an API error to the file's column field: `customer_id` becomes `company`, `tags.0.name` becomes `tags`. */
export function columnFieldOf({ filled }: Pick<Job, 'filled'>, path: string): string {
  const names = filled.map(({ field }) => field)
  const root = path.startsWith(CUSTOM) ? path : (path.split('.')[0] as string)
  const match = names.find(({ name }) => name === path || name === root) ?? names.find(({ becomes }) => becomes === root)
  const whole = root === 'first_name' || root === 'last_name' ? names.find(({ kind }) => kind === 'full_name') : undefined
  return (match ?? whole)?.name ?? path
}
