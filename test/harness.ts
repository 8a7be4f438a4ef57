import type { Miniflare, RequestInit, Response } from 'miniflare'
import type pg from 'pg'
import type { NeonProxy } from '../dev/neon-proxy.ts'
import { type Database, openPlace, type Place } from './database.ts'
import type { Emulators } from './emulators.ts'
import type { Client } from './http-client.ts'
import type { MemoryMeter } from './memory.ts'
import { borrowPlace, isKept, MOST_FILES } from './places.ts'
import { type Runtime, startRuntime } from './runtime.ts'
import { createTestWorkspace, type TestWorkspace, type WorkspaceOptions } from './workspace.ts'

export { FILE_SECRET, ORIGIN } from './runtime.ts'

export interface StartOptions {
  /** Replaces or adds environment variables of the Worker. */
  vars?: Record<string, string>
  /** Keeps the real rate limits; without it there are none. */
  rateLimit?: boolean
  /** The binding of a queue that cannot be reached. */
  unreachable?: string
  /** Opens the runtime's inspector, through which the Worker's memory is measured. */
  inspected?: boolean
  /** Megabytes of JavaScript heap beyond which the runtime dies; buffers are outside the heap. */
  heapLimit?: number
  /** Sessions of the database that the Worker's requests share: with one, each finds what those before it have compiled. */
  sessions?: number
  /** Serves the documentation too; each start reads all of its files. */
  docs?: boolean
  /** The database to use, instead of a fresh copy of the migrated one. */
  database?: Database
  /** The folder of another release's bundled Worker, to run that one. */
  bundle?: string
  /** Whether the database is on a server of its own, which is faster when it need not survive a crash. */
  ownServer?: boolean | 'durable'
  /** Whether the database is the file's own: it ticks the cron, counts across workspaces, changes tables, or looks at plans. */
  own?: boolean
}

/** A message, the queue that it was sent to, and after how long it is to be delivered. */
export type Message = { queue: string; body: unknown; delaySeconds?: number }

/** What the queue handler left behind for the messages of one delivery. */
export interface Delivery {
  outcome: string
  ackAll: boolean
  retryBatch: { retry: boolean; delaySeconds?: number }
  explicitAcks: string[]
  retryMessages: { msgId: string; delaySeconds?: number }[]
}

export interface Harness extends Emulators {
  /** Where the Worker listens, for programs that have sockets only. */
  url(): Promise<URL>
  /** Calls the Worker, and reads the response as text. */
  client: Client
  /** Calls the Worker; `path` starts with a slash. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  /** The superuser on this file's own database: sees every workspace. */
  owner: pg.Pool
  /** The only way from the Worker to the database; counts its round trips. */
  proxy: NeonProxy
  /** Lets the emulators forget what they received, and how they should fail. */
  clearEmulators(): void
  /** What the Worker keeps files in. */
  files(): ReturnType<Miniflare['getR2Bucket']>
  /** Runs the scheduled handler, to its end. */
  cron(expression: string, at?: Date): Promise<void>
  /** Hands messages to the queue handler, as the broker would; nothing is retried. */
  deliver(queue: string, bodies: unknown[], attempts?: number): Promise<Delivery>
  /** Keeps messages from their queues from now on, or no longer; returns those that were kept since the last call. */
  capture(on: boolean): Promise<Message[]>
  /** Waits until no sent message and no waitUntil promise is under way. */
  drain(): Promise<void>
  /** Measures the Worker's memory; needs `inspected`. */
  memory(): Promise<MemoryMeter>
  /** All that the Worker and its runtime logged. */
  logs: string[]
  /** Kills the runtime, with its queues and whatever it was doing, and starts another on the same database. */
  restart(): Promise<void>
  /** Kills PostgreSQL, and starts it again on the same data; needs a durable server. */
  crash(): Promise<void>
  workspace(options?: WorkspaceOptions): Promise<TestWorkspace>
  close(): Promise<void>
}

/**
 * The runtime that the files of a process share, the database that most of them share, how many use it now, whether one does with a
 * database or variables of its own, and how many have used the database.
 */
interface Shared {
  runtime: Runtime
  place: Place
  users: number
  isAlone: boolean
  used: number
}
let shared: Promise<Shared> | undefined

/**
 * Starts the bundled Worker on a database, or takes what the files of this process share: the runtime, if no option needs another, and the
 * database, where row-level security keeps workspaces apart, if it need not be the file's own. Each test file does this once.
 */
export async function start(options: StartOptions = {}): Promise<Harness> {
  const { own, ownServer, vars, ...others } = options
  if (Object.keys(others).length > 0) return startApart(options)
  shared ??= startShared()
  const lent = await shared
  const isApart = Boolean(own || ownServer)
  const isAlone = isApart || Boolean(vars)
  if (lent.users > 0 && (isAlone || lent.isAlone)) return startApart(options)
  lent.users += 1
  lent.isAlone = isAlone
  lent.used += isApart ? 0 : 1
  const place = ownServer === 'durable' ? await openPlace(options) : isApart ? await borrowPlace(Boolean(ownServer)) : lent.place
  await lent.runtime.moveTo(place, vars)
  const app = harness(lent.runtime, place, () => handOver(lent, place))
  return isApart ? app : { ...app, cron: refuseCron }
}

async function startShared(): Promise<Shared> {
  const place = await openPlace({})
  return { runtime: await startRuntime({}, place), place, users: 0, isAlone: false, used: 0 }
}

async function startApart(options: StartOptions): Promise<Harness> {
  const place = await openPlace(options)
  const runtime = await startRuntime(options, place)
  return harness(runtime, place, async () => {
    await runtime.close()
    await place.close()
  })
}

/** Leaves a shared runtime as a new one is, for the next file. One that does not come to rest is replaced. */
async function handOver(lent: Shared, place: Place): Promise<void> {
  const { runtime } = lent
  runtime.proxy.clear()
  lent.users -= 1
  let isAtRest = true
  try {
    await runtime.capture(false)
    await runtime.drain()
    if (place === lent.place && lent.users === 0 && lent.used >= MOST_FILES) Object.assign(lent, { place: await openPlace({}), used: 0 })
    await runtime.moveTo(lent.place)
  } catch {
    isAtRest = false
    shared = undefined
    await runtime.close()
    await lent.place.close()
  }
  if (place !== lent.place && !(await isKept(place, isAtRest))) {
    await runtime.proxy.leave(place.port, place.name)
    await place.close()
  }
  runtime.clearEmulators()
  runtime.logs.length = 0
}

/** A tick carries out what the files before have left, and their messages reach this file's emulators. */
async function refuseCron(): Promise<never> {
  throw new Error('A file that ticks the cron has a database of its own: start it with `own: true`')
}

const harness = ({ moveTo: _, place: __, ...runtime }: Runtime, place: Place, close: () => Promise<void>): Harness => ({
  ...runtime,
  owner: place.owner,
  crash: place.crash,
  workspace: (given) => createTestWorkspace(place.owner, runtime.client, given),
  close,
})
