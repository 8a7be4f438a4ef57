import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** The project's root folder. */
export const root = join(import.meta.dirname, '..')

/** Where the database is kept, if no other folder is named. */
export const USUAL_DATA_DIR = join(root, '.data')

const PORTS = {
  port: { env: 'PORT', default: 8787, what: 'the Worker' },
  'pg-port': { env: 'PG_PORT', default: 54329, what: 'the database' },
  'neon-port': { env: 'NEON_PORT', default: 54330, what: 'the Neon endpoint' },
  'email-port': { env: 'EMAIL_PORT', default: 54331, what: 'the email emulator' },
  'sms-port': { env: 'SMS_PORT', default: 54333, what: 'the SMS emulator' },
  'whatsapp-port': { env: 'WHATSAPP_PORT', default: 54334, what: 'the WhatsApp emulator' },
  'inbox-port': { env: 'INBOX_PORT', default: 54335, what: 'the inbox' },
  'voice-port': { env: 'VOICE_PORT', default: 54337, what: 'the voice emulator' },
  'model-port': { env: 'MODEL_PORT', default: 54341, what: 'the emulator of models' },
  'microsoft-port': { env: 'MICROSOFT_PORT', default: 54339, what: 'the emulator of Microsoft' },
  'google-port': { env: 'GOOGLE_PORT', default: 54338, what: 'the emulator of Google' },
  'notetaker-port': { env: 'NOTETAKER_PORT', default: 54336, what: 'the emulator of notetakers' },
  'speech-port': { env: 'SPEECH_PORT', default: 54344, what: 'the emulator of transcripts' },
  'stripe-port': { env: 'STRIPE_PORT', default: 54340, what: 'the emulator of Stripe' },
  'embeddings-port': { env: 'EMBEDDINGS_PORT', default: 54342, what: 'the emulator of embeddings' },
  'turnstile-port': { env: 'TURNSTILE_PORT', default: 54345, what: 'the emulator of Turnstile' },
  'receiver-port': { env: 'RECEIVER_PORT', default: 8790, what: 'the receiver of webhooks' },
} as const

export type PortFlag = keyof typeof PORTS
/** Every port that the program itself listens on, beside that of the Worker and that at which another program receives webhooks. */
export const OWN_PORTS = Object.keys(PORTS).filter((flag) => flag !== 'port' && flag !== 'receiver-port') as PortFlag[]
const OTHERS = { reset: { type: 'boolean' }, empty: { type: 'boolean' }, sql: { type: 'boolean' }, 'data-dir': { type: 'string' } } as const

export interface Settings {
  ports: Record<PortFlag, number>
  /** Where the database is kept. In a folder that is not the usual one, so are files, queues and the settings of the Worker. */
  dataDir: string
  reset: boolean
  /** Creates the demo workspace without records. */
  empty: boolean
  /** Prints the statements of each request. */
  sql: boolean
}

/**
 * Where a run keeps what it needs: files and queues, and the settings of the Worker, where `npx wrangler dev` finds them, unless another
 * folder is named.
 */
export function placesOf(dataDir: string) {
  const isUsual = dataDir === USUAL_DATA_DIR
  return {
    isUsual,
    postgres: join(dataDir, 'postgres'),
    demo: join(dataDir, 'demo.json'),
    run: join(dataDir, 'run.json'),
    files: isUsual ? join(root, '.wrangler/state') : join(dataDir, 'state'),
    vars: isUsual ? join(root, '.dev.vars') : join(dataDir, 'dev.vars'),
    registry: isUsual ? join(root, '.wrangler/registry') : join(dataDir, 'registry'),
  }
}
export type Places = ReturnType<typeof placesOf>

/** A failure that one sentence explains; entry points print it without a stack. */
export class Complaint extends Error {}

