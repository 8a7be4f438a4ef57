import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Complaint } from './settings.ts'

/** The command line and parent of a running process; undefined if it does not exist. */
export function inspectProcess(pid: number): { command: string; parent: number } | undefined {
  if (process.platform === 'linux') {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      const parent = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
      return command ? { command, parent } : undefined
    } catch {
      return undefined
    }
  }
  const line = spawnSync('ps', ['-o', 'ppid=,args=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim()
  const found = /^(\d+)\s+(.*)$/.exec(line ?? '')
  return found ? { parent: Number(found[1]), command: found[2]! } : undefined
}

/** Signals a process and waits until it has ended; after ten seconds it is killed. */
export async function stopProcess(pid: number, signal: NodeJS.Signals): Promise<void> {
  for (let waited = 0; waited < 12_000; waited += 25) {
    if (!inspectProcess(pid)) return
    if (waited === 0) process.kill(pid, signal)
    if (waited === 10_000) process.kill(pid, 'SIGKILL')
    await sleep(25)
  }
}

/** Returns an unused port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  return (await listenOnce(0))!
}

/** Whether something already listens on this port. */
export async function isBusy(port: number): Promise<boolean> {
  return (await listenOnce(port)) === undefined
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)))
    server.listen({ port, host: '127.0.0.1' }, () => {
      const address = server.address() as AddressInfo
      server.close(() => resolve(address.port))
    })
  })
}

/** The npm process that started this program, or else its parent. If it no longer exists, this program is a leftover. */
export function findLauncher(): number {
  for (let pid = process.ppid; pid > 1; ) {
    const found = inspectProcess(pid)
    if (!found) break
    if (found.command.startsWith('npm')) return pid
    pid = found.parent
  }
  return process.ppid
}

export interface Run {
  /** Where it can be reached, once everything has started. */
  addresses?: object
  pid: number
  launcher: number
  children: number[]
}

/**
 * Records this run in `file`, so that the next one can stop what a killed run left behind. If the launcher of the other run is still
 * alive, this run is refused instead.
 */
export async function claimRun(file: string): Promise<{ addChild(pid: number): void; publish(addresses: object): void; release(): void }> {
  const former = readRun(file)
  if (former) await stopLeftovers(former)
  const run: Run = { pid: process.pid, launcher: findLauncher(), children: [] }
  const write = () => writeFileSync(file, JSON.stringify(run))
  mkdirSync(dirname(file), { recursive: true })
  write()
  return {
    addChild(pid) {
      run.children.push(pid)
      write()
    },
    publish(addresses) {
      run.addresses = addresses
      write()
    },
    release: () => rmSync(file, { force: true }),
  }
}

/** The run that was recorded in `file`, whether or not it is still under way. */
export function readRun(file: string): Run | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Run
  } catch {
    return undefined
  }
}

const programOf = ({ pid }: Run) => /^\S*node\b.*\bdev\/(main|db)\.ts\b/.exec(inspectProcess(pid)?.command ?? '')?.[1]
export const isRunning = (run: Run): boolean => programOf(run) !== undefined

async function stopLeftovers(run: Run): Promise<void> {
  // In a restarted container, the process id may be our own or that of npm's shell.
  const program = programOf(run)
  if (program && run.pid !== process.pid) {
    const name = program === 'main' ? 'npm run dev' : 'npm run db'
    if (inspectProcess(run.launcher)) throw new Complaint(`"${name}" already runs here (process ${run.pid}): stop it with Ctrl-C first.`)
    await stopProcess(run.pid, 'SIGTERM')
  }
  for (const pid of run.children) {
    if (inspectProcess(pid)?.command.includes('wrangler')) await stopProcess(pid, 'SIGTERM')
  }
}
