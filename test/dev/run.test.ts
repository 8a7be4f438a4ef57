import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { freePort, inspectProcess, isBusy } from '../../dev/processes.ts'
import { root } from '../../dev/settings.ts'
import { limit } from '../speed.ts'

const FLAGS = [
  'port',
  'pg-port',
  'neon-port',
  'email-port',
  'sms-port',
  'whatsapp-port',
  'inbox-port',
  'voice-port',
  'notetaker-port',
  'google-port',
  'microsoft-port',
]

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

test.runIf(process.platform === 'linux')(
  'npm run dev starts everything, what it prints works, and nothing is left when it has stopped',
  { timeout: limit(180_000) },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), `workspace-crm-test-${process.pid}-run-`))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const ports = await Promise.all(FLAGS.map(() => freePort()))
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
