import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FUNCTIONS } from './sql-constants.ts'

/** A function as the catalogue has it: the names and types of its arguments, how many have a default, and what it returns. */
export type DeclaredFunction = { name: string; names: string[]; types: string[]; defaults: number; result: string }

/** What is sent for an argument of a type. Lists and JSON are sent as texts. */
const TYPES: Record<string, string> = {
  boolean: 'boolean',
  bigint: 'number | string',
  date: 'string',
  'double precision': 'number',
  integer: 'number',
  interval: 'string',
  jsonb: 'Json',
  numeric: 'number | string',
  smallint: 'number',
  text: 'string',
  'timestamp with time zone': 'string | Date',
  uuid: 'Uuid',
}
const typeOf = (type: string) => TYPES[type] ?? (type.endsWith('[]') ? 'List' : 'string')

/** The file of each function. */
function filesOf(): Map<string, string> {
  const found = new Map<string, string>()
  for (const file of readdirSync(FUNCTIONS).sort())
    for (const [, name] of readFileSync(join(FUNCTIONS, file), 'utf8').matchAll(/^create or replace function (\w+)/gm))
      found.set(name as string, file)
  return found
}

/** The text of src/data/functions.ts. Of functions with one name the declarations follow each other, as overloads do. */
export function declarationOf(functions: DeclaredFunction[]): string {
  const files = filesOf()
  const lines = functions.map(({ name, names, types, defaults, result }) => {
    const list = types.map((type, at) => {
      const argument = (names[at] || `p_${at + 1}`).replace(/^p_/, '')
      return `${argument}${at >= types.length - defaults ? '?' : ''}: ${typeOf(type)}`
    })
    return `  /** schema/functions/${files.get(name)}, which returns ${result}. */\n  ${name}(${list.join(', ')}): unknown`
  })
  return `${HEAD}${lines.join('\n')}\n}\n`
}

const HEAD = `/** An id, as text. */
export type Uuid = string
/** JSON, as text. */
export type Json = string
/** An array, as PostgreSQL writes it: {a,b}. */
export type List = string

/** The functions of schema/functions that the Worker's roles may call, from the catalogue of the database (dev/sql-functions.ts). */
export interface SqlFunctions {
`
