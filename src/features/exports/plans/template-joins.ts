import type { FieldType } from '../../../domain/filters/custom-types.ts'
import type { RootName } from '../../../domain/filters/types.ts'
import type { ColumnSource } from '../rules/column-paths.ts'
import { type Aggregate, type Link, type Lookup, type Many, MONEY, ONE, TABLE_OF } from '../rules/relations.ts'
import { MAX_LISTED_VALUES } from '../rules/templates.ts'
import type { Value } from './cell-formats.ts'
import { fieldTypes } from './field-types.ts'

/** The columns of a page by their names, as SQL. */
type PageColumn = (name: string) => string
/** The type of a custom field; undefined for one that is no longer there. */
export type CustomTypes = (object: RootName, key: string) => FieldType | undefined

/** Related records count unless they are archived; emails of a member's mailbox never, so that a file is the same for everybody. */
const ARCHIVED: readonly RootName[] = ['contacts', 'companies', 'opportunities', 'tasks', 'products']
const isActive = (object: RootName) =>
  object === 'activities' ? 'o.private_to is null' : ARCHIVED.includes(object) ? 'not o.archived' : 'true'

const FULL_NAME = (alias: string) => `nullif(concat_ws(' ', ${alias}.first_name, ${alias}.last_name), '')`
const columnIn = (alias: string, object: RootName, field: string) =>
  object === 'contacts' && field === 'name' ? FULL_NAME(alias) : `${alias}.${field}`

