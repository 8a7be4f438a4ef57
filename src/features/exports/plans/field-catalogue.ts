import { sql } from 'drizzle-orm'
import { FIELD_OBJECT } from '../../../data/filters.ts'
import { plan } from '../../../data/plan.ts'
import type { Query } from '../../../data/query.ts'
import { catalogueOf } from '../../../domain/filters/catalogue.ts'
import type { FieldType } from '../../../domain/filters/custom-types.ts'
import { isSearched, type RootName } from '../../../domain/filters/types.ts'
import { CUSTOM } from '../../imports/rules/kinds.ts'
import { customFieldsOf, described, ownFields, relationsOf } from '../../search/plans/record-search.ts'
import { relatedColumns } from '../rules/column-paths.ts'
import { DECIDED_BY, LINE_ITEMS, LOOKUPS, NAMED_PATHS, resourceOf } from '../rules/relations.ts'
import { ROOT_FIELDS } from './export-roots.ts'
import { typeIn } from './export-rows.ts'
import { availableFields } from './exportable.ts'
import { fieldTypes, typeOf } from './field-types.ts'
import { RESOURCES } from './template-data.ts'

type Custom = { key: string; label: string; type: FieldType; options: string[] }

/** The resources whose records a column shows, or whose records decide a value. */
const SHOWN: Record<string, string> = {
  company: 'companies',
  parent_company: 'companies',
  contact: 'contacts',
  opportunity: 'opportunities',
  product: 'products',
  ...DECIDED_BY,
}
/** The columns of an object besides those of its related records. */
const namesOf = (object: RootName): string[] =>
  isSearched(object)
    ? availableFields(object)
    : [...Object.keys(ROOT_FIELDS[object]), ...Object.keys(LOOKUPS[object]), ...Object.keys(NAMED_PATHS[object])]
/** The resource of the records that a column shows, or that decide its value. */
const shownBy = (object: RootName, name: string) => (object === 'opportunities' && name === LINE_ITEMS ? 'products' : SHOWN[name])

/** Describes what the exports of an object can filter by and have as columns, without what the role of the key's owner may not read. */
export function describeExports(object: RootName) {
  const found: Query<ReturnType<typeof catalogueFor>> = {
    query: sql`select (select coalesce(json_agg(f), '[]') from (${customFieldsOf(object)}) f(key, label, type, options)),
      to_json(role_reads(${`{${RESOURCES.join(',')}}`}::text[]))`,
    fields: [],
    hidden: 2,
    decode: (_, raw) => {
      const [custom, reads] = raw[0] as [Custom[], string[]]
      return catalogueFor(object, custom, reads)
    },
  }
  const message = `The role of the key's owner may not read ${object}: choose another root_entity`
  const mayRead = sql`select assert_condition(cardinality(role_reads(array[${resourceOf(object)}::text])) = 1, 'FORBIDDEN', ${message})`
  return plan([mayRead], found)
}

function catalogueFor(object: RootName, custom: Custom[], reads: string[]) {
  const { fields } = catalogueOf(object)
  const isReadable = (resource: string | undefined) => resource === undefined || reads.includes(resourceOf(resource))
  const decidedBy = (name: string) => (fields[name]?.kind === 'membership' ? 'lists' : fields[name]?.from)
  const columnType = typeIn(ROOT_FIELDS[object])
  const columns = namesOf(object)
    .filter((name) => isReadable(shownBy(object, name)))
    .filter((name) => name !== 'metadata')
    .map((name) => ({ path: name, label: null, type: typeOf(columnType(name)), custom: false, aggregates: null }))
  const related = relatedColumns(object, fieldTypes(object))
    .filter((column) => isReadable(column.object))
    .map(({ path, type, aggregates }) => ({ path, label: null, type, custom: false, aggregates }))
  const ofKeys = object in FIELD_OBJECT ? custom : []
  return {
    root_entity: object,
    filter_fields: [...ownFields(object).filter(({ field }) => isReadable(decidedBy(field))), ...custom.map(described)],
    relations: relationsOf(object).filter(({ object }) => isReadable(object)),
    column_fields: [
      ...columns,
      ...ofKeys.map(({ key, label, type }) => ({ path: CUSTOM + key, label, type, custom: true, aggregates: null })),
      ...related,
    ],
  }
}
