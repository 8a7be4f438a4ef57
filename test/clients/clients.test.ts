import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { documents } from '../../dev/openapi.ts'
import { root } from '../../dev/settings.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import { CLIENTS, installClients } from './install.ts'
import { FIRST_CALLS, guardOf, PROGRAMS } from './programs.ts'

type Name = keyof typeof PROGRAMS

const GENERATED = join(CLIENTS, 'src')
const DOCUMENT = join(CLIENTS, 'openapi.json')
const SLOW = 180_000

const GENERATORS: Record<Name, [tool: string, args: string[]]> = {
  'hey-api': [
    '@hey-api/openapi-ts/bin/run.js',
    ['-i', DOCUMENT, '-o', join(GENERATED, 'hey-api'), '-c', '@hey-api/client-fetch', '-s', '--no-log-file'],
  ],
  'openapi-typescript': ['openapi-typescript/bin/cli.js', [DOCUMENT, '-o', join(GENERATED, 'schema.d.ts'), '--default-non-nullable=false']],
}

const STRICT = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  target: 'es2022',
  lib: ['es2022', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
}

/** The compiler of the clients' package list; the usual run takes the project's own, which needs a tenth of the time. */
const COMPILER = join(proving ? CLIENTS : root, 'node_modules/typescript/bin/tsc')

/** Runs a program of the installed packages, without a word to anyone outside. */
function run(tool: string, args: string[], cwd = CLIENTS) {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [resolve(CLIENTS, 'node_modules', tool), ...args], {
    cwd,
    env,
    encoding: 'utf8',
  })
  return { status, output: `${stdout}\n${stderr}` }
}

let app: Harness
beforeAll(async () => {
  installClients()
  rmSync(GENERATED, { recursive: true, force: true })
  mkdirSync(GENERATED, { recursive: true })
  writeFileSync(DOCUMENT, proving ? documents['openapi.json']!() : usedPart(documents['openapi.json']!()))
  app = await start()
}, SLOW)
afterAll(() => app.close())

test('Redocly finds nothing to warn of by its recommended rules', { timeout: SLOW }, () => {
  const { status, output } = run('@redocly/cli/bin/cli.js', ['lint', 'openapi.json', 'openapi.legacy.json'], root)
  expect({ status, output }).toMatchObject({ status: 0, output: expect.not.stringMatching(/warning/i) })
})

/** The paths that the programs use; generating a client of all takes half a minute, which is proven. */
const USED = /^\/(me|contacts|companies|opportunities|pipelines|tasks|events|approvals)(\/|$)/

/** The document with the used paths only, and with the parts that these refer to. */
function usedPart(text: string): string {
  const { paths, webhooks: _, components, ...document } = JSON.parse(text)
  const used = Object.fromEntries(Object.entries(paths).filter(([path]) => USED.test(path)))
  const kept: Record<string, Record<string, unknown>> = { securitySchemes: components.securitySchemes }
  const keep = (part: unknown) => {
    for (const [, kind, name] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"/]+)"/g)) {
      const part = components[kind as string][name as string]
      if (kept[kind as string]?.[name as string] === part) continue
      kept[kind as string] = { ...kept[kind as string], [name as string]: part }
      keep(part)
    }
  }
  keep(used)
  return JSON.stringify({ ...document, paths: used, components: kept })
}

/** Generates the client once. */
const generate = (name: Name) => {
  const [tool, args] = GENERATORS[name]
  generated[name] ??= run(tool, args)
  expect(generated[name]).toMatchObject({ status: 0 })
}
const generated: Partial<Record<Name, ReturnType<typeof run>>> = {}

/** Compiles a program under strict, and runs it against a new workspace. */
async function runProgram(name: string, text: string): Promise<unknown> {
  const program = join(GENERATED, `${name}.ts`)
  writeFileSync(program, text)
  const project = join(CLIENTS, 'tsconfig.json')
  writeFileSync(project, JSON.stringify({ compilerOptions: STRICT, files: [program] }))
  expect(run(COMPILER, ['-p', project]).output.trim()).toBe('')

  const outfile = join(GENERATED, `${name}.mjs`)
  await build({ entryPoints: [program], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' })
  const client = await import(/* @vite-ignore */ `${pathToFileURL(outfile).href}?${Date.now()}`)
  const ws = await app.workspace()
  return client.run(new URL('/v1', await app.url()).href, ws.apiKey)
}

test.each(Object.keys(PROGRAMS) as Name[])('a client of %s compiles under strict and talks to the API', { timeout: SLOW }, async (name) => {
  generate(name)
  expect(await runProgram(`${name}-program`, PROGRAMS[name])).toEqual({
    version: 2,
    current: 2,
    event: ['contact.created'],
    held: 'pending',
    refused: ['first_name'],
    names: ['Lee'],
    next: null,
    missing: 'NOT_FOUND',
  })
})

test.each(Object.keys(FIRST_CALLS) as Name[])(
  'the first twelve calls with %s compile with the guard of the guide',
  { timeout: SLOW },
  async (name) => {
    generate(name)
    const guard = guardOf(readFileSync(join(root, 'guides/clients.md'), 'utf8'))
    expect(await runProgram(`${name}-first-calls`, `${FIRST_CALLS[name]}\n${guard}`)).toEqual({
      level: 'execute',
      status: 'won',
      title: 'Call Ana',
      city: 'Perth',
      bulk: 2,
      found: ['Ana'],
      events: 3,
      held: 'pending',
    })
  },
)
