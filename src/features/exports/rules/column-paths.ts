import { KEY_FORM } from '../../../domain/filters/custom-types.ts'
import type { RootName } from '../../../domain/filters/types.ts'
import { PLURAL_OF } from '../../../domain/records.ts'
import { AGGREGATES, type Aggregate, DECIDED_BY, LINE_ITEMS, LOOKUPS, type Lookup, MANY, type Many, NAMED_PATHS, ONE } from './relations.ts'

/** The column that a path names. */
export type ColumnSource = {
  /** The relations with one record that lead to the value, by their names. */
  steps: string[]
  /** The object that has the field. */
  object: RootName
  /** Its field; `custom` is the key of a custom field instead. */
  field: string
  custom?: string
  many?: { relation: string; of: Many; aggregate: Aggregate }
  lookup?: Lookup
  isLineItems?: boolean
}
export type FieldTypes = (object: RootName) => Record<string, string>

/** The full name of a contact, as a field. */
const FULL_NAME = 'name'
const MAX_STEPS = 3
const CUSTOM = 'metadata.'
/** The objects with custom fields. */
const WITH_CUSTOM: readonly string[] = Object.values(PLURAL_OF)

/** Types of values that several records can be shown by. */
const isScalar = (type: string) => !['list', 'json'].includes(type)
/** What a field of several records of this type can be shown by. */
const aggregatesOf = (type: string): Aggregate[] => AGGREGATES.filter((name) => name !== 'count' && (name !== 'sum' || type === 'number'))
const oneOf = (names: string[]) => names.join(', ')

/** The fields that a path can end with. */
export const fieldsOf = (object: RootName, types: FieldTypes): Record<string, string> => ({
  ...types(object),
  ...(object === 'contacts' && { [FULL_NAME]: 'text' }),
})

/** Reads the path of a column. Returns a message for one that names no column. */
export function readPath(root: RootName, sent: string, types: FieldTypes): ColumnSource | string {
  const path = NAMED_PATHS[root][sent] ?? sent
  if (root === 'opportunities' && path === LINE_ITEMS) return { steps: [], object: root, field: path, isLineItems: true }
  const lookup = LOOKUPS[root][path]
  if (lookup) return { steps: [], object: root, field: path, lookup }
  let object = root
  const visited: RootName[] = [root]
  const steps: string[] = []
  for (let rest = path; ; ) {
    if (rest.startsWith(CUSTOM)) return customSource(steps, object, rest.slice(CUSTOM.length))
    const at = rest.indexOf('.')
    const name = at < 0 ? rest : rest.slice(0, at)
    if (at < 0) return fieldSource(steps, object, name, types)
    if (MANY[object][name]) return manySource(steps, object, name, rest.slice(at + 1), types)
    const one = ONE[object][name]
    if (!one) return unknownRelation(object, name)
    const isCycle = steps.includes(name) || (visited.includes(one.to) && one.to !== object)
    if (isCycle) return `${sent} leads back to ${one.to}: a path may not be cyclic`
    if (steps.length === MAX_STEPS) return `a path has at most ${MAX_STEPS} relations`
    steps.push(name)
    visited.push(one.to)
    object = one.to
    rest = rest.slice(at + 1)
  }
}

function unknownRelation(object: RootName, name: string): string {
  const known = [...Object.keys(ONE[object]), ...Object.keys(MANY[object])]
  return `${object} have no relation ${name}: use ${oneOf(known)}, or a field without a dot`
}

function customSource(steps: string[], object: RootName, key: string): ColumnSource | string {
  return WITH_CUSTOM.includes(object) && KEY_FORM.test(key)
    ? { steps, object, field: 'metadata', custom: key }
    : `${object} have no custom field ${key}`
}

function fieldSource(steps: string[], object: RootName, field: string, types: FieldTypes): ColumnSource | string {
  const known = fieldsOf(object, types)
  if (Object.hasOwn(known, field)) return { steps, object, field }
  if (MANY[object][field])
    return `${field} has any number of records: end the path with .count, or with a field and .sum, .first, .last or .list`
  if (ONE[object][field]) return `name a field of ${field}, such as ${field}.name`
  return `${object} have no field ${field}: GET /exports/field-catalog?root_entity=${object} lists the columns`
}

function manySource(steps: string[], object: RootName, relation: string, rest: string, types: FieldTypes): ColumnSource | string {
  const of = MANY[object][relation] as Many
  if (steps.length > 0) return `${relation} has any number of records, so it can only be the first relation of a path`
  if (rest === 'count') return { steps, object: of.to, field: 'id', many: { relation, of, aggregate: 'count' } }
  const [field = '', aggregate = '', ...others] = rest.split('.')
  const known = Object.entries(fieldsOf(of.to, types)).filter(([, type]) => isScalar(type))
  const type = known.find(([name]) => name === field)?.[1]
  if (MANY[of.to][field] ?? ONE[of.to][field])
    return (
      `${relation}.${field} leads from several records to others: a path may not be cyclic, nor go further than a ` +
      'relation with several records'
    )
  if (!type) return `${of.to} have no field ${field} that can be shown of several records: use ${oneOf(known.map(([name]) => name))}`
  const offered = aggregatesOf(type)
  if (others.length > 0 || !(offered as string[]).includes(aggregate))
    return `${relation}.${field} must end with one of: ${oneOf(offered.map((name) => `.${name}`))}`
  return { steps, object: of.to, field, many: { relation, of, aggregate: aggregate as Aggregate } }
}

/** The objects whose records a column shows, besides those of the root. */
export function objectsOf(root: RootName, { steps, field, many, isLineItems }: ColumnSource): string[] {
  if (isLineItems) return ['products']
  const decider = DECIDED_BY[field]
  const deciders = decider ? [decider] : []
  if (many) return [many.of.to, ...deciders]
  const objects: RootName[] = []
  for (const step of steps) objects.push((ONE[objects.at(-1) ?? root][step] as { to: RootName }).to)
  return [...objects, ...deciders]
}

/** The columns of related records, as the catalogue lists them: with the aggregates that the path of several must end with. */
export function relatedColumns(root: RootName, types: FieldTypes) {
  const ofOne = Object.entries(ONE[root]).flatMap(([relation, { to }]) =>
    Object.entries(fieldsOf(to, types)).map(([field, type]) => ({ path: `${relation}.${field}`, type, object: to, aggregates: null })),
  )
  const ofMany = Object.entries(MANY[root]).flatMap(([relation, { to }]) => [
    { path: relation, type: 'number', object: to, aggregates: ['count'] as Aggregate[] },
    ...Object.entries(fieldsOf(to, types))
      .filter(([, type]) => isScalar(type))
      .map(([field, type]) => ({ path: `${relation}.${field}`, type, object: to, aggregates: aggregatesOf(type) })),
  ])
  return [...ofOne, ...ofMany]
}
