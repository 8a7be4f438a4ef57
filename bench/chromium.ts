import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

/** The path on Debian and Ubuntu; CHROMIUM overrides it. */
const PROGRAM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--hide-scrollbars',
  '--remote-debugging-port=0',
]
const PATIENCE = 20_000

// biome-ignore lint/suspicious/noExplicitAny: the protocol's own values
type Params = Record<string, any>

/** A tab, controlled through the DevTools protocol. */
export interface Tab {
  send(method: string, params?: Params): Promise<Params>
  on(method: string, listener: (params: Params) => void): void
  /** Returns the value of an expression, and awaits a promise. */
  evaluate<Value = unknown>(expression: string): Promise<Value>
  /** Waits until the expression is true. */
  until(expression: string): Promise<void>
  open(url: string): Promise<void>
  /** Returns the seconds of CPU that the main thread of this tab has used. */
  taskSeconds(): Promise<number>
  close(): Promise<void>
}

export interface Browser {
  tab(size?: { width: number; height: number; mobile?: boolean }): Promise<Tab>
  close(): Promise<void>
}

/** Starts Chromium with an empty profile. */
export async function startChromium(): Promise<Browser> {
  if (!existsSync(PROGRAM)) throw new Error(`No Chromium at ${PROGRAM}: apt-get install -y chromium, or set CHROMIUM to its path`)
  const profile = mkdtempSync(join(tmpdir(), 'workspace-crm-chromium-'))
  const child = spawn(PROGRAM, [...FLAGS, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  const connection = await connect(await addressOf(child))
  return {
    tab: (size = { width: 1440, height: 900 }) => openTab(connection, size),
    async close() {
      await connection.send('Browser.close').catch(() => {})
      await Promise.race([new Promise((done) => child.once('exit', done)), sleep(5_000)])
      if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL')
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    },
  }
}

function addressOf({ stderr }: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    let text = ''
    const timer = setTimeout(() => failed(new Error(`Chromium did not start:\n${text}`)), PATIENCE)
    stderr!.on('data', (chunk) => {
      text += chunk
      const address = /DevTools listening on (ws:\S+)/.exec(text)?.[1]
      if (!address) return
      clearTimeout(timer)
      found(address)
    })
  })
}

interface Connection {
  send(method: string, params?: Params, sessionId?: string): Promise<Params>
  on(sessionId: string, method: string, listener: (params: Params) => void): void
}

async function connect(address: string): Promise<Connection> {
  const socket = new WebSocket(address, { perMessageDeflate: false })
  await new Promise((opened, failed) => socket.once('open', opened).once('error', failed))
  const waiting = new Map<number, { done(result: Params): void; failed(error: Error): void }>()
  const listeners = new Map<string, ((params: Params) => void)[]>()
  let last = 0
  socket.on('message', (data) => {
    const { id, result, error, method, params, sessionId } = JSON.parse(String(data))
    if (id === undefined) for (const listener of listeners.get(`${sessionId} ${method}`) ?? []) listener(params)
    else if (error) waiting.get(id)?.failed(new Error(error.message))
    else waiting.get(id)?.done(result)
    waiting.delete(id)
  })
  return {
    send: (method, params = {}, sessionId) =>
      new Promise((done, failed) => {
        last += 1
        waiting.set(last, { done, failed })
        socket.send(JSON.stringify({ id: last, method, params, sessionId }))
      }),
    on(sessionId, method, listener) {
      const name = `${sessionId} ${method}`
      listeners.set(name, [...(listeners.get(name) ?? []), listener])
    },
  }
}

async function openTab(
  connection: Connection,
  { width, height, mobile = false }: { width: number; height: number; mobile?: boolean },
): Promise<Tab> {
  const { targetId } = await connection.send('Target.createTarget', { url: 'about:blank', newWindow: true })
  const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true })
  const send: Tab['send'] = (method, params) => connection.send(method, params, sessionId)
  await send('Emulation.setDeviceMetricsOverride', { width, height, mobile, deviceScaleFactor: mobile ? 2 : 1 })
  for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await send(`${domain}.enable`)
  // The thread's CPU time, which other programs on the machine do not affect.
  await send('Performance.enable', { timeDomain: 'threadTicks' })
  const evaluate = async <Value>(expression: string): Promise<Value> => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`)
    return result.value
  }
  const until = async (expression: string) => {
    const end = Date.now() + PATIENCE
    while (!(await evaluate(expression).catch(() => false))) {
      if (Date.now() > end) throw new Error(`Not true after ${PATIENCE / 1000} s: ${expression}`)
      await sleep(20)
    }
  }
  return {
    send,
    evaluate,
    until,
    on: (method, listener) => connection.on(sessionId, method, listener),
    async open(url) {
      await send('Page.navigate', { url })
      await until(`location.href === ${JSON.stringify(url)} && document.readyState === 'complete'`)
      await settle({ evaluate })
    },
    async taskSeconds() {
      await settle({ evaluate })
      const { metrics } = await send('Performance.getMetrics')
      return (metrics as { name: string; value: number }[]).find(({ name }) => name === 'TaskDuration')!.value
    },
    close: async () => void (await connection.send('Target.closeTarget', { targetId })),
  }
}

/** Waits until pending frames are painted. */
const settle = ({ evaluate }: Pick<Tab, 'evaluate'>) =>
  evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))')