/** The flags of `npm run dev` and `npm run db`, as `--help` shows them. */
export const SETTINGS_USAGE = `  --reset              starts with an empty database
  --empty              creates no sample records
  --sql                prints the SQL of each request: milliseconds, rows and blocks, by the id of the request
  --data-dir <folder>  keeps everything in this folder instead of .data/ and .wrangler/ (or DATA_DIR)
${Object.entries(PORTS)
  .map(([flag, { env, default: usual, what }]) => `  --${`${flag} <n>`.padEnd(19)}the port of ${what}, ${usual} by default (or ${env})`)
  .join('\n')}`

/** Reads flags, then the environment, then the defaults. */
export function readSettings(args = process.argv.slice(2)): Settings {
  refuseSwallowedFlags([...Object.keys(PORTS), ...Object.keys(OTHERS)])
  const flags = Object.fromEntries(Object.keys(PORTS).map((flag) => [flag, { type: 'string' as const }]))
  let values: Record<string, string | boolean | undefined>
  try {
    values = parseArgs({ args, options: { ...flags, ...OTHERS } }).values
  } catch (error) {
    throw new Complaint(
      `${(error as Error).message} Known flags: --reset, --empty, --sql, --data-dir ` +
        `<folder>, --${Object.keys(PORTS).join(' <n>, --')} <n>.`,
    )
  }
  const port = (flag: PortFlag) => {
    const { env, default: fallback } = PORTS[flag]
    const given = values[flag] ?? process.env[env] ?? fallback
    const number = Number(given)
    if (!Number.isInteger(number) || number < 1 || number > 65_535)
      throw new Complaint(`--${flag} (or ${env}) must be a port number, not "${given}".`)
    return number
  }
  return {
    ports: Object.fromEntries(Object.keys(PORTS).map((flag) => [flag, port(flag as PortFlag)])) as Record<PortFlag, number>,
    dataDir: resolve(typeof values['data-dir'] === 'string' ? values['data-dir'] : (process.env.DATA_DIR ?? USUAL_DATA_DIR)),
    reset: values.reset === true,
    empty: values.empty === true,
    sql: values.sql === true,
  }
}

/** npm interprets flags before `--` itself and passes them as configuration. Without this check they would have no effect. */
export function refuseSwallowedFlags(flags: string[]): void {
  const swallowed = flags.find((flag) => process.env[`npm_config_${flag.replaceAll('-', '_')}`])
  if (!swallowed) return
  const command = process.env.npm_lifecycle_event ?? 'dev'
  throw new Complaint(`npm did not pass --${swallowed} on: put "--" before it, as in "npm run ${command} -- --${swallowed} …".`)
}

/** The message for a port that is in use. */
export function busyPort(flag: PortFlag, port: number): Complaint {
  const { env, what } = PORTS[flag]
  return new Complaint(
    `Port ${port} (${what}) is already in use: stop the program that listens there, or choose another port with --${flag} ` +
      `<number> or ${env}=<number>.`,
  )
}

type Failure = Error & { code?: string; address?: string; port?: number; errors?: Failure[]; cause?: Failure }

/** Codes of a connection that was refused, cut off or not possible. */
const AWAY = /^(E(CONN(REFUSED|RESET|ABORTED)|PIPE|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|TIMEDOUT)|UND_ERR_\w+)$/

/** What is printed about a failure: its sentence when one explains it, otherwise its stack. */
export function explain(error: unknown): string {
  if (error instanceof Complaint) return error.message
  const failure = error as Failure
  const all = [failure, failure?.cause, failure?.errors?.[0], failure?.cause?.errors?.[0]]
  const away = all.find((one) => one && AWAY.test(one.code ?? ''))
  if (away) {
    const place = away.port ? ` at ${away.address}:${away.port}` : ''
    return `Nothing answers${place} (${away.code}): is "npm run dev" or "npm run db" running?`
  }
  if (failure?.message === 'Connection terminated unexpectedly')
    return 'The database has ended the connection: is "npm run dev" still running?'
  return failure?.stack ?? String(error)
}
