import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './settings.ts'

const FUNCTIONS = join(root, 'schema/functions')

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
const WIDEST = 140
const typeOf = (type: string) => TYPES[type] ?? (type.endsWith('[]') ? 'List' : 'string')

/** The file of each function. */
function filesOf(): Map<string, string> {
  const found = new Map<string, string>()
  for (const file of readdirSync(FUNCTIONS).sort())
    for (const [, name] of readFileSync(join(FUNCTIONS, file), 'utf8').matchAll(/^create or replace function (\w+)/gm))
      found.set(name as string, file)
  return found
}

/** The names of the functions that TypeScript calls. */
export function calledFunctions(): Set<string> {
  const folders = ['src', 'routes', 'queues', 'cron', 'objects']
  const names = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) =>
        [...readFileSync(join(root, folder, file), 'utf8').matchAll(/\bcall(?:Function)?\(\s*'(\w+)'/g)].map(([, name]) => name as string),
      ),
  )
  return new Set(names)
}

/** The text of src/data/functions.ts, for functions that are called. */
export function declarationOf(functions: DeclaredFunction[]): string {
  const files = filesOf()
  const lines = functions.map(({ name, names, types, defaults, result }) => {
    const list = types.map((type, at) => {
      const argument = (names[at] || `p_${at + 1}`).replace(/^p_/, '').replace(/^(new|in|delete|default|function|with|case)$/, '$1_')
      return `${argument}${at >= types.length - defaults ? '?' : ''}: ${typeOf(type)}`
    })
    const line = `  ${name}(${list.join(', ')}): unknown`
    const declared = line.length > WIDEST ? `  ${name}(\n    ${list.join(',\n    ')},\n  ): unknown` : line
    return `  /** schema/functions/${files.get(name)}, which returns ${result}. */\n${declared}`
  })
  return `${HEAD}${lines.join('\n')}\n}\n`
}

const HEAD = `/** An id, as text. */
export type Uuid = string
/** JSON, as text. */
export type Json = string
/** An array, as PostgreSQL writes it: {a,b}. */
export type List = string

/** The functions of schema/functions that TypeScript calls by name, from the catalogue of the database (dev/sql-functions.ts). */
export interface SqlFunctions {
`
