import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { freePort, inspectProcess } from '../../dev/processes.ts'
import { root } from '../../dev/settings.ts'

const dir = mkdtempSync(join(tmpdir(), `workspace-crm-test-${process.pid}-session-`))
chmodSync(dir, 0o755)
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** Runs a part of "npm run dev" and resolves when it is ready. */
async function run(...args: string[]) {
  const { npm_lifecycle_event: _, ...env } = process.env
  const child = spawn(process.execPath, [join(import.meta.dirname, 'session-program.js'), ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [output, errors] = ['', '']
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  const ended = new Promise<{ code: number | null; errors: string }>((done) => child.once('close', (code) => done({ code, errors })))
  await new Promise<void>((ready, fail) => {
    child.stdout.on('data', (chunk) => {
      output += chunk
      if (output.includes('ready')) ready()
    })
    child.once('close', () => fail(new Error(errors)))
  })
  return { ended, stop: () => child.kill('SIGTERM'), crash: () => child.kill('SIGUSR2') }
}

test('when PostgreSQL dies, the session ends with one sentence', async () => {
  const data = join(dir, 'postgres')
  const { ended } = await run('database', data, String(await freePort()))
  process.kill(Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL')
  const { code, errors } = await ended
  expect(code).toBe(1)
  expect(errors).toBe('PostgreSQL has stopped unexpectedly: start again. What was committed is in .data/.\n')
}, 60_000)

test('an error that nobody handles ends the session, and leaves no process', async () => {
  const data = join(dir, 'crashing')
  const { ended, crash } = await run('database', data, String(await freePort()))
  const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  crash()
  const { code, errors } = await ended
  expect(code).toBe(1)
  expect(errors).toContain('Error: unhandled')
  expect(inspectProcess(pid)).toBeUndefined()
}, 60_000)

const standIn = join(import.meta.dirname, 'wrangler-dev-stand-in.js')

test('when workerd crashes and does not recover, the session ends with one sentence', async () => {
  const port = await freePort()
  const { ended } = await run('wrangler', standIn, String(port))
  await fetch(`http://127.0.0.1:${port}/crash`)
  const { code, errors } = await ended
  expect(code).toBe(1)
  const own = errors.split('\n').filter((line) => line && !line.includes('crashed unexpectedly'))
  expect(own).toEqual(["The Worker's runtime (workerd) crashed and did not recover: start again. What was committed is in .data/."])
}, 60_000)

test('when wrangler ends, the session ends with its code', async () => {
  const port = await freePort()
  const { ended } = await run('wrangler', standIn, String(port))
  await fetch(`http://127.0.0.1:${port}/end`)
  expect((await ended).code).toBe(3)
}, 60_000)

test('files are where `wrangler dev` stores them when it is started by hand', async () => {
  const port = await freePort()
  const { ended, stop } = await run('wrangler', standIn, String(port))
  const { args, cwd } = (await (await fetch(`http://127.0.0.1:${port}/`)).json()) as { args: string[]; cwd: string }
  stop()
  await ended
  // Without these flags, wrangler stores files in .wrangler/state of the folder that has wrangler.toml.
  expect(args.filter((arg) => /^--(persist-to|config|cwd|remote)|^-c$/.test(arg))).toEqual([])
  expect(cwd).toBe(root)
}, 60_000)