/** A value of one of several records, as a part of a list. */
const AS_TEXT: Record<string, (sql: string) => string> = {
  number: (sql) => `js_number(${sql})`,
  date: (sql) => `to_char(${sql}, 'YYYY-MM-DD')`,
  instant: (sql) => `to_char(${sql}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
}

/** Objects whose records have a currency. */
const WITH_CURRENCY: readonly RootName[] = ['opportunities', 'products', 'invoices']

/** The sum; of amounts of money only if they have one currency. */
function sumOf({ to, currency = WITH_CURRENCY.includes(to) ? 'o.currency' : undefined }: Many, field: string): string {
  if (!currency || !MONEY[to]?.includes(field)) return `sum(o.${field})`
  return `case when count(distinct ${currency}) filter (where o.${field} is not null) <= 1 then sum(o.${field}) end`
}

function aggregateOf(of: Many, field: string, type: string, aggregate: Aggregate): string {
  const value = columnIn('o', of.to, field)
  const written = AS_TEXT[type]?.(value) ?? `${value}::text`
  switch (aggregate) {
    case 'count':
      return 'count(*)'
    case 'sum':
      return sumOf(of, field)
    case 'first':
      return `(array_agg(${value} order by o.created_at, o.id))[1]`
    case 'last':
      return `(array_agg(${value} order by o.created_at desc, o.id desc))[1]`
    case 'list':
      return `export_values(array_agg(${written} order by o.created_at, o.id) filter (where ${value} is not null), ${MAX_LISTED_VALUES})`
  }
}

/** The related records `o` of the record of this id. */
function relatedRows({ to, links }: Many, id: string): string {
  const [only] = links as [Link]
  if (only.id === undefined) return `public.${only.table} o where o.${only.key} = ${id} and ${isActive(to)}`
  const linked = links.map(({ table, key, id: other }) => `select distinct k.${other} as id from public.${table} k where k.${key} = ${id}`)
  return `(${linked.join(' union ')}) l join public.${TABLE_OF[to]} o on o.id = l.id where ${isActive(to)}`
}

const LINE_ITEMS = {
  from: (id: string) => `public.opportunity_products o where o.opportunity_id = ${id}`,
  value: `export_values(array_agg(js_number(o.quantity) || ' × ' || o.name order by o.position, o.id), ${MAX_LISTED_VALUES})`,
}

/** The joins that the columns of a page need, each once. */
export class PageJoins {
  readonly #root: RootName
  readonly #column: PageColumn
  readonly #customType: CustomTypes
  readonly #ones = new Map<string, { alias: string; join: string }>()
  readonly #groups = new Map<string, { alias: string; from: string; columns: string[] }>()

  constructor(root: RootName, column: PageColumn, customType: CustomTypes) {
    this.#root = root
    this.#column = column
    this.#customType = customType
  }

  /** The value of a column. */
  valueOf(source: ColumnSource): Value {
    const { steps, object, field, custom, many, lookup, isLineItems } = source
    if (lookup) return { sql: `${this.#lookup(lookup)}.${lookup.column}`, type: 'text' }
    if (isLineItems) return { sql: this.#grouped('each line item', LINE_ITEMS.from(this.#column('id')), LINE_ITEMS.value), type: 'text' }
    const types = fieldTypes(this.#root)
    if (many) return this.#manyValue(field, many, types(object)[field] ?? 'text')
    const alias = this.#alias(steps)
    if (custom !== undefined) {
      const metadata = alias ? `${alias}.metadata` : this.#column('metadata')
      return { sql: `(${metadata} -> '${custom}')`, type: 'json', custom: this.#customType(object, custom) ?? 'text' }
    }
    if (!alias && object === 'contacts' && field === 'name')
      return { sql: `nullif(concat_ws(' ', ${this.#column('first_name')}, ${this.#column('last_name')}), '')`, type: 'text' }
    return { sql: alias ? columnIn(alias, object, field) : this.#column(field), type: types(object)[field] ?? 'text' }
  }

  #manyValue(field: string, { relation, of, aggregate }: NonNullable<ColumnSource['many']>, type: string): Value {
    const value = this.#grouped(relation, relatedRows(of, this.#column('id')), aggregateOf(of, field, type, aggregate))
    if (aggregate === 'count') return { sql: value, type: 'number' }
    return { sql: value, type: aggregate === 'list' ? 'text' : type }
  }

  /** An aggregate of the related records of one relation. */
  #grouped(relation: string, from: string, aggregate: string): string {
    const group = this.#groups.get(relation) ?? { alias: `g${this.#groups.size}`, from, columns: [] as string[] }
    this.#groups.set(relation, group)
    const known = group.columns.indexOf(aggregate)
    const at = known < 0 ? group.columns.push(aggregate) - 1 : known
    return `${group.alias}.a${at}`
  }

  /** The alias of the related record at the end of the steps; undefined for the root itself. */
  #alias(steps: string[]): string | undefined {
    let object = this.#root
    let parent: string | undefined
    steps.forEach((step, index) => {
      const { to, key } = ONE[object][step] as { to: RootName; key: string }
      const own = parent ? `${parent}.${key}` : this.#column(key)
      parent = this.#one(steps.slice(0, index + 1).join('.'), TABLE_OF[to], own)
      object = to
    })
    return parent
  }

  #lookup({ table, key }: Lookup): string {
    return this.#one(`lookup ${key}`, table, this.#column(key))
  }

  #one(name: string, table: string, key: string): string {
    const alias = this.#ones.get(name)?.alias ?? `r${this.#ones.size}`
    this.#ones.set(name, { alias, join: `left join public.${table} ${alias} on ${alias}.id = ${key}` })
    return alias
  }

  /** The joins of all values so far. */
  toString(): string {
    // Lateral, so that no plan can read the related records of the whole page again for each of its rows.
    const groups = [...this.#groups.values()].map(
      ({ alias, from, columns }) =>
        `cross join lateral (select ${columns.map((column, n) => `${column} as a${n}`).join(', ')} from ${from}) ${alias}`,
    )
    return [...[...this.#ones.values()].map(({ join }) => join), ...groups].join('\n')
  }
}

/** The columns of the root that the value of a column is made of. */
export function ownColumns(root: RootName, { steps, field, custom, many, lookup, isLineItems }: ColumnSource): string[] {
  if (many || isLineItems) return ['id']
  if (lookup) return [lookup.key]
  const [first] = steps
  if (first) return [(ONE[root][first] as { key: string }).key]
  if (custom !== undefined) return ['metadata']
  return root === 'contacts' && field === 'name' ? ['first_name', 'last_name'] : [field]
}
