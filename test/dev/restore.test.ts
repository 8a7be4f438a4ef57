import pg from 'pg'
import { afterAll, expect, inject, test } from 'vitest'
import { root } from '../../dev/settings.ts'
import { createDatabase, type Database, dropDatabase } from '../database.ts'
import { run } from '../docs/guide-runner.ts'
import { type Harness, start } from '../harness.ts'
import { campaigning } from '../routes/campaigning.ts'
import { created, found, useCrm } from '../routes/crm.ts'
import { messaging } from '../routes/messaging.ts'
import { copyFiles, PDF, useFiles } from '../routes/uploads.ts'
import { through } from '../workspace.ts'
import { codeBelow, commandsBelow } from './runbooks.ts'

const TITLE = 'Back up and restore'
const crm = useCrm({ own: true })
const { emailsTo, reserve, wake } = messaging(crm)
const campaigns = campaigning(crm)
const { uploaded } = useFiles(crm)

const opened: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of opened.toReversed()) await close()
})

/** A copy of the database as it is now, which is what a branch at a point in time is. Sessions end meanwhile, and begin again. */
async function branchOf(app: Harness): Promise<Database> {
  const { rows } = await app.owner.query('select current_database() as name')
  const [{ name }] = rows as [{ name: string }]
  const server = new pg.Client({ connectionString: inject('postgresUrl') })
  await server.connect()
  try {
    await server.query(`alter database ${name} allow_connections false`)
    await server.query('select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1', [name])
    const branch = await createDatabase(name)
    opened.push(() => dropDatabase(branch))
    return branch
  } finally {
    await server.query(`alter database ${name} allow_connections true`)
    await server.end()
  }
}

/** The Worker on another database, with the email provider of the first one and a copy of its files. */
async function startOn(database: Database): Promise<Harness> {
  const { email } = crm.app
  const app = await start({ database, vars: { EMAIL_API_URL: email.url, EMAIL_API_TOKEN: email.token } })
  opened.push(app.close)
  await copyFiles(crm.app, app)
  return app
}

test('a branch of the database at an earlier moment serves what was there then, and sends nothing that was sent since', async () => {
  const key = { 'Idempotency-Key': 'before' }
  const ana = created(await crm.ws.post('/contacts', { first_name: 'Ana', email: 'ana@example.com' }, key))
  const deal = await crm.opportunity()
  const file = await uploaded(deal.id)
  const later = 'update messages set due_at = $2 where id = $1'
  const [sent, waiting] = [await reserve(ana), await reserve(ana, { subject: 'Later' })]
  await crm.app.owner.query(later, [waiting, new Date(Date.now() + 3_600_000)])
  await campaigns.people(2)
  const { id: campaign } = await campaigns.draft()
  await crm.app.capture(true)
  await campaigns.send(campaign)
  const branch = await branchOf(crm.app)

  await crm.app.capture(false)
  const lost = created(await crm.ws.post('/contacts', { first_name: 'Lost' }, { 'Idempotency-Key': 'after' }))
  await wake()
  await campaigns.later(3)
  expect([emailsTo('ana@example.com').length, campaigns.sentOf(campaign).length]).toEqual([1, 2])

  const command = commandsBelow(TITLE).find((text) => text.includes('<the branch>'))!
  const { code, output } = await run('bash', ['-c', command.replace('<the branch>', branch.url)], root, {})
  expect(output).toContain(`${new URL(branch.url).host}/${branch.name} is at the newest migration.`)
  expect(code).toBe(0)
  const owner = new pg.Client({ connectionString: branch.url })
  await owner.connect()
  await owner.query(codeBelow(TITLE, 'sql'))
  await owner.end()

  const app = await startOn(branch)
  const ws = through(crm.ws, app.owner, app.client)
  expect(found(await ws.get(`/contacts/${ana.id}`))).toEqual(ana)
  expect(created(await ws.post('/contacts', { first_name: 'Ana', email: 'ana@example.com' }, key)).id).toBe(ana.id)
  expect((await ws.get(`/contacts/${lost.id}`)).status).toBe(404)
  expect(created(await ws.post('/contacts', { first_name: 'Lost' }, { 'Idempotency-Key': 'after' })).id).not.toBe(lost.id)
  const { pathname, search } = new URL(found(await ws.get(`/opportunities/${deal.id}/attachments/${file.id}/download`)).url)
  expect(await (await app.fetch(pathname + search)).text()).toBe(PDF)

  await app.cron('* * * * *')
  await app.drain()
  expect(found(await ws.get(`/messages/${sent}`))).toMatchObject({
    status: 'sent',
    provider_message_id: emailsTo('ana@example.com')[0]!.MessageID,
  })
  expect(found(await ws.get(`/email-campaigns/${campaign}`))).toMatchObject({ status: 'paused' })
  expect([emailsTo('ana@example.com').length, campaigns.sentOf(campaign).length]).toEqual([1, 2])

  // One that the provider does not have is sent when its time has come.
  await app.owner.query(later, [waiting, new Date()])
  for (let ticks = 0; ticks < 2; ticks++) {
    await app.cron('* * * * *')
    await app.drain()
  }
  expect(found(await ws.get(`/messages/${waiting}`))).toMatchObject({ status: 'sent' })
  expect(emailsTo('ana@example.com').map(({ Subject }) => Subject)).toEqual(['Offer', 'Later'])
})

test('the command of the guide makes the first workspace, whose key works', async () => {
  const command = commandsBelow('Deploy the first time').find((text) => text.includes('npm run workspace'))!
  const { rows } = await crm.app.owner.query('select current_database() as name')
  const url = inject('postgresUrl').replace(/\/postgres$/, `/${rows[0].name}`)
  const { code, output } = await run('bash', ['-c', command.replace('…', url)], root, {})
  expect(code, output).toBe(0)
  const [apiKey = ''] = /wck_\S+/.exec(output) ?? []
  const { body } = await through({ ...crm.ws, apiKey }, crm.app.owner, crm.app.client).get('/me')
  expect(body.data).toMatchObject({ user: { email: 'you@example.com', role: 'client_admin' }, workspace: { name: 'Your company' } })
})
