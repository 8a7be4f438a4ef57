import type { Issue } from '../contacts/types.ts'
import { CUSTOM, FIELDS, LISTS, REQUIRED } from './fields.ts'
import { type ImportMode, type ImportObject, MATCH_FIELDS, type Mapped } from './types.ts'

export type Settings = {
  object: ImportObject
  mapping: Mapped[]
  defaults: Record<string, string>
  mode: ImportMode
  match_by: string | null
}

/** The issues of an import's settings. `columns` are the names of the file's columns. */
export function settingsIssues({ object, mapping, defaults, match_by }: Settings, columns: string[]): Issue[] {
  const names = FIELDS[object].map(({ name }) => name)
  const isList = (field: string) => FIELDS[object].some(({ name, kind }) => name === field && LISTS.includes(kind))
  const isField = (field: string) => names.includes(field) || (field.startsWith(CUSTOM) && field.length > CUSTOM.length)
  const matches: readonly string[] = MATCH_FIELDS[object]
  return [
    ...mapping.flatMap(({ column, field }, index): Issue[] => {
      const earlier = mapping.slice(0, index)
      const at = (part: string, message: string) => ({ path: `mapping.${index}.${part}`, message })
      return [
        ...(columns.includes(column) ? [] : [at('column', 'The file has no column with this name')]),
        ...(isField(field) ? [] : [at('field', `${object} have no such field: use one of ${names.join(', ')}, or ${CUSTOM}<key>`)]),
        ...(!isList(field) && earlier.some((other) => other.field === field)
          ? [at('field', 'Another column already fills this field')]
          : []),
        ...(earlier.some((other) => other.column === column) ? [at('column', 'This column already fills another field')] : []),
      ]
    }),
    ...Object.keys(defaults)
      .filter((field) => !isField(field))
      .map((field) => ({ path: `defaults.${field}`, message: `${object} have no such field` })),
    ...(match_by === null || matches.includes(match_by)
      ? []
      : [{ path: 'match_by', message: `${object} are matched by ${matches.join(', ')}` }]),
  ]
}

/** What is missing before the import can be checked or run. */
export function missingSettings({ object, mapping, defaults, mode, match_by }: Settings): Issue[] {
  const mapped = mapping.map(({ field }) => field)
  const filled = [...mapped, ...Object.keys(defaults)]
  const required = REQUIRED[object]
  return [
    ...(mode === 'update' || required.some((field) => filled.includes(field))
      ? []
      : [{ path: 'mapping', message: `Map a column to ${required.join(' or ')}: a new record requires it` }]),
    ...(mode !== 'create' && match_by === null
      ? [{ path: 'match_by', message: 'Required to find the records that are to be updated' }]
      : []),
    ...(match_by !== null && !mapped.includes(match_by)
      ? [{ path: 'match_by', message: `Map a column to ${match_by}, or match by another field` }]
      : []),
    ...(mode !== 'create' && filled.includes('pipeline') && !filled.includes('stage')
      ? [{ path: 'mapping', message: 'Also map a column to stage: an opportunity is moved to a stage of a pipeline' }]
      : []),
  ]
}
