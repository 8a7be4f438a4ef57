import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from './session.ts'
import { type Places, root } from './settings.ts'

/** Keeps wrangler from using the network and from writing outside this folder. */
const OFFLINE = {
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_WRITE_LOGS: 'false',
}

/** After these milliseconds without a response one line says so, and wrangler's output is shown. */
const PATIENCE = { line: 5_000, output: 120_000 }

const wranglerPath = () => join(dirname(createRequire(import.meta.url).resolve('wrangler/package.json')), 'bin/wrangler.js')

/**
 * Starts `wrangler dev` and resolves when the Worker answers. When wrangler ends, so does the session. Files and queues are where a
 * `wrangler dev` started by hand finds them, in .wrangler/state, unless the run has a folder of its own. `wrangler` is the program to
 * start, if it is another one.
 */
export async function startWrangler(
  port: number,
  addChild: (pid: number) => void,
  session: Session,
  { isUsual, files, vars, registry }: Places,
  wrangler = wranglerPath(),
): Promise<{ url: string }> {
  const flags = ['--port', String(port), '--show-interactive-dev-session=false']
  if (!isUsual) flags.push('--persist-to', files, '--env-file', vars)
  // A separate process group, so that Ctrl-C reaches it only through the session.
  const child = spawn(process.execPath, [wrangler, 'dev', ...flags], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: {
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
      ...OFFLINE,
      WRANGLER_REGISTRY_PATH: registry,
      ...process.env,
      PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH}`,
    },
  })
  addChild(child.pid!)
  const showOutput = holdOutput(child)
  const exited = new Promise<void>((done) => child.once('exit', () => done()))
  child.once('exit', (code) => {
    if (!session.stopping.aborted) showOutput(true)
    void session.end(code || 1)
  })
  session.atEnd(async () => {
    child.kill('SIGTERM')
    await Promise.race([exited, sleep(5_000, undefined, { ref: false })])
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL')
  })
  const url = `http://127.0.0.1:${port}`
  child.stdout.on('data', onCrash(url, session))
  child.stderr.on('data', onCrash(url, session))
  const waits = [
    setTimeout(() => console.log('Starting the Worker: the first time, or on a busy machine, this takes up to a minute.'), PATIENCE.line),
    setTimeout(showOutput, PATIENCE.output, true),
  ]
  while (!session.stopping.aborted && !(await answers(`${url}/healthz`))) await sleep(100)
  for (const wait of waits) clearTimeout(wait)
  showOutput(false)
  return { url }
}

/** Wrangler's message when workerd has ended. It starts another one, which after some crashes does not respond. */
const CRASHED = 'runtime crashed unexpectedly'

function onCrash(url: string, session: Session): (chunk: Buffer) => Promise<void> {
  return async (chunk) => {
    if (!String(chunk).includes(CRASHED)) return
    for (let attempt = 0; attempt < 3; attempt++) if (session.stopping.aborted || (await responds(`${url}/healthz`))) return
    await session.fail("The Worker's runtime (workerd) crashed and did not recover: start again. What was committed is in .data/.")
  }
}

/** Hides wrangler's start-up output, unless it reports an error; after that, everything is shown. */
function holdOutput({ stdout, stderr }: ChildProcessByStdio<null, Readable, Readable>): (withHeld: boolean) => void {
  let held: string | undefined = ''
  const show = (withHeld: boolean) => {
    if (withHeld && held) process.stdout.write(held)
    held = undefined
  }
  for (const [from, to] of [
    [stdout, process.stdout],
    [stderr, process.stderr],
  ] as const) {
    from.on('data', (chunk) => {
      if (held === undefined) return void to.write(chunk)
      held += chunk
      if (String(chunk).includes('ERROR')) show(true)
    })
  }
  return show
}

const responseOf = (url: string) => fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined)
const answers = async (url: string) => (await responseOf(url))?.ok === true
/** Whether there is any response, including an error. */
const responds = async (url: string) => (await responseOf(url)) !== undefined

/** Runs the crons of wrangler.toml when they are due, because `wrangler dev` does not. */
export function fireCrons(url: string, session: Session): void {
  const fire = (cron: string, time: Date) => {
    const query = new URLSearchParams({ cron, time: String(time.getTime()) })
    return fetch(`${url}/cdn-cgi/local/scheduled?${query}`).catch(() => {})
  }
  const wait = () => setTimeout(tick, 60_000 - (Date.now() % 60_000))
  const tick = () => {
    const now = new Date()
    void fire('* * * * *', now)
    if (now.getUTCHours() === 3 && now.getUTCMinutes() === 17) void fire('17 3 * * *', now)
    timer = wait()
  }
  let timer = wait()
  session.atEnd(() => clearTimeout(timer))
}
