import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../dev/processes.ts'
import { root } from '../../dev/settings.ts'

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
/** The scripts that are programs of this project, by name, without those that npm runs before others. */
const programs = Object.entries(scripts)
  .map(([name, command]) => ({ name, file: /^node (\S+\.ts)$/.exec(command)?.[1] as string }))
  .filter(({ file }) => file !== undefined)

const folder = mkdtempSync(join(tmpdir(), `workspace-crm-test-${process.pid}-programs-`))
/** A process that looks like a run, so that its addresses are taken; nothing listens there. */
const pretender = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'dev/db.ts'], { stdio: 'ignore' })
const away = `127.0.0.1:${await freePort()}`
const addresses = Object.fromEntries(['api', 'inbox', 'email', 'notetaker', 'google', 'microsoft'].map((name) => [name, `http://${away}`]))
writeFileSync(join(folder, 'run.json'), JSON.stringify({ pid: pretender.pid, launcher: 1, children: [], addresses }))
writeFileSync(join(folder, 'demo.json'), JSON.stringify({ key: 'wck_00000000_not_a_key' }))
afterAll(() => {
  pretender.kill()
  rmSync(folder, { recursive: true, force: true })
})

function run(file: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<{ code: number | null; out: string; err: string }> {
  const { npm_lifecycle_event: _, DATABASE_ADMIN_URL: __, ...own } = process.env
  const child = spawn(process.execPath, [join(root, file), ...args], {
    cwd: root,
    env: { ...own, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  return new Promise((done) => child.once('close', (code) => done({ code, out, err })))
}

test('there are programs to test', () => {
  expect(programs.map(({ name }) => name)).toEqual(expect.arrayContaining(['dev', 'db', 'demo:crm', 'setup:cloudflare', 'generate']))
})

test.concurrent.each(programs)('$name --help prints its usage, and does nothing else', async ({ name, file }) => {
  const { code, out, err } = await run(file, ['--help'])
  expect(out).toMatch(/^Usage: \S/)
  expect(out).toContain(`npm run ${name}`)
  expect({ code, err }).toEqual({ code: 0, err: '' })
})

const CALLERS = programs.filter(({ name }) => /^(demo|import):/.test(name))
const FIGURES = join(folder, 'figures')
const argumentsOf = (name: string) => (name.startsWith('import:') ? [FIGURES] : [])

/** One or two lines that name the remedy, and no stack. */
function expectSentence({ code, err }: { code: number | null; err: string }): void {
  expect(code).toBe(1)
  expect(err).not.toMatch(/^ {4}at /m)
  expect(err.trim().split('\n').length).toBeLessThanOrEqual(2)
  expect(err).toMatch(/npm run (dev|db)/)
}

test.concurrent.each(CALLERS.filter(({ name }) => !name.startsWith('import:')))(
  '$name ends with a sentence when its server is away',
  async ({ name, file }) => {
    const result = await run(file, [...argumentsOf(name), '--data-dir', folder], { RECEIVER_PORT: String(await freePort()) })
    expectSentence(result)
    expect(result.err).toContain(away)
  },
)

test.concurrent.each(CALLERS)(
  '$name ends with a sentence when nothing runs in the folder, and for an unknown flag',
  async ({ name, file }) => {
    expectSentence(await run(file, [...argumentsOf(name), '--data-dir', join(folder, 'none')]))
    const { code, err } = await run(file, ['--wrong'])
    expect(code).toBe(1)
    expect(err).toMatch(/^Unknown option '--wrong'[\s\S]*Usage: npm run/)
  },
)

test.concurrent.each([
  ['workspace', ['create', 'Name', '--owner', 'you@example.com']],
  ['credits', [crypto.randomUUID(), '5', 'reference']],
  ['migrate', []],
])('%s ends with a sentence when its database is away', async (name, args) => {
  const { file } = programs.find((program) => program.name === name) as { file: string }
  expectSentence(await run(file, args, { DATABASE_ADMIN_URL: `postgres://postgres@${away}/crm` }))
})
