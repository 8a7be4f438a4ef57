import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { faultsOfSecrets } from '../../dev/deployment-checks.ts'
import { PUSH_TOKEN } from '../../dev/google-emulator.ts'
import { ensureLoginRoles } from '../../dev/login-roles.ts'
import { signedReport } from '../../dev/notetaker-emulator.ts'
import { signedCallback } from '../../dev/sms-emulator.ts'
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts'
import { createServer } from '../database.ts'
import { FILE_SECRET, type Harness, ORIGIN, start } from '../harness.ts'
import { campaigning, TOKEN } from '../routes/campaigning.ts'
import { found, useCrm } from '../routes/crm.ts'
import { asking } from '../routes/growth/asking.ts'
import { copyFiles, PDF, useFiles } from '../routes/uploads.ts'
import { type TestWorkspace, through } from '../workspace.ts'
import { codeBelow, rotationOf } from './runbooks.ts'

const pair = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`
const [OLD_KEY, NEW_KEY] = [pair('test', 7), pair('second', 2)]
/** The value that the guide names for a secret, with the new one and the old one in their places. */
const listed = (secret: string, values: Record<string, string>) => {
  const [, form = ''] = /`([^`]*<new>[^`]*<old>)`/.exec(rotationOf(secret).before) ?? []
  return Object.entries(values).reduce((text, [place, value]) => text.replace(place, value), form)
}
const NEW = {
  FILE_SECRET: listed('FILE_SECRET', { '<new>': 'a-new-secret-that-signs-addresses-of-files', '<old>': FILE_SECRET }),
  SEALING_KEYS: listed('SEALING_KEYS', { 'second:<new>': NEW_KEY, 'first:<old>': OLD_KEY }),
  EMAIL_WEBHOOK_TOKEN: 'a-new-token-of-email-events',
  GMAIL_PUSH_TOKEN: 'a-new-gmail-push-token-0123456789',
  SMS_AUTH_TOKEN: 'the-secondary-token-of-twilio',
  VOICE_API_KEY: 'key_of_retell_that_is_new',
  NOTETAKER_WEBHOOK_SECRET: `whsec_${Buffer.from('a-new-secret-of-notetakers').toString('base64')}`,
}

// Transactions of other test files would delay its events, and roles belong to the server.
const database = await createServer()
afterAll(() => database.stop())
const receiver = await startWebhookReceiver()
afterAll(() => receiver.close())
const LOCAL = { LOCAL_RECEIVERS: receiver.host }
/** The Worker with the former values, and on the same database the one with the new values. */
const crm = useCrm({ database, vars: LOCAL })
let after: Harness
beforeAll(async () => {
  const { email } = crm.app
  after = await start({ database, vars: { ...LOCAL, ...NEW, EMAIL_API_URL: email.url, EMAIL_API_TOKEN: email.token } })
})
afterAll(() => after.close())
const renewed = (ws: TestWorkspace = crm.ws) => through(ws, after.owner, after.client)

test('what the guide has set passes the checks of a deployment', async () => {
  expect(await faultsOfSecrets(NEW)).toEqual([])
  expect(await faultsOfSecrets({ FILE_SECRET: `${NEW.FILE_SECRET},short` })).toEqual([expect.stringContaining('has 5 characters')])
})

test('SEALING_KEYS: old values open, new ones have the new key, and the statement of the guide tells them apart', async () => {
  const keys = async () =>
    (await after.owner.query(codeBelow('Rotate secrets', 'sql'))).rows.map((row) => [row.key, Number(row.sealed_values)])
  const made = await crm.ws.post('/webhooks', { url: receiver.url, event_types: ['contact.*'] })
  expect(made.status).toBe(201)
  expect(await keys()).toEqual([['test', 1]])
  receiver.secrets.push(made.body.data.secret)
  await renewed().post('/contacts', { first_name: 'Ana' })
  await Promise.all([crm.app.drain(), after.drain()])
  expect(receiver.received.map(({ verified }) => verified)).toEqual([1])

  // The secret before the rotation is still in use for a while, sealed with the key before.
  found(await renewed().post(`/webhooks/${made.body.data.id}/rotate-secret`))
  const both = [
    ['second', 1],
    ['test', 1],
  ]
  expect(await keys()).toEqual(both)
  found(await renewed().post(`/webhooks/${made.body.data.id}/rotate-secret`))
  expect(await keys()).toEqual([['second', 2]])
  expect((await renewed().delete(`/webhooks/${made.body.data.id}`)).status).toBe(200)
})

describe('FILE_SECRET', () => {
  const { uploaded, linkTo } = useFiles(crm)
  const campaigns = campaigning(crm)
  const { ready, person, linked, linkTo: reviewLinkTo } = asking(crm)
  const opens = async (app: Harness, path: string) => (await app.fetch(path)).status

  test('files: links from before and after open, and one that was altered does not', async () => {
    const { id } = await crm.opportunity()
    const file = await uploaded(id)
    await copyFiles(crm.app, after)
    const old = await linkTo(id, file.id)
    const fresh = new URL(found(await renewed().get(`/opportunities/${id}/attachments/${file.id}/download`)).url)
    for (const { pathname, search } of [old, fresh]) expect(await (await after.fetch(pathname + search)).text()).toBe(PDF)
    const altered = old.search.replace(/signature=(.)/, (_, first) => `signature=${first === '-' ? '_' : '-'}`)
    expect(await opens(after, old.pathname + altered)).toBe(403)
    // The new secret signs: the Worker that lacks it refuses.
    expect(await opens(crm.app, fresh.pathname + fresh.search)).toBe(403)
  })

  test('the way out of an email that was sent before stays open', async () => {
    await campaigns.people(1, 'rotated')
    const { id } = await campaigns.draft()
    await campaigns.send(id)
    await campaigns.later(2)
    const [email] = campaigns.sentOf(id)
    const [, path = ''] = /href="[^"]*?(\/unsubscribe\/[^"]+)"/.exec(String(email?.HtmlBody)) ?? []
    expect(await opens(after, path.replaceAll('&amp;', '&'))).toBe(200)
  })

  test('a reminder has the link of the message before it', async () => {
    await ready()
    const ana = await person()
    const { path } = await linked(ana)
    await after.owner.query("update review_requests set due_at = now() - interval '1 second' where workspace_id = $1", [crm.ws.id])
    for (let ticks = 0; ticks < 2; ticks++) {
      await after.cron('* * * * *')
      await after.drain()
    }
    expect(crm.app.email.sent.filter(({ To }) => To === ana.email)).toHaveLength(2)
    expect(reviewLinkTo(ana.email)).toBe(path)
    expect(await opens(after, path)).toBe(200)
  })
})

describe('what providers report', () => {
  const json = (body: unknown) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const retell = (key: string) => {
    const at = Date.now()
    const { method, headers, body } = json({ event: 'call_started' })
    return {
      method,
      body,
      headers: {
        ...headers,
        'x-retell-signature': `v=${at},d=${createHmac('sha256', key)
          .update(body + at)
          .digest('hex')}`,
      },
    }
  }
  const push = json({ message: { data: btoa(JSON.stringify({ emailAddress: 'nobody@example.com', historyId: 1 })) } })
  const delivery = json({ RecordType: 'Delivery', MessageID: crypto.randomUUID(), Metadata: {} })
  const sms = (token: string) => signedCallback(token, `${ORIGIN}/sms-events/${crm.ws.id}`, { AccountSid: 'AC0' }).init
  const bot = (secret: string) => signedReport(secret, 'msg_1', Math.floor(Date.now() / 1000), '{}')
  type Report = (secret: string) => Parameters<Harness['fetch']>
  const REPORTS: [keyof typeof NEW, () => string, Report][] = [
    ['EMAIL_WEBHOOK_TOKEN', () => TOKEN, (token) => [`/email-events/${token}`, delivery]],
    ['GMAIL_PUSH_TOKEN', () => PUSH_TOKEN, (token) => [`/mailbox-notifications/gmail/${token}`, push]],
    ['SMS_AUTH_TOKEN', () => crm.app.sms.token, (token) => [`/sms-events/${crm.ws.id}`, sms(token)]],
    ['VOICE_API_KEY', () => crm.app.voice.key, (key) => ['/call-events/retell', retell(key)]],
    ['NOTETAKER_WEBHOOK_SECRET', () => crm.app.notetaker.webhookSecret, (secret) => ['/notetaker-events', bot(secret)]],
  ]

  test.each(REPORTS)('%s: with the former value is refused, with the new one accepted', async (secret, former, report) => {
    expect(rotationOf(secret).afterwards).toMatch(/refused|mailboxes are read every five minutes meanwhile/)
    const statuses = async (app: Harness) =>
      Promise.all([former(), NEW[secret]].map(async (value) => (await app.fetch(...report(value))).status < 300))
    expect(await statuses(crm.app)).toEqual([true, false])
    expect(await statuses(after)).toEqual([false, true])
  })
})

test('the passwords of the database: requests and crons fail until the Worker has the new ones, and then work', async () => {
  const passwords = { DATABASE_URL: "new 'app'", DATABASE_JOBS_URL: 'new "jobs"' }
  const vars: Record<string, string> = {}
  for (const [name, password] of Object.entries(passwords)) {
    const [, role = ''] = /password of `(\w+)`/.exec(rotationOf(name).before) ?? []
    const [, variable = ''] = /`(\w+)='<new>' npm run migrate`/.exec(rotationOf(name).before) ?? []
    vi.stubEnv(variable, password)
    vars[name] = `postgres://${role}:${encodeURIComponent(password)}@db.local/crm`
  }
  const owner = await crm.app.owner.connect()
  await ensureLoginRoles(owner, false)
  vi.unstubAllEnvs()
  await owner.query("select pg_terminate_backend(pid, 5000) from pg_stat_activity where usename in ('app', 'jobs')")
  owner.release()
  expect(rotationOf('DATABASE_URL').afterwards).toContain('500')
  expect((await crm.ws.get('/me')).status).toBe(500)
  await crm.app.cron('* * * * *')
  // The alert of the guide for a sweep that fails.
  const alert = { level: 'error', cron: '* * * * *', error: expect.stringContaining('password authentication failed') }
  expect(crm.app.logs.filter((line) => line.includes('"cron"')).map((line) => JSON.parse(line))).toContainEqual(alert)
  const app = await start({ database, vars })
  try {
    expect((await through(crm.ws, app.owner, app.client).get('/me')).status).toBe(200)
    await app.cron('* * * * *')
  } finally {
    await app.close()
  }
})
