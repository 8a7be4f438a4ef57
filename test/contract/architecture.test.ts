import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../dev/settings.ts'

const CORE = ['src/data', 'src/schemas', 'src/domain', 'src/lib', 'src/errors.ts', 'src/env.ts', 'src/wake.ts']

/**
 * The parts of the program, each with those that it may import. A part of `src/features` is a layer of every feature. Imports run from
 * worker.ts to lib, and what all features share imports none of them.
 */
const MAY: Record<string, string[]> = {
  'src/lib': [],
  'src/errors.ts': [],
  'src/env.ts': [],
  'src/wake.ts': ['src/env.ts'],
  'src/domain': ['src/lib', 'src/errors.ts'],
  'src/schemas': ['src/domain', 'src/lib', 'src/errors.ts'],
  'src/providers': ['src/domain', 'src/lib', 'src/errors.ts'],
  schema: ['rules', 'src/domain', 'src/lib'],
  'src/context.ts': ['src/data', 'src/providers', 'src/wake.ts'],
  'src/data': ['schema', 'src/domain', 'src/lib', 'src/errors.ts', 'src/context.ts', 'src/wake.ts'],
  'src/http': [...CORE, 'schema', 'src/providers', 'src/context.ts'],
  feature: ['src/domain'],
  rules: ['src/domain', 'src/lib', 'src/errors.ts'],
  schemas: ['rules', 'src/schemas', 'src/domain', 'src/lib', 'src/errors.ts'],
  provider: ['rules', 'src/providers', 'src/domain', 'src/lib', 'src/errors.ts'],
  plans: [...CORE, 'schema', 'schemas', 'rules', 'provider', 'src/providers', 'src/context.ts'],
  callbacks: [...CORE, 'src/http', 'schemas', 'rules', 'provider', 'src/providers'],
  work: [...CORE, 'queues', 'routes', 'src/http', 'plans', 'schemas', 'rules', 'callbacks'],
  routes: [...CORE, 'src/http', 'callbacks', 'plans', 'schema', 'schemas', 'rules'],
  'src/app.ts': ['routes', 'callbacks', 'src/http', 'src/data', 'src/lib', 'src/errors.ts', 'src/env.ts'],
  queues: [...CORE, 'src/app.ts', 'routes', 'src/http', 'work', 'plans', 'schemas', 'rules'],
  cron: [...CORE, 'src/app.ts', 'queues', 'work', 'plans', 'rules'],
  objects: ['plans', 'src/domain', 'src/lib', 'src/env.ts'],
  'src/worker.ts': ['src/app.ts', 'queues', 'cron', 'objects', 'src/env.ts'],
}

/** Shared files that name features: what a service knows of the deployment, the catalogue of filters, and texts of errors. */
const NAMING_FEATURES = [
  'src/context.ts',
  'src/domain/csv/samples.ts',
  'src/domain/filters/catalogue.ts',
  'src/domain/filters/lists.ts',
  'src/http/deployment.ts',
  'src/http/openapi/errors.ts',
]

/** The files that may import a library. */
const ONLY: Record<string, RegExp> = {
  hono: /^(src\/app|src\/http\/(router|serve)|routes\/[\w/-]+)\.ts$/,
  'drizzle-orm':
    /^(src\/data\/|src\/features\/[\w-]+\/(plans|work|callbacks)\/|schema\/|src\/http\/(resource|lists|execute|transaction)\.ts|src\/app\.ts|queues\/|cron\/)/,
  '@neondatabase/serverless': /^src\/data\/batch\.ts$/,
}

const LONGEST = 300
const WIDEST = 140

function filesOf(...folders: string[]): { name: string; text: string }[] {
  return folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }))
}

const program = filesOf('src', 'routes', 'queues', 'cron', 'objects', 'schema')
const layerOf = (file: string) => /^src\/features\/[a-z-]+\/(\w+)(?:\/|\.ts$)/.exec(file)?.[1]
const partOf = (file: string) =>
  Object.keys(MAY).find((part) => part === layerOf(file) || file === part || (!layerOf(file) && file.startsWith(`${part}/`)))
const importsOf = (text: string) =>
  [...text.matchAll(/^(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'/gm)].map(([, from, bare]) => (from ?? bare) as string)
/** The files of the project that a text names, outside of imports. */
const pathsIn = (text: string) =>
  [...text.matchAll(/(?<![\w./'-])((?:src|routes|queues|cron|schema|dev|objects)\/[\w/-]+\.(?:ts|sql|md))\b/g)].map(([path]) => path)
const resolved = (file: string, from: string) => relative(root, join(root, file, '..', from))

test('every file belongs to a part of the program', () => {
  expect(program.filter(({ name }) => !partOf(name)).map(({ name }) => name)).toEqual([])
})

test('imports run one way', () => {
  const wrong = program.flatMap(({ name, text }) =>
    importsOf(text)
      .filter((from) => from.startsWith('.'))
      .map((from) => resolved(name, from))
      .filter((target) => partOf(target) !== partOf(name) && !(layerOf(target) && NAMING_FEATURES.includes(name)))
      .filter((target) => !MAY[partOf(name) as string]?.includes(partOf(target) as string))
      .map((target) => `${name} imports ${target}`),
  )
  expect(wrong).toEqual([])
})

test('only a few shared files name features', () => {
  const shared = program.filter(({ name }) => /^src\/(data|schemas|domain|lib|providers|http|context)\b/.test(name))
  const naming = shared.filter(({ name, text }) => importsOf(text).some((from) => resolved(name, from).startsWith('src/features/')))
  expect(naming.map(({ name }) => name).sort()).toEqual(NAMING_FEATURES)
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

test('every path that a text names exists', () => {
  const texts = ['src', 'routes', 'queues', 'cron', 'objects', 'schema', 'dev', 'test', 'guides'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  const named = [...texts, 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md']
    .filter((name) => /\.(ts|sql|md)$/.test(name) && !/^(schema\/migrations|test\/data)\//.test(name))
    .flatMap((name) => pathsIn(readFileSync(join(root, name), 'utf8')).map((path) => ({ name, path })))
  expect(named.length).toBeGreaterThan(300)
  // routes/README.md shows a resource that its commits add and remove again.
  const present = named.filter(({ path }) => !path.includes('discounts'))
  expect(present.filter(({ path }) => !existsSync(join(root, path))).map(({ name, path }) => `${name}: ${path}`)).toEqual([])
})

/** A regular expression, or a word that nothing divides. */
const isWhole = (line: string) => /^\s*\/(?![/*])|\S{120}/.test(line)

test(`no line is longer than ${WIDEST} characters, unless it cannot be divided`, () => {
  const sql = readdirSync(join(root, 'schema/functions')).map((name) => ({
    name: `schema/functions/${name}`,
    text: readFileSync(join(root, 'schema/functions', name), 'utf8'),
  }))
  const long = [...program, ...filesOf('dev', 'test', 'bench'), ...sql].flatMap(({ name, text }) =>
    text.split('\n').flatMap((line, at) => (line.length > WIDEST && !isWhole(line) ? [`${name}:${at + 1}`] : [])),
  )
  expect(long).toEqual([])
})

/** Written by a program. */
const GENERATED = ['src/data/functions.ts']

test(`no file is longer than ${LONGEST} lines`, () => {
  const written = program.filter(({ name }) => !GENERATED.includes(name))
  const long = [...written, ...filesOf('dev', 'test', 'bench')].filter(({ text }) => text.split('\n').length - 1 > LONGEST)
  expect(long.map(({ name, text }) => `${name}: ${text.split('\n').length - 1}`)).toEqual([])
})
