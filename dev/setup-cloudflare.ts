import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { unstable_readConfig } from 'wrangler'
import { faultsOfSecrets, faultsOfVars, refuse } from './deployment-checks.ts'
import { program } from './program.ts'
import { Complaint, root } from './settings.ts'

const REQUIRED = ['DATABASE_URL', 'DATABASE_JOBS_URL', 'EMAIL_API_TOKEN', 'FILE_SECRET']
/** The secrets of the Worker. */
export const SECRETS = [
  ...REQUIRED,
  'SEALING_KEYS',
  'EMAIL_WEBHOOK_TOKEN',
  'SMS_ACCOUNT_SID',
  'SMS_AUTH_TOKEN',
  'VOICE_API_KEY',
  'MODEL_API_KEY',
  'WHATSAPP_API_KEY',
  'NOTETAKER_API_KEY',
  'EMBEDDINGS_API_KEY',
  'ENGINEERING_WEBHOOK_URL',
  'NOTETAKER_WEBHOOK_SECRET',
  'SPEECH_API_KEY',
  'GOOGLE_CLIENT_SECRET',
  'GMAIL_PUSH_TOKEN',
  'MICROSOFT_CLIENT_SECRET',
  'TURNSTILE_SECRET_KEY',
]
/** The API's error for a queue or a bucket that already exists. */
const EXISTS = /\[code: (11009|10004)\]|already (exists|taken)/i
/** The error of `secret list` before the first deployment. */
const NO_WORKER = /\[code: 10007\]|Worker .*not found/i

export interface CloudflareSetup {
  /** The parts of wrangler.toml that name what to create and which values to check. */
  queues: string[]
  buckets: string[]
  vars: Record<string, unknown>
  /** The source of the values of secrets. */
  env: NodeJS.ProcessEnv
  /** The program to run with Node. */
  wrangler: string
  log(line: string): void
}

/**
 * Creates the queues, buckets and secrets that the Worker needs; what is there already stays. A secret that is given is set again.
 * Relies on `wrangler secret list`, `wrangler queues create <name>`, `wrangler r2 bucket create <name>` and, with the values as JSON
 * on its standard input, `wrangler secret bulk`. A call that fails stops the run with wrangler's own message.
 */
export async function setUpCloudflare({ queues, buckets, vars, env, wrangler, log }: CloudflareSetup): Promise<void> {
  const secrets = Object.fromEntries(SECRETS.filter((name) => env[name] !== undefined).map((name) => [name, env[name]!.trim()]))
  refuse([...faultsOfVars(vars), ...(await faultsOfSecrets(secrets))])

  const run = wranglerWith(wrangler, env)
  const stored = listSecrets(run)
  const missing = REQUIRED.filter((name) => !(name in secrets) && !stored.includes(name))
  refuse(missing.map((name) => `${name}: set this environment variable, because the Worker has no such secret yet.`))

  const create = (what: string, name: string, ...args: string[]) => {
    const { ok, output } = run([...args])
    if (!ok && !EXISTS.test(output)) throw new Complaint(output)
    log(`${what} ${name}: ${ok ? 'created' : 'was there already'}`)
  }
  for (const name of queues) create('queue', name, 'queues', 'create', name)
  // Otherwise wrangler may offer to write the bucket into wrangler.toml, which already names it.
  for (const name of buckets) create('bucket', name, 'r2', 'bucket', 'create', name, '--update-config=false')

  if (Object.keys(secrets).length > 0) {
    const { ok, output } = run(['secret', 'bulk'], JSON.stringify(secrets))
    if (!ok) throw new Complaint(output)
  }
  for (const name of SECRETS.filter((name) => name in secrets || stored.includes(name)))
    log(`secret ${name}: ${!(name in secrets) ? 'was there already' : stored.includes(name) ? 'set again' : 'created'}`)
}

type Run = (args: string[], input?: string) => { ok: boolean; output: string; stdout: string }

function wranglerWith(wrangler: string, env: NodeJS.ProcessEnv): Run {
  // The environment of wrangler has no secrets, so none can appear in its logs.
  const own = { ...env, WRANGLER_HIDE_BANNER: 'true', WRANGLER_SEND_METRICS: 'false' }
  for (const name of SECRETS) delete (own as NodeJS.ProcessEnv)[name]
  return (args, input = '') => {
    const { status, stdout, stderr, error } = spawnSync(process.execPath, [wrangler, ...args], {
      cwd: root,
      env: own,
      input,
      encoding: 'utf8',
    })
    if (error) throw error
    return { ok: status === 0, stdout, output: `${stderr}${stdout}`.trim() || `wrangler ${args.join(' ')} failed.` }
  }
}

function listSecrets(run: Run): string[] {
  const { ok, output, stdout } = run(['secret', 'list', '--format', 'json'])
  if (ok) return (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)
  if (NO_WORKER.test(output)) return []
  throw new Complaint(output)
}

/** The parts of wrangler.toml that are read. */
interface Resources {
  queues: Record<'producers' | 'consumers', { queue: string; dead_letter_queue?: string }[]>
  r2_buckets: { bucket_name: string }[]
  vars: Record<string, unknown>
}

const usage = `Usage: <SECRET>=<value> … npm run setup:cloudflare

Creates the queues, the bucket and the secrets that the Worker needs, and keeps those that are there. \
A secret in the environment is set again:
${SECRETS.map((name) => `  ${name}${REQUIRED.includes(name) ? ' (required the first time)' : ''}`).join('\n')}`

await program(import.meta, { usage }, async () => {
  const { queues, r2_buckets, vars }: Resources = unstable_readConfig({ config: join(root, 'wrangler.toml') })
  const names = [...queues.producers, ...queues.consumers].flatMap(({ queue, dead_letter_queue }) => [queue, dead_letter_queue])
  await setUpCloudflare({
    queues: [...new Set(names.filter((name) => name !== undefined))],
    buckets: r2_buckets.map(({ bucket_name }) => bucket_name),
    vars,
    env: process.env,
    wrangler: join(dirname(createRequire(import.meta.url).resolve('wrangler/package.json')), 'bin/wrangler.js'),
    log: console.log,
  })
})
