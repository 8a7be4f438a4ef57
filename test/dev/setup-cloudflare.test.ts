import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { root } from '../../dev/settings.ts'
import { setUpCloudflare } from '../../dev/setup-cloudflare.ts'

const dir = mkdtempSync(join(tmpdir(), 'workspace-crm-cloudflare-'))
const ACCOUNT = join(dir, 'account.json')
afterAll(() => rmSync(dir, { recursive: true, force: true }))

interface Account {
  secrets?: Record<string, string>
  queues: string[]
  buckets: string[]
  fail?: { command: string; message: string }
  calls: { args: string[]; input: string; env: string[] }[]
}
const read = () => JSON.parse(readFileSync(ACCOUNT, 'utf8')) as Account
const write = (account: Partial<Account>) => writeFileSync(ACCOUNT, JSON.stringify({ queues: [], buckets: [], calls: [], ...account }))
beforeEach(() => write({}))

const secrets = {
  DATABASE_URL: 'postgres://app:pass@ep-1.neon.tech/crm',
  DATABASE_JOBS_URL: 'postgres://jobs:pass@ep-1.neon.tech/crm',
  EMAIL_API_TOKEN: 'token-1',
  FILE_SECRET: 'f'.repeat(32),
}
const vars = {
  APP_URL: 'https://crm.acme.io',
  API_URL: 'https://api.acme.io',
  EMAIL_FROM: 'Acme <crm@acme.io>',
  DNS_RESOLVER_URL: 'https://cloudflare-dns.com/dns-query',
}

async function setUp(env: Record<string, string> = secrets, settings: Record<string, string> = vars): Promise<string[]> {
  const lines: string[] = []
  await setUpCloudflare({
    queues: ['events', 'events-dead'],
    buckets: ['files'],
    vars: settings,
    env: { PATH: process.env.PATH, ACCOUNT, ...env },
    wrangler: join(import.meta.dirname, 'wrangler-stand-in.js'),
    log: (line) => lines.push(line),
  })
  return lines
}

test('the first run creates everything; secrets go through standard input only', async () => {
  expect(await setUp()).toEqual([
    'queue events: created',
    'queue events-dead: created',
    'bucket files: created',
    'secret DATABASE_URL: created',
    'secret DATABASE_JOBS_URL: created',
    'secret EMAIL_API_TOKEN: created',
    'secret FILE_SECRET: created',
  ])
  const { calls, ...account } = read()
  expect(account).toEqual({ queues: ['events', 'events-dead'], buckets: ['files'], secrets })
  expect(JSON.stringify(calls.map(({ args }) => args))).not.toMatch(/pass@|token-1|ffff/)
  expect(calls.flatMap(({ env }) => env).filter((name) => name in secrets)).toEqual([])
})

test('a second run changes nothing, and a given secret is set again', async () => {
  await setUp()
  expect(await setUp({ EMAIL_API_TOKEN: 'token-2' })).toEqual([
    'queue events: was there already',
    'queue events-dead: was there already',
    'bucket files: was there already',
    'secret DATABASE_URL: was there already',
    'secret DATABASE_JOBS_URL: was there already',
    'secret EMAIL_API_TOKEN: set again',
    'secret FILE_SECRET: was there already',
  ])
  expect(read().secrets).toEqual({ ...secrets, EMAIL_API_TOKEN: 'token-2' })
})

test('example values are refused, all at once and before wrangler is called', async () => {
  const refused = async (env: Record<string, string>, settings = vars) => {
    let message = ''
    try {
      await setUp(env, settings)
    } catch (error) {
      message = (error as Error).message
    }
    expect(read().calls).toEqual([])
    return message
  }
  const message = await refused(
    {
      DATABASE_URL: 'postgres://owner:x@db.acme.io/crm',
      DATABASE_JOBS_URL: secrets.DATABASE_URL,
      EMAIL_API_TOKEN: ' ',
      FILE_SECRET: 'short',
      SEALING_KEYS: 'a:short',
    },
    { ...vars, APP_URL: 'http://127.0.0.1:8787', EMAIL_FROM: 'Workspace CRM <crm@example.com>' },
  )
  expect(message.split('\n').map((line) => /^\w+/.exec(line)?.[0])).toEqual([
    'APP_URL',
    'EMAIL_FROM',
    'EMAIL_API_TOKEN',
    'DATABASE_URL',
    'DATABASE_JOBS_URL',
    'FILE_SECRET',
    'SEALING_KEYS',
  ])
  expect(await refused({ ...secrets, FILE_SECRET: 'f'.repeat(31) })).toContain('FILE_SECRET has 31 characters')
  expect(await refused({ ...secrets, DATABASE_URL: 'postgres://app:app@127.0.0.1/crm' })).toContain('host of your Neon project')
  expect(await refused(secrets, { ...vars, APP_URL: 'https://crm.example.com' })).toContain('APP_URL')
  expect(await refused(secrets, { ...vars, API_URL: 'https://api.acme.io/' })).toContain('API_URL')
  expect(await refused(secrets, { ...vars, DNS_RESOLVER_URL: '' })).toContain('DNS_RESOLVER_URL')
  expect(await refused(secrets, { ...vars, LOCAL_RECEIVERS: '127.0.0.1:8790' } as typeof vars)).toContain('LOCAL_RECEIVERS')
})

test('a secret that is neither given nor stored stops the run before anything is created', async () => {
  const { DATABASE_URL, DATABASE_JOBS_URL } = secrets
  await expect(setUp({ DATABASE_URL, DATABASE_JOBS_URL })).rejects.toThrow(
    'EMAIL_API_TOKEN: set this environment variable, because the Worker has no such secret yet.\nFILE_SECRET: set this',
  )
  expect(read().queues).toEqual([])
})

test.each(['secret list', 'queues create', 'r2 bucket create', 'secret bulk'])(
  "when %s fails, wrangler's message is shown",
  async (command) => {
    write({ fail: { command, message: 'Authentication error [code: 10000]' } })
    await expect(setUp()).rejects.toThrow('✘ [ERROR] Authentication error [code: 10000]')
    expect(read().calls.at(-1)!.args.join(' ')).toContain(command)
  },
)

test.each(['setup-cloudflare.ts', 'deployment-checks.ts'])('%s refuses the wrangler.toml of the project as it stands', (program) => {
  const run = spawnSync(process.execPath, [join(root, 'dev', program)], { encoding: 'utf8' })
  expect(run.status).toBe(1)
  expect(run.stderr).toMatch(/^APP_URL in wrangler\.toml .*\nEMAIL_FROM in wrangler\.toml /m)
})
