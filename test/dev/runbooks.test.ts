import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { root } from '../../dev/settings.ts'
import { reached } from '../../src/http/upload.ts'
import { commandsBelow, rowsBelow, sections } from './runbooks.ts'

/** A runbook is followed by a test, `<file>: <part of its title>`, or there is a reason why nobody can follow it on one machine. */
type Known = { test: string } | { reason: string }

const HOSTED = 'is about an account at Cloudflare; what it needs is checked before it by dev/deployment-checks.ts'
const NO_TOOLS =
  'the PostgreSQL that npm installs comes without the client programs; test/upgrade loads rows as pg_restore does, without a search path'
const AT_PROVIDER = 'the Worker reads the key with each call, and only the provider can have two at once'
const MIGRATES = { test: 'test/upgrade/upgrade.test.ts: keeps every record, what the previous Worker reads and writes' }
const PASSWORDS = { test: 'test/dev/rotations.test.ts: the passwords of the database' }
const REPORTED = { test: 'test/dev/rotations.test.ts: %s: with the former value is refused' }

const COMMANDS: Record<string, Record<string, Known>> = {
  'Deploy the first time': {
    'APP_DB_PASSWORD JOBS_DB_PASSWORD npm run migrate': { test: 'test/dev/migrate.test.ts: an owner without BYPASSRLS is refused' },
    'npx wrangler login': { reason: HOSTED },
    'npm run setup:cloudflare': { test: 'test/dev/setup-cloudflare.test.ts: the first run creates everything' },
    'npm run deploy': { reason: HOSTED },
    'npm run workspace': { test: 'test/dev/restore.test.ts: the command of the guide makes the first workspace' },
  },
  'Release a new version': {
    'npm run migrate': MIGRATES,
    'npm run deploy': { reason: HOSTED },
    'npm run baseline': { test: 'test/upgrade/upgrade.test.ts: the present state is stored' },
  },
  'Roll back': { 'npx wrangler rollback': { reason: HOSTED }, 'npm run migrate': MIGRATES },
  'Back up and restore': {
    'npm run migrate': { test: 'test/dev/restore.test.ts: a branch of the database at an earlier moment' },
    'npm run setup:cloudflare': {
      test: 'test/dev/setup-cloudflare.test.ts: a second run changes nothing, and a given secret is set again',
    },
    pg_dump: { reason: NO_TOOLS },
    pg_restore: { reason: NO_TOOLS },
    'rclone sync': { reason: 'needs two buckets; test/dev/restore.test.ts copies the files and reads them' },
  },
  'Rotate secrets': {
    'npm run setup:cloudflare': {
      test: 'test/dev/setup-cloudflare.test.ts: a second run changes nothing, and a given secret is set again',
    },
    'APP_DB_PASSWORD npm run migrate': PASSWORDS,
    'JOBS_DB_PASSWORD npm run migrate': PASSWORDS,
  },
}

const ROTATIONS: Record<string, Known> = {
  DATABASE_URL: PASSWORDS,
  DATABASE_JOBS_URL: PASSWORDS,
  SEALING_KEYS: { test: 'test/dev/rotations.test.ts: SEALING_KEYS: old values open' },
  FILE_SECRET: { test: 'test/dev/rotations.test.ts: files: links from before and after open' },
  EMAIL_API_TOKEN: { reason: AT_PROVIDER },
  EMAIL_WEBHOOK_TOKEN: REPORTED,
  SMS_ACCOUNT_SID: { reason: 'does not change' },
  SMS_AUTH_TOKEN: REPORTED,
  VOICE_API_KEY: REPORTED,
  MODEL_API_KEY: { reason: AT_PROVIDER },
  SPEECH_API_KEY: { reason: AT_PROVIDER },
  WHATSAPP_API_KEY: { reason: AT_PROVIDER },
  NOTETAKER_API_KEY: { reason: AT_PROVIDER },
  EMBEDDINGS_API_KEY: { reason: AT_PROVIDER },
  ENGINEERING_WEBHOOK_URL: { reason: AT_PROVIDER },
  NOTETAKER_WEBHOOK_SECRET: REPORTED,
  GOOGLE_CLIENT_SECRET: { reason: AT_PROVIDER },
  GMAIL_PUSH_TOKEN: REPORTED,
  MICROSOFT_CLIENT_SECRET: { reason: AT_PROVIDER },
  TURNSTILE_SECRET_KEY: { reason: AT_PROVIDER },
}

