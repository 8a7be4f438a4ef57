import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { inspectProcess, isBusy } from '../../dev/processes.ts'
import { findRun } from '../../dev/runs.ts'
import { OWN_PORTS, readSettings, root } from '../../dev/settings.ts'
import { proving } from '../proof.ts'
import { limit } from '../speed.ts'

const FLAGS = ['port', 'receiver-port', ...OWN_PORTS]

/** Ports below those that the system hands out by itself, which another program may get before this one listens. */
async function unusedPorts(count: number): Promise<number[]> {
  const ports: number[] = []
  for (let port = 12_000 + Math.floor(Math.random() * 18_000); ports.length < count; port++) if (!(await isBusy(port))) ports.push(port)
  return ports
}

/** Every process that was started for the folder, by its command line, its environment or its working folder. */
function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder) || readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder)
        )
      } catch {
        return false
      }
    })
    .map((pid) => `${pid} ${inspectProcess(Number(pid))?.command}`)
}

const FIXTURE = join(root, 'test/import/fixture')

/**
 * The scripts that the README names and that are not run beside `npm run dev`, with the reason. Those of this project have a test of
 * `--help`.
 */
const ELSEWHERE: Record<string, string> = {
  dev: 'is what runs',
  db: 'takes the same ports and folder',
  test: 'is what tests',
  'test:browser': 'needs a browser',
  prove: 'takes an hour',
  types: 'checks the code',
  lint: 'checks the code',
  format: 'writes the code',
  build: 'test/dev/install.test.ts builds',
  openapi: 'writes files of the repository',
  generate: 'test/dev/generate.test.ts runs it in a copy',
  'install:clients': 'test/clients/clients.test.ts runs it',
  'setup:cloudflare': 'needs an account: test/dev/setup-cloudflare.test.ts runs it with a stand-in',
  deploy: 'needs an account',
  baseline: 'replaces the stored release',
  check: 'checks the code',
  'test:changed': 'tests the code',
}

/** What a demonstration that takes minutes prints once everything that it uses has answered. `npm run prove` waits for its end. */
const ANSWERED: Record<string, string> = {
  'demo:sync': '3. A copy',
  'demo:automation': '3. A schedule',
  'demo:messaging': '2. An email',
  'demo:scheduling': '2. 500 bookings',
  'demo:booking': '3. A visitor books',
  'demo:delivery': '5. The client orders',
  'demo:agency': '6. The website',
  'demo:agents': '4. A draft waits',
}

/** The commands in the text and the tables of the README, as they are written. */
function commandsOfReadme(): { script: string; command: string }[] {
  const text = readFileSync(join(root, 'README.md'), 'utf8')
  const commands = [...text.matchAll(/(?:`|^|&& )(npm (?:run )?([a-z][\w:-]*)[^`\n&]*)/gm)].map(([, command, script]) => ({
    script: script as string,
    command: (command as string).trim(),
  }))
  return commands.filter(({ script }) => script !== 'install')
}

