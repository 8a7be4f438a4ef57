import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../dev/settings.ts'

/** The parts of the program, each with those that it may import. Imports run in one direction, from worker.ts to lib. */
const MAY: Record<string, string[]> = {
  'src/lib': [],
  'src/errors.ts': [],
  'src/env.ts': [],
  'src/domain': ['src/lib', 'src/errors.ts'],
  'src/schemas': ['src/domain', 'src/lib', 'src/errors.ts'],
  'src/providers': ['src/domain', 'src/lib', 'src/errors.ts'],
  schema: ['src/domain', 'src/lib'],
  'src/context.ts': ['src/data', 'src/providers'],
  'src/data': ['schema', 'src/domain', 'src/lib', 'src/errors.ts', 'src/context.ts'],
  'src/services': [
    'src/data',
    'schema',
    'src/schemas',
    'src/domain',
    'src/providers',
    'src/lib',
    'src/errors.ts',
    'src/context.ts',
    'src/env.ts',
  ],
  'src/http': [
    'src/data',
    'schema',
    'src/schemas',
    'src/domain',
    'src/providers',
    'src/lib',
    'src/errors.ts',
    'src/context.ts',
    'src/env.ts',
  ],
  routes: ['src/http', 'src/lib', 'src/services', 'src/data', 'schema', 'src/schemas', 'src/domain', 'src/errors.ts'],
  'src/app.ts': ['routes', 'src/http', 'src/data', 'src/lib', 'src/errors.ts', 'src/env.ts'],
  queues: [
    'src/app.ts',
    'routes',
    'src/http',
    'src/services',
    'src/data',
    'src/schemas',
    'src/domain',
    'src/lib',
    'src/errors.ts',
    'src/env.ts',
  ],
  cron: ['src/app.ts', 'queues', 'src/services', 'src/data', 'src/domain', 'src/lib', 'src/errors.ts', 'src/env.ts'],
  objects: ['src/services', 'src/domain', 'src/lib', 'src/env.ts'],
  'src/worker.ts': ['src/app.ts', 'queues', 'cron', 'objects', 'src/env.ts'],
}

/** The files that may import a library. */
const ONLY: Record<string, RegExp> = {
  hono: /^(src\/app|src\/http\/(router|serve)|routes\/[\w/-]+)\.ts$/,
  'drizzle-orm': /^(src\/data\/|src\/services\/|schema\/|src\/http\/(resource|lists|execute|transaction)\.ts|src\/app\.ts|queues\/|cron\/)/,
  '@neondatabase/serverless': /^src\/data\/batch\.ts$/,
}

const LONGEST = 300

function filesOf(...folders: string[]): { name: string; text: string }[] {
  return folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }))
}

const program = filesOf('src', 'routes', 'queues', 'cron', 'objects', 'schema')
const partOf = (file: string) => Object.keys(MAY).find((part) => file === part || file.startsWith(`${part}/`))
const importsOf = (text: string) =>
  [...text.matchAll(/^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'/gm)].map(([, from, bare]) => (from ?? bare) as string)
const resolved = (file: string, from: string) => relative(root, join(root, file, '..', from))

test('every file belongs to a part of the program', () => {
  expect(program.filter(({ name }) => !partOf(name)).map(({ name }) => name)).toEqual([])
})

test('imports run one way', () => {
  const wrong = program.flatMap(({ name, text }) =>
    importsOf(text)
      .filter((from) => from.startsWith('.'))
      .map((from) => resolved(name, from))
      .filter((target) => partOf(target) !== partOf(name) && !MAY[partOf(name) as string]?.includes(partOf(target) as string))
      .map((target) => `${name} imports ${target}`),
  )
  expect(wrong).toEqual([])
})

test('only a few files may import a library', () => {
  const wrong = program.flatMap(({ name, text }) =>
    importsOf(text)
      .map((from) => Object.keys(ONLY).find((library) => from === library || from.startsWith(`${library}/`)))
      .filter((library) => library && !ONLY[library]!.test(name))
      .map((library) => `${name} imports ${library}`),
  )
  expect(wrong).toEqual([])
})

test('routes declare endpoints and decide nothing', () => {
  const wrong = program.filter(({ name, text }) => name.startsWith('routes/') && /\bawait\b|\bif \(|\bsql`/.test(text))
  expect(wrong.map(({ name }) => name)).toEqual([])
})

test(`no file is longer than ${LONGEST} lines`, () => {
  const long = [...program, ...filesOf('dev', 'test', 'bench')].filter(({ text }) => text.split('\n').length - 1 > LONGEST)
  expect(long.map(({ name, text }) => `${name}: ${text.split('\n').length - 1}`)).toEqual([])
})