const FAILURES = { test: 'test/requests/database-failures.test.ts: each failure is logged as the table of alerts says' }
const ALERTS: Record<string, Known> = {
  '`/healthz` is not 200': FAILURES,
  '`INTERNAL` (500), `level: error` with `request_id`': FAILURES,
  '`UNAVAILABLE` (503) above 1 %': { test: 'test/requests/database-failures.test.ts: %s passes: 503 with Retry-After' },
  '`message: database`, `level: warn`': FAILURES,
  'a queue `…-dead` is not empty': { test: 'test/routes/dead-letters.test.ts: is executed when it is replayed' },
  'the backlog of a queue grows': { reason: 'Cloudflare counts it' },
  '`message: a rate limit failed and was passed`': { test: 'test/http/rate-limits.test.ts: a limiter that fails lets requests pass' },
  '`message: file store`': { test: 'test/dev/runbooks.test.ts: a file store that does not answer is logged' },
  '`cron` with `level: error`': PASSWORDS,
  '`message: requests were not logged`': { test: 'test/requests/log-losses.test.ts: a response does not depend on the request log' },
}

/** A command by its program, and the variables that make it another one; its other values and addresses do not. */
const nameOf = (command: string) => {
  const [program = ''] = /\b(?:npm run [\w:]+|npx wrangler \w+|pg_dump|pg_restore|rclone sync)/.exec(command) ?? [command]
  return [...[...command.matchAll(/(\w+_DB_PASSWORD)=/g)].map(([, name]) => name), program].join(' ')
}

describe('each runbook of the guide has a test, or a reason', () => {
  test('every command', () => {
    const found = [...sections.keys()].map((title) => [title, [...new Set(commandsBelow(title).map(nameOf))].toSorted()] as const)
    expect(Object.fromEntries(found.filter(([, names]) => names.length > 0))).toEqual(
      Object.fromEntries(Object.entries(COMMANDS).map(([title, names]) => [title, Object.keys(names).toSorted()])),
    )
  })

  test('every rotation, and every alert', () => {
    expect(rowsBelow('Rotate secrets').map(([name]) => name)).toEqual(Object.keys(ROTATIONS).map((name) => `\`${name}\``))
    expect(rowsBelow('What to watch').map(([alert]) => alert)).toEqual(Object.keys(ALERTS))
  })

  const all = [...Object.values(COMMANDS), ROTATIONS, ALERTS].flatMap((known) => Object.values(known))
  test.each([...new Set(all.flatMap((known) => ('test' in known ? [known.test] : [])))])('there is %s', (place) => {
    const [file = '', title = ''] = place.split(/: (.*)/s)
    expect(readFileSync(join(root, file), 'utf8')).toContain(title)
  })
})

test('what an alert names is what the Worker logs', () => {
  const files = globSync('{src,queues,cron}/**/*.ts', { cwd: root })
  const source = files.map((file) => readFileSync(join(root, file), 'utf8')).join('\n')
  const named = Object.keys(ALERTS).flatMap((alert) => /`message: ([^`]+)`/.exec(alert)?.slice(1) ?? [])
  expect(named.length).toBeGreaterThan(3)
  for (const message of named) expect(source).toContain(`message: '${message}'`)
})

test('a file store that does not answer is logged, and the caller may try again', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  await expect(reached(Promise.reject(new Error('R2 is down')))).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfter: 2 })
  expect(logged.mock.calls.flat().map((line) => JSON.parse(line))).toEqual([
    { level: 'error', message: 'file store', error: 'Error: R2 is down' },
  ])
  logged.mockRestore()
})
