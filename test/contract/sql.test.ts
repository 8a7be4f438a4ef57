import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../dev/settings.ts'
import { HANDED } from '../../src/data/handed.ts'

type File = { name: string; text: string }

const LONGEST = 300
/** The most session settings: what a statement only hands to later ones has a name in src/data/handed.ts. */
const MOST_SETTINGS = 25
/** The documented table of session settings. */
const DECLARATIONS = 'schema/functions/primitives.sql'

const filesOf = (folder: string, ending: string): File[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => `${entry.parentPath.slice(root.length).replaceAll('\\', '/').replace(/^\//, '')}/${entry.name}`)
    .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }))

const withoutComments = ({ name, text }: File): File => ({ name, text: text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*--.*$/gm, '') })

const functionFiles = filesOf('schema/functions', '.sql')
const migrations = filesOf('schema/migrations', '.sql')
const functions = functionFiles.map(withoutComments)

/** The definitions of functions, without their bodies. */
const definitions = functions.flatMap(({ name, text }) =>
  [...text.matchAll(/^create (?:or replace )?(?:function|procedure|aggregate) (\w+)[\s\S]*?(?=\bas \$\$|\breturn\b(?!s)|;\n)/gm)].map(
    ([head, called]) => ({ file: name, called: called as string, head }),
  ),
)

test('a function has one definition, in schema/functions', () => {
  const inMigrations = migrations
    .map(withoutComments)
    .filter(({ text }) => /\bcreate\s+(or\s+replace\s+)?(function|procedure|aggregate)\b/i.test(text))
  expect(inMigrations.map(({ name }) => name)).toEqual([])
  expect(definitions.length).toBeGreaterThan(200)
  const names = definitions.map(({ called }) => called)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test('a function that runs as its owner has a fixed search_path', () => {
  const definers = definitions.filter(({ head }) => /\bsecurity definer\b/.test(head))
  expect(definers.length).toBeGreaterThan(30)
  expect(definers.filter(({ head }) => !head.includes('set search_path = public, pg_temp')).map(({ called }) => called)).toEqual([])
})

test(`no SQL file of functions is longer than ${LONGEST} lines`, () => {
  const long = functionFiles.filter(({ text }) => text.split('\n').length - 1 > LONGEST)
  expect(long.map(({ name, text }) => `${name}: ${text.split('\n').length - 1}`)).toEqual([])
})

test('every session setting is declared with its type, who sets it and who reads it', () => {
  const declared = functionFiles
    .filter(({ name }) => name === DECLARATIONS)
    .flatMap(({ text }) => text.split('\n'))
    .filter((line) => /^ {2}app\.\w+ /.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  expect(declared.filter((cells) => cells.length !== 4 || cells.includes(''))).toEqual([])
  const program = ['src', 'routes', 'queues', 'cron', 'objects', 'dev'].flatMap((folder) => filesOf(folder, '.ts'))
  const used = [...functions, ...program].flatMap(({ text }) =>
    [...text.matchAll(/['"`](app\.\w+)(['"`]|\$\{)/g)].map(([, name]) => name as string),
  )
  expect([...new Set(used)].sort()).toEqual(declared.map(([name]) => name).sort())
  expect(declared.length).toBeLessThanOrEqual(MOST_SETTINGS)
})

test('a setting that a function makes ends with its transaction: the next request of the session finds none', () => {
  const calls = functions.flatMap(({ name, text }) =>
    text
      .split(/\bset_config(?=\()/)
      .slice(1)
      .map((rest) => `${name}: ${inBrackets(rest)}`),
  )
  expect(calls.length).toBeGreaterThan(100)
  const kept = calls.filter((call) => !/,\s*true\)$/.test(call))
  // A migration needs it in its next transaction.
  expect(kept.filter((call) => !call.includes("'app.written_triggers'"))).toEqual([])
})

/** The text up to the bracket that closes its first one. */
function inBrackets(text: string): string {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++
    if (text[at] === ')' && --depth === 0) return text.slice(0, at + 1)
  }
  return text
}

test('every value that is handed over is declared by name, handed and read', () => {
  const folders = ['src', 'routes', 'queues', 'cron', 'objects']
  const program = folders.flatMap((folder) => filesOf(folder, '.ts')).filter(({ name }) => name !== 'src/data/handed.ts')
  const namesIn = (pattern: RegExp) =>
    [...new Set([...functions, ...program].flatMap(({ text }) => [...text.matchAll(pattern)].map(([, name]) => name as string)))].sort()
  expect(namesIn(/\bhand\('(\w+)'/g)).toEqual(Object.keys(HANDED).sort())
  expect(namesIn(/\bhanded(?:Text)?\('(\w+)'/g)).toEqual(Object.keys(HANDED).sort())
})

test('one function ends runs: no other one writes when a run has ended', () => {
  // A statement of updates ends with a semicolon, or where the next part of a `with` begins.
  const statements = functions.flatMap(({ name, text }) =>
    [...text.matchAll(/\bupdate automation_runs\b[\s\S]*?(?=;|\n {2}\), )/g)].map(([statement]) => ({ name, statement })),
  )
  expect(statements.length).toBeGreaterThan(10)
  expect(statements.filter(({ statement }) => /\bended_at = /.test(statement))).toEqual([])
  const writers = functions.flatMap(({ text }) =>
    [...text.matchAll(/function (\w+)\(\)[^;]*?as \$\$([\s\S]*?)\$\$/g)].filter(([, , body]) => /new\.ended_at :=/.test(body as string)),
  )
  expect(writers.map(([, name]) => name)).toEqual(['end_run'])
  const program = ['src', 'routes', 'queues', 'cron', 'objects'].flatMap((folder) => filesOf(folder, '.ts'))
  expect(program.filter(({ text }) => /update automation_runs\b/.test(text)).map(({ name }) => name)).toEqual([])
})

// The planner estimates with the value that the function has while it plans, and a session keeps the plan: in a workspace that is too small
// for the statistics every index seems as good as the primary key, and the plan then reads a large workspace from end to end.
test('no statement compares the workspace with the function itself, but with a subselect or a variable', () => {
  const found = functions.flatMap(({ name, text }) =>
    [...text.matchAll(/^.*workspace_id = current_workspace\(\)(?!\) is true).*$/gm)].map(([line]) => `${name}: ${line.trim()}`),
  )
  expect(found).toEqual([])
})
