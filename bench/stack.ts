import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4MiniflareOptions } from 'miniflare'
import pg from 'pg'
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler'
import { migrate } from '../dev/migrate.ts'
import { type NeonProxy, startNeonProxy } from '../dev/neon-proxy.ts'
import { copyServer, startPostgres } from '../dev/postgres.ts'
import { root } from '../dev/settings.ts'
import { WORKER_BUNDLE } from '../dev/worker-bundle.ts'

// Wrangler only reads its configuration here.
process.env.WRANGLER_LOG ??= 'warn'

export interface Stack {
  /** A folder that is removed with the stack. */
  dir: string
  owner: pg.Pool
  /** Connects as role `app`, to which row-level security applies. */
  app: pg.Pool
  proxy: NeonProxy
  /** What a Worker needs to reach the database. */
  vars: Record<string, string>
  stop(): Promise<void>
}

/** The data directory of a stopped server with this database, which tests have migrated already. */
const SEED = process.env.BENCH_SEED
const TEMPLATE = 'crm_template'

/**
 * A migrated database and the Neon endpoint in front of it, in a temporary folder. With `keep` it is in that folder and
 * kept for the next run; `name` distinguishes the databases of a folder.
 */
export async function startStack({ keep, name = 'crm' }: { keep?: string | undefined; name?: string } = {}): Promise<Stack> {
  if (keep) mkdirSync(keep, { recursive: true })
  const dir = keep ?? mkdtempSync(join(tmpdir(), 'workspace-crm-bench-'))
  // Readable for the user that the server may run as.
  chmodSync(dir, 0o755)
  const seed = keep ? undefined : SEED
  if (seed) copyServer(seed, join(dir, 'postgres'))
  const postgres = await startPostgres(join(dir, 'postgres'), { durable: false })
  const owner = new pg.Pool({ connectionString: postgres.url(name), max: 4 })
  const app = new pg.Pool({ connectionString: postgres.url(name).replace('postgres@', 'app:app@'), max: 1 })
  const proxy = await startNeonProxy({ postgresPort: postgres.port })
  // Stopping the server ends open sessions, which the pools and their clients report as errors.
  for (const pool of [owner, app]) {
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
  }
  const stop = async () => {
    await proxy.close()
    for (const pool of [owner, app]) pool.end().catch(() => {})
    await postgres.stop()
    if (!keep) rmSync(dir, { recursive: true, force: true })
  }
  try {
    await createDatabase(postgres.url('postgres'), name, seed !== undefined)
    await migrate(postgres.url(name))
  } catch (error) {
    await stop()
    throw error
  }
  return { dir, owner, app, proxy, vars: varsFor(name, proxy), stop }
}

const varsFor = (name: string, { url }: NeonProxy) => ({
  DATABASE_URL: `postgres://app:app@db.local/${name}`,
  DATABASE_JOBS_URL: `postgres://jobs:jobs@db.local/${name}`,
  NEON_PROXY: url,
})

/** A copy of the seed has a database already. */
async function createDatabase(url: string, name: string, isSeeded: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
  if (!rowCount) await client.query(isSeeded ? `alter database ${TEMPLATE} rename to ${name}` : `create database ${name}`)
  await client.end()
}

export interface Running {
  /** The Worker's own socket, with no proxy in between. */
  url: URL
  /** The process of its runtime. */
  pid: number
  /** Milliseconds of CPU that this process has used. */
  cpu(): number
  inspector(): Promise<URL>
  stop(): Promise<void>
}

/** Bundles a Worker as wrangler does, and runs it in its own workerd process. `entry` is an absolute path, or one in the project. */
export async function runWorker(
  entry: string,
  { dir, vars }: Pick<Stack, 'dir' | 'vars'>,
  extra: Partial<V4MiniflareOptions> = {},
): Promise<Running> {
  const outdir = mkdtempSync(join(dir, 'worker-'))
  await build({
    ...WORKER_BUNDLE,
    entryPoints: { worker: resolve(root, entry) },
    outdir,
    logLevel: 'warning',
  })
  const config = unstable_readConfig({ config: join(root, 'wrangler.toml') })
  const { compatibilityDate, compatibilityFlags } = unstable_getMiniflareWorkerOptions(config).workerOptions
  const others = new Set(runtimes())
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      log: new Log(LogLevel.ERROR),
      inspectorPort: 0,
      workers: [
        {
          name: 'worker',
          compatibilityDate,
          compatibilityFlags,
          bindings: { ...config.vars, ...vars },
          modules: [{ type: 'ESModule', path: join(outdir, 'worker.js') }],
          modulesRoot: outdir,
          unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
          // Subrequests are sent directly, without another Worker.
          stripCfConnectingIp: false,
          ...extra,
        },
      ],
    } as V4MiniflareOptions),
  )
  await miniflare.ready
  const pid = runtimes().find((found) => !others.has(found))
  if (!pid) throw new Error('No runtime was started')
  return {
    url: await miniflare.unsafeGetDirectURL(),
    pid,
    cpu: () => cpuOf(pid),
    inspector: () => miniflare.getInspectorURL(),
    stop: () => miniflare.dispose(),
  }
}

const statOf = (pid: number) =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')

/** The workerd processes that this program has started. */
function runtimes(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && Number(statOf(pid)[1]) === process.pid && readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('workerd')
      } catch {
        return false
      }
    })
}

/** User and system time; the kernel counts in hundredths of a second. */
export function cpuOf(pid: number): number {
  const stat = statOf(pid)
  return (Number(stat[11]) + Number(stat[12])) * 10
}
