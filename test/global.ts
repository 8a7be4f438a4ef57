import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { type SourcelessWorkerOptions, unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler'
import { writeDocsAssets } from '../dev/docs-assets.ts'
import { migrate } from '../dev/migrate.ts'
import { copyServer, type Postgres, startPostgres, stopStale } from '../dev/postgres.ts'
import { inspectProcess } from '../dev/processes.ts'
import { root } from '../dev/settings.ts'
import { WORKER_BUNDLE } from '../dev/worker-bundle.ts'
import { OWN_SERVER, TEMPLATE } from './database.ts'
import { SCRATCH_FOLDERS, scratchFolder } from './scratch.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder for the databases of the run. */
    scratch: string
    /** The folder of the run's servers. */
    servers: string
    /** The data directory of a stopped server that has the migrated template. */
    seed: string
    /** The test server's superuser, on the database "postgres". */
    postgresUrl: string
    /** The folder of the bundled Worker. */
    bundle: string
    workerOptions: SourcelessWorkerOptions
  }
}

/**
 * Once per run: a database server with a migrated template, and the Worker bundled for tests. With PROVE_KEEP=<folder> the server's
 * databases stay in that folder, so that a proof that fills one for an hour finds it filled the next time.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await removeLeftovers()
  const kept = process.env.PROVE_KEEP
  if (kept) mkdirSync(kept, { recursive: true })
  const scratch = scratchFolder()
  const dir = kept ?? mkdtempSync(join(scratch, `${PREFIX}${process.pid}-`))
  // Open to the user that the server may run as.
  chmodSync(dir, 0o755)
  const [seed, data, bundle] = [join(dir, 'seed'), join(dir, 'postgres'), join(dir, 'worker')]
  await Promise.all([prepareSeed(seed), bundleWorker(bundle)])
  if (!existsSync(data)) copyServer(seed, data)
  const postgres = await startPostgres(data, { durable: false, counting: true })
  const teardown = async () => {
    await postgres.stop()
    await stopServers(dir)
    if (!kept) rmSync(dir, { recursive: true, force: true })
  }
  try {
    // A kept server has the template of an earlier run.
    if (kept) await prepareTemplate(postgres)
    project.provide('scratch', scratch)
    project.provide('servers', dir)
    project.provide('seed', seed)
    project.provide('postgresUrl', postgres.url('postgres'))
    project.provide('bundle', bundle)
    const config = unstable_readConfig({ config: join(root, 'wrangler.toml') })
    const { workerOptions } = unstable_getMiniflareWorkerOptions(config)
    // What the developer's .dev.vars adds stays out; functions would not survive the way to the test processes.
    project.provide('workerOptions', JSON.parse(JSON.stringify({ ...workerOptions, bindings: config.vars })))
  } catch (error) {
    await teardown()
    throw error
  }
  return teardown
}

const PREFIX = 'workspace-crm-test-'

/** What killed runs left in the folders for temporary files. */
async function removeLeftovers(): Promise<void> {
  for (const dir of SCRATCH_FOLDERS.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))) {
    const name = basename(dir)
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : 0
    if (!pid || inspectProcess(pid)) continue
    await stopStale(join(dir, 'postgres'))
    await stopServers(dir)
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Ends the servers that the run's processes have left for their next files. */
async function stopServers(dir: string): Promise<void> {
  for (const name of readdirSync(dir).filter((name) => name.startsWith(OWN_SERVER))) {
    await stopStale(join(dir, name, 'postgres'))
    rmSync(join(dir, name), { recursive: true, force: true })
  }
}

async function prepareTemplate(postgres: Postgres): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url('postgres') })
  await client.connect()
  await client.query(`drop database if exists ${TEMPLATE}`)
  await client.query(`create database ${TEMPLATE}`)
  await client.end()
  await migrate(postgres.url(TEMPLATE))
}

/** Every server of the run is a copy of this one, which takes a tenth of the time of migrating another one. */
async function prepareSeed(data: string): Promise<void> {
  rmSync(data, { recursive: true, force: true })
  const postgres = await startPostgres(data, { durable: false })
  try {
    await prepareTemplate(postgres)
  } finally {
    await postgres.stop()
  }
}

async function bundleWorker(outdir: string): Promise<void> {
  writeDocsAssets()
  await bundleFrom(root, outdir)
}

/** Bundles the Worker of a folder for tests. */
export async function bundleFrom(folder: string, outdir: string): Promise<void> {
  await build({
    ...WORKER_BUNDLE,
    entryPoints: { worker: join(folder, 'test/entry.ts') },
    outdir,
    sourcemap: true,
    logLevel: 'warning',
  })
}
