import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare, type V4MiniflareOptions } from 'miniflare'
import pg from 'pg'
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler'
import { migrate } from '../dev/migrate.ts'
import { type NeonProxy, startNeonProxy } from '../dev/neon-proxy.ts'
import { startPostgres } from '../dev/postgres.ts'
import { root } from '../dev/settings.ts'

// Wrangler only reads its configuration here.
process.env.WRANGLER_LOG ??= 'warn'

export interface Stack {
  /** A folder that goes when the stack does. */
  dir: string
  owner: pg.Pool
  /** As role `app`, which row-level security binds. */
  app: pg.Pool
  proxy: NeonProxy
  /** What a Worker needs to reach the database. */
  vars: Record<string, string>
  stop(): Promise<void>
}

/**
 * A migrated database and the Neon endpoint in front of it, in a folder for temporary files. With `keep` it is in that folder, is
 * there the next time and stays; `name` tells the databases of a folder apart.
 */
export async function startStack({ keep, name = 'crm' }: { keep?: string | undefined; name?: string } = {}): Promise<Stack> {
  if (keep) mkdirSync(keep, { recursive: true })
  const dir = keep ?? mkdtempSync(join(tmpdir(), 'workspace-crm-bench-'))
  // Open to the user that the server may run as.
  chmodSync(dir, 0o755)
  const postgres = await startPostgres(join(dir, 'postgres'), { durable: false })
  const owner = new pg.Pool({ connectionString: postgres.url(name), max: 4 })
  const app = new pg.Pool({ connectionString: postgres.url(name).replace('postgres@', 'app:app@'), max: 1 })
  const proxy = await startNeonProxy({ postgresPort: postgres.port })
  // Sessions that an error left open end with the server.
  for (const pool of [owner, app]) pool.on('error', () => {})
  const stop = async () => {
    await proxy.close()
    for (const pool of [owner, app]) pool.end().catch(() => {})
    await postgres.stop()
    if (!keep) rmSync(dir, { recursive: true, force: true })
  }
  try {
    await createDatabase(postgres.url('postgres'), name)
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

async function createDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
  if (!rowCount) await client.query(`create database ${name}`)
  await client.end()
}

export interface Running {
  /** The Worker's own socket, with no proxy in between. */
  url: URL
  /** Milliseconds of CPU that its runtime, a process of its own, has used. */
  cpu(): number
  inspector(): Promise<URL>
  stop(): Promise<void>
}

/** Bundles a Worker as wrangler does and runs it in a runtime of its own, with as little as possible around it. */
export async function runWorker(entry: string, { dir, vars }: Stack, extra: Partial<V4MiniflareOptions> = {}): Promise<Running> {
  const outdir = mkdtempSync(join(dir, 'worker-'))
  await build({
    entryPoints: { worker: join(root, entry) },
    outdir,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    platform: 'neutral',
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['browser', 'module', 'main'],
    external: ['cloudflare:*', 'node:*'],
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
          // Its requests go out as they are, through no other Worker.
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
    cpu: () => cpuOf(pid),
    inspector: () => miniflare.getInspectorURL(),
    stop: () => miniflare.dispose(),
  }
}

const statOf = (pid: number) =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')

/** This program's children that run Workers. */
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