/** Runs a command until it ends or prints `until`; returns its exit code (0 when it was stopped) and what it printed. */
function runCommand(command: string, env: NodeJS.ProcessEnv, until?: string): Promise<{ code: number | null; output: string }> {
  const child = spawn('bash', ['-c', command], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let output = ''
  let isStopped = false
  for (const from of [child.stdout, child.stderr])
    from.on('data', (chunk) => {
      output += chunk
      if (isStopped || !until || !output.includes(until)) return
      isStopped = true
      process.kill(-child.pid!, 'SIGKILL')
    })
  return new Promise((done) => child.once('close', (code) => done({ code: isStopped ? 0 : code, output })))
}

async function runCommandsOfReadme(folder: string): Promise<void> {
  const { key, workspace_id } = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'))
  const { api } = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')).addresses
  expect(findRun({ base: api })?.dataDir).toBe(folder)
  // What `npm run demo:crm` expects of the whole data set.
  const send = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const response = await fetch(`${api}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(response.status).toBe(201)
    return ((await response.json()) as { data: { id: string } }).data.id
  }
  await send('/opportunities', { name: 'Kitchen', value: 30_000, customer_id: await send('/companies', { name: 'Cancity' }) })

  const commands = commandsOfReadme()
  expect(commands.length).toBeGreaterThan(25)
  const scripts = [...new Set(commands.map(({ script }) => script))]
  const given: Record<string, string> = { '<folder>': FIXTURE, '<workspace id>': workspace_id, '<credits>': '50', '<reference>': 'first' }
  // The environment of somebody who has just opened a terminal, except that a run of a developer in the same folder is left alone.
  const { npm_lifecycle_event: _, ...own } = process.env
  const env = { ...own, DATA_DIR: folder }
  const beside = scripts.filter((script) => !(script in ELSEWHERE))
  expect(beside).toEqual(expect.arrayContaining(['import:crm-sales', 'workspace', 'credits', 'migrate', ...Object.keys(ANSWERED)]))
  const results = await Promise.all(
    beside.map(async (script) => {
      const written = commands.find((one) => one.script === script) as { command: string }
      const command = written.command.replace(/<[^>]+>/g, (name) => given[name] ?? name)
      return { command, ...(await runCommand(command, env, proving ? undefined : ANSWERED[script])) }
    }),
  )
  for (const { command, code, output } of results) {
    expect(code, `${command}\n${output}`).toBe(0)
    expect(output, command).not.toMatch(/^ {4}at /m)
  }
}

test.runIf(process.platform === 'linux')(
  'npm run dev starts everything, what it prints works, and nothing is left when it has stopped',
  { timeout: limit(proving ? 900_000 : 180_000) },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), `workspace-crm-test-${process.pid}-run-`))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const ports = await unusedPorts(FLAGS.length)
    const flags = FLAGS.flatMap((flag, n) => [`--${flag}`, String(ports[n])])
    const before = ['.data', '.dev.vars', '.wrangler/state'].map((name) => existsSync(join(root, name)))

    const { npm_lifecycle_event: _, ...env } = process.env
    const run = spawn('npm', ['run', 'dev', '--', '--empty', '--data-dir', folder, ...flags], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let output = ''
    for (const from of [run.stdout, run.stderr])
      from.on('data', (chunk) => {
        output += chunk
      })
    const ended = new Promise<number | null>((done) => run.once('close', done))
    let hasEnded = false
    void ended.then(() => {
      hasEnded = true
    })
    onTestFinished(async () => {
      if (!hasEnded) process.kill(-run.pid!, 'SIGINT')
      await ended
    })
    await new Promise<void>((ready, failed) => {
      run.stdout.on('data', () => output.includes('Ready in') && ready())
      void ended.then(() => failed(new Error(`It ended before it was ready:\n${output}`)))
    })

    const [curl] = /^ +curl -H .*$/m.exec(output.slice(output.indexOf('Try it:'))) as RegExpExecArray
    const response = spawnSync('bash', ['-c', `${curl} -sS -w '\\n%{http_code}'`], { encoding: 'utf8' }).stdout
    expect(response).toMatch(/^\{"data":[\s\S]*\n200$/)
    const inbox = /Inbox +(http\S+)/.exec(output)?.[1] as string
    expect(await (await fetch(inbox)).text()).toContain('<title>Local inbox</title>')
    expect(await (await fetch(`${inbox}/api/summary`)).json()).toMatchObject({ emails: 0, faults: 0, has_inbox: true })
    expect(readdirSync(folder).sort()).toEqual(expect.arrayContaining(['demo.json', 'dev.vars', 'postgres', 'run.json', 'state']))
    expect(processesOf(folder).length).toBeGreaterThan(1)

    await runCommandsOfReadme(folder)

    const stopping = Date.now()
    // As a terminal does it: everything in the foreground gets the signal.
    process.kill(-run.pid!, 'SIGINT')
    await ended
    expect(Date.now() - stopping).toBeLessThan(15_000)
    for (let waited = 0; processesOf(folder).length > 0 && waited < 5_000; waited += 50) await sleep(50)
    expect(processesOf(folder)).toEqual([])
    expect(await Promise.all(ports.map(isBusy))).toEqual(ports.map(() => false))
    expect(existsSync(join(folder, 'run.json'))).toBe(false)
    expect(['.data', '.dev.vars', '.wrangler/state'].map((name) => existsSync(join(root, name)))).toEqual(before)
  },
)

test('each server has a port of its own by default', () => {
  const ports = Object.values(readSettings([]).ports)
  expect(ports.toSorted()).toEqual([...new Set(ports)].toSorted())
})
