import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../dev/settings.ts'

/** A function of the database: what stands before its body, and its body without comments, in which texts are blanked out. */
export type SqlFunction = { name: string; head: string; body: string }

const sqlOf = (folder: string) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.sql'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'))

const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/--.*$/gm, '')
const withoutTexts = (text: string) => text.replace(/'(?:[^']|'')*'/g, (found) => `'${'_'.repeat(found.length - 2)}'`)

/** The functions with a body of statements. */
export const sqlFunctions: SqlFunction[] = sqlOf('schema/functions')
  .map(withoutComments)
  .flatMap((text) =>
    [...text.matchAll(/^create or replace function (\w+)((?:(?!^create )[\s\S])*?)\bas \$\$([\s\S]*?)\$\$/gm)].map(
      ([, name, head, body]) => ({
        name: name as string,
        head: head as string,
        body: withoutTexts(body as string),
      }),
    ),
  )

/** The functions that neither requests nor anybody else may call: only others call them, which run as their owner. */
export const innerFunctions = new Set(
  sqlOf('schema/functions')
    .map(withoutComments)
    .flatMap((text) => [...text.matchAll(/^revoke execute on function ([^;]*?) from public, app\b/gm)])
    .flatMap(([, names]) => (names as string).split(/,\s*/)),
)

/** The tables that have a workspace. */
export const tenantTables = new Set(
  sqlOf('schema/migrations').flatMap((text) =>
    [...text.matchAll(/^create table (?:if not exists )?"?(\w+)"? \(([\s\S]*?)\n\)/gim)]
      .filter(([, , columns]) => columns?.includes('workspace_id'))
      .map(([, name]) => name as string),
  ),
)

/** The end of the parentheses or of the statement that a place is in, or its beginning with `step` -1. */
function edge(text: string, at: number, step: 1 | -1): number {
  const [opening, closing] = step === 1 ? ['(', ')'] : [')', '(']
  let depth = 0
  for (let place = at; place >= 0 && place < text.length; place += step) {
    if (text[place] === opening) depth++
    else if (text[place] === closing && depth-- === 0) return place
    else if (text[place] === ';' && depth === 0) return place
  }
  return step === 1 ? text.length : -1
}

/** The select, or the member of a union, that a place is in. */
export function scopeOf(text: string, at: number): string {
  const start = edge(text, at - 1, -1) + 1
  const scope = text.slice(start, edge(text, at, 1))
  const outer = scope.replace(/\bunion(?: all)?\b/g, (union, index: number) => (isNested(scope, index) ? '_'.repeat(union.length) : union))
  const unions = [...outer.matchAll(/\bunion(?: all)?\b/g)]
  const before = unions.filter(({ index }) => start + index < at).at(-1)
  const after = unions.find(({ index }) => start + index >= at)
  return scope.slice(before ? before.index + before[0].length : 0, after?.index)
}
const isNested = (scope: string, at: number): boolean => edge(scope, at - 1, -1) >= 0
