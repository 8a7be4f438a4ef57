import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { claimRun, isRunning, type Run, readRun } from './processes.ts'
import { Complaint, placesOf, USUAL_DATA_DIR } from './settings.ts'

/** Where what `npm run dev` and `npm run db` have started can be reached: origins, without a path. */
export interface Addresses {
  api: string
  inbox: string
  email: string
  notetaker: string
  google: string
  microsoft: string
  stripe: string
  models: string
  /** The database as its owner. */
  database: string
  /** Where the Worker may call a webhook on this machine: `host:port`. */
  receiver: string
}

/** A run that is under way. */
export type LiveRun = { dataDir: string; addresses: Addresses }

/** Names the folder of each run of this checkout by the id of its process, so that a program finds those with a folder of their own. */
const RUNS = join(USUAL_DATA_DIR, 'runs')

/** Claims the folder for this run, and announces the run to the programs of this checkout. */
export async function announceRun(dataDir: string) {
  const run = await claimRun(placesOf(dataDir).run)
  const entry = join(RUNS, String(process.pid))
  mkdirSync(RUNS, { recursive: true })
  writeFileSync(entry, dataDir)
  return {
    addChild: run.addChild,
    publish: (addresses: Addresses) => run.publish(addresses),
    release() {
      run.release()
      forget(entry)
    },
  }
}

/** Removes an entry, and folders that have become empty: a run with a folder of its own leaves nothing here. */
function forget(entry: string): void {
  rmSync(entry, { force: true })
  for (const folder of [RUNS, dirname(RUNS)]) {
    try {
      rmdirSync(folder)
    } catch {
      return
    }
  }
}

/** The runs of this checkout that are under way. What killed runs have left is removed. */
function liveRuns(): LiveRun[] {
  const entries = existsSync(RUNS) ? readdirSync(RUNS).map((name) => join(RUNS, name)) : []
  const folders = entries.map((entry) => {
    const dataDir = readFileSync(entry, 'utf8')
    if (!runIn(dataDir)) forget(entry)
    return dataDir
  })
  return liveIn(folders)
}

const liveIn = (folders: string[]): LiveRun[] =>
  folders.flatMap((dataDir) => {
    const addresses = runIn(dataDir)?.addresses as Addresses | undefined
    return addresses ? [{ dataDir, addresses }] : []
  })

const runIn = (dataDir: string): Run | undefined => {
  const run = readRun(placesOf(dataDir).run)
  return run && isRunning(run) ? run : undefined
}

const LOCAL = ['127.0.0.1', 'localhost', '[::1]']
const isSameLocal = (one: URL, other: URL) => LOCAL.includes(one.hostname) && one.port === other.port

/**
 * The run that is meant: in the folder (or DATA_DIR), at the address, or the only one; of several the usual one. Undefined if there is
 * none.
 */
export function findRun({ dataDir: named, base }: { dataDir?: string | undefined; base?: string | undefined } = {}): LiveRun | undefined {
  const folder = named ?? process.env.DATA_DIR
  const dataDir = folder && resolve(folder)
  const runs = (dataDir ? liveIn([dataDir]) : liveRuns()).filter((run) => !base || isSameLocal(new URL(base), new URL(run.addresses.api)))
  if (dataDir && runs.length === 0) throw new Complaint(`Nothing runs in ${dataDir}: start it with "npm run dev -- --data-dir ${dataDir}".`)
  const usual = runs.find((run) => run.dataDir === USUAL_DATA_DIR)
  if (runs.length > 1 && !usual)
    throw new Complaint(
      `Several runs are under way, in ${runs.map((run) => run.dataDir).join(' and ')}: name one with --data-dir <folder>.`,
    )
  return usual ?? runs[0]
}

export type TargetFlags = { base?: string | undefined; key?: string | undefined; 'data-dir'?: string | undefined }

/** The API and the key that a program uses: those of the flags, or those of the run that is under way and its demo workspace. */
export function targetOf(flags: TargetFlags): { base: string; key: string; run: LiveRun | undefined } {
  const { base, key } = flags
  if (base !== undefined && !/^https?:$/.test(URL.parse(base)?.protocol ?? ''))
    throw new Complaint(`--base must be a web address such as http://127.0.0.1:8787, not "${base}".`)
  const run = findRun({ base, dataDir: flags['data-dir'] })
  if (base && key) return { base, key, run }
  if (base && !run)
    throw new Complaint(
      LOCAL.includes(new URL(base).hostname)
        ? `No run of this folder is at ${base}: start it with "npm run dev", or name a key with --key.`
        : `Name the key for ${base} with --key.`,
    )
  if (!run) throw new Complaint('No API runs here: start it with "npm run dev" in another terminal, or name one with --base and --key.')
  return { base: base ?? run.addresses.api, key: key ?? demoKeyOf(run), run }
}

/** The key of the demo workspace. It is valid only locally. */
function demoKeyOf({ dataDir }: LiveRun): string {
  const { demo } = placesOf(dataDir)
  if (!existsSync(demo))
    throw new Complaint('There is no demo workspace yet: wait until "npm run dev" has printed its key, or name a key with --key.')
  return (JSON.parse(readFileSync(demo, 'utf8')) as { key: string }).key
}

/** Where what a demonstration uses beside the API can be reached. @throws Complaint without a run under way. */
export function addressesOf(run: LiveRun | undefined): Addresses {
  if (!run) throw new Complaint('This demonstration uses the emulators of "npm run dev": start it in another terminal.')
  return run.addresses
}
