import type { Issue } from '../../contacts/rules/types.ts'
import { consentFieldsOf, undecidedColumns } from './consent.ts'
import { FIELDS, isConsent, isFieldOf, REQUIRED, SUBSTITUTES, takesSeveral } from './fields.ts'
import { CUSTOM } from './kinds.ts'
import {
  BEST,
  IDENTIFIERS,
  type ImportMode,
  type ImportObject,
  MATCH_FIELDS,
  type Mapped,
  type Replacement,
  type UnknownAction,
} from './types.ts'

export type Settings = {
  object: ImportObject
  mapping: Mapped[]
  defaults: Record<string, string>
  mode: ImportMode
  match_by: string | null
  ignored_columns: string[]
  replacements: Replacement[]
}
/** An opportunity is complete without the people of it; a task or an activity is about its contact. */
export const unknownContacts = (object: ImportObject): UnknownAction => (object === 'opportunities' ? 'report' : 'fail')

type Column = { name: string; samples: string[] }

/** The issues of an import's settings. `columns` are the names of the file's columns. */
export function settingsIssues(
  { object, mapping, defaults, match_by, ignored_columns, replacements }: Settings,
  columns: string[],
): Issue[] {
  const names = FIELDS[object].map(({ name }) => name)
  const severalTaken = (field: string) => FIELDS[object].some((own) => own.name === field && takesSeveral(own))
  const isField = (field: string) => isFieldOf(object, field)
  const matches: readonly string[] = MATCH_FIELDS[object]
  return [
    ...mapping.flatMap(({ column, field }, index): Issue[] => {
      const earlier = mapping.slice(0, index)
      const at = (part: string, message: string) => ({ path: `mapping.${index}.${part}`, message })
      return [
        ...(columns.includes(column) ? [] : [at('column', 'The file has no column with this name')]),
        ...(isField(field)
          ? []
          : [
              at(
                'field',
                `${object} have no such field: use one of ${names.join(', ')}${isField(`${CUSTOM}key`) ? `, or ${CUSTOM}<key>` : ''}`,
              ),
            ]),
        ...(earlier.some((other) => other.field === field && (!severalTaken(field) || other.column === column))
          ? [at('field', 'Another column already fills this field')]
          : []),
        ...(earlier.some((other) => other.column === column && !(isConsent(field) && isConsent(other.field)))
          ? [at('column', 'This column already fills another field')]
          : []),
      ]
    }),
    ...Object.keys(defaults)
      .filter((field) => !isField(field))
      .map((field) => ({ path: `defaults.${field}`, message: `${object} have no such field` })),
    ...ignored_columns.flatMap((column, index) => [
      ...(columns.includes(column) ? [] : [{ path: `ignored_columns.${index}`, message: 'The file has no column with this name' }]),
      ...(mapping.some((mapped) => mapped.column === column)
        ? [{ path: `ignored_columns.${index}`, message: 'This column fills a field: remove it from mapping, or from here' }]
        : []),
    ]),
    ...replacements
      .map(({ field }, index) => ({ field, path: `replacements.${index}.field` }))
      .filter(({ field }) => !isField(field))
      .map(({ path }) => ({ path, message: `${object} have no such field` })),
    ...(match_by === null || match_by === BEST || matches.includes(match_by)
      ? []
      : [{ path: 'match_by', message: `${object} are matched by ${[...matches, BEST].join(', ')}` }]),
  ]
}

/** What is missing before the import can be checked or run. */
export function missingSettings({ object, mapping, defaults, mode, match_by, ignored_columns }: Settings, columns: Column[]): Issue[] {
  const mapped = mapping.map(({ field }) => field)
  const filled = [...mapped, ...Object.keys(defaults)]
  const required = REQUIRED[object]
  // A line whose record is known needs nothing else.
  const known = mode === 'upsert' ? IDENTIFIERS[object] : []
  return [
    ...(mode === 'update' || [...required, ...(SUBSTITUTES[object] ?? []), ...known].some((field) => filled.includes(field))
      ? []
      : [{ path: 'mapping', message: `Map a column to ${required.join(' or ')}: a new record requires it` }]),
    ...(mode !== 'create' && match_by === null
      ? [{ path: 'match_by', message: 'Required to find the records that are to be updated' }]
      : []),
    ...(mode === 'update' && match_by === BEST && !IDENTIFIERS[object].some((field) => mapped.includes(field))
      ? [{ path: 'match_by', message: `Map a column to one of ${IDENTIFIERS[object].join(', ')}, to find the records to update` }]
      : []),
    ...undecidedColumns(columns, mapping, ignored_columns).map((column) => undecided(object, column)),
    ...(match_by !== null && match_by !== BEST && !mapped.includes(match_by)
      ? [{ path: 'match_by', message: `Map a column to ${match_by}, or match by another field` }]
      : []),
  ]
}

const undecided = (object: ImportObject, column: string): Issue => ({
  path: 'mapping',
  message:
    `The column ${JSON.stringify(column)} seems to say who must not be contacted: ` +
    `map it${object === 'contacts' ? ` to ${consentFieldsOf(column).join(' and ')}` : ''}, or add it to ignored_columns`,
})
