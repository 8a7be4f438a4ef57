import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { GenericSchema } from 'valibot'
import { call } from './call.ts'
import type { Statement } from './db.ts'
import { compiledSelect, type Select } from './query.ts'
import { columnNames, type Field, jsonColumns } from './rows.ts'

/** A relation that a list can include: what each record refers to, or the first of what refers to it. */
export type Relation = {
  name: string
  /** What reading the related records takes, such as `companies:read`. */
  scopes: string[]
  /** The related record, or one of them. */
  schema: GenericSchema
  /** The most related records of each record; undefined where there is at most one. */
  most?: number
  /** The related records as JSON, for a record whose fields `column` gives. */
  json: (column: (field: string) => SQL) => SQL
}

type Related = Pick<Relation, 'name' | 'schema'> & { scope: string; select: Select<unknown> }

/** The record that a field refers to, or null. */
export function relatedOne({ name, scope, schema, select, by, id }: Related & { by: string; id: PgColumn }): Relation {
  const related = compiledSelect(select)
  return {
    name,
    scopes: [scope],
    schema,
    json: (column) => sql`(select row_to_json(r) from ${asJson(related, sql`where ${id} = ${column(by)}`)})`,
  }
}

/** The first records that refer to a record, in order. */
export function relatedMany({
  name,
  scope,
  schema,
  select,
  link,
  order,
  most,
}: Related & { link: PgColumn; order: SQL; most: number }): Relation {
  const related = compiledSelect(select)
  const rows = (id: SQL) => asJson(related, sql`where ${link} = ${id} order by ${order} limit ${most}::int`)
  return {
    name,
    scopes: [scope],
    schema,
    most,
    json: (column) => sql`(select coalesce(json_agg(row_to_json(r)), '[]') from ${rows(column('id'))})`,
  }
}

/** The related records of rows whose columns these fields name, each under the name of its relation. */
export const relatedColumns = (fields: Field[], relations: Relation[]): SQL[] => {
  const column = (name: string) => sql.raw(`c${fields.findIndex(({ path }) => path[0] === name)}`)
  return relations.map(({ name, json }) => sql`${json(column)} as ${sql.identifier(name)}`)
}

/** The rows of a select as `r`, with their values as responses show them. */
function asJson({ fields, head }: ReturnType<typeof compiledSelect>, rest: SQL): SQL {
  const json = jsonColumns(fields)
  if (json === undefined) throw new Error('The database cannot write a field of a related record')
  return sql`(${head} ${rest}) as q(${sql.raw(columnNames(fields.length))}), lateral (select ${sql.raw(json)}) r`
}

/** Requires the rights to read the related records. */
export const assertReadable = (relations: Relation[]): Statement[] =>
  relations.length === 0 ? [] : [call('assert_scopes', `{${relations.flatMap(({ scopes }) => scopes).join(',')}}`)]
