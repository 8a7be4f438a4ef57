import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { migrate, presentSchema } from '../../dev/migrate.ts'
import { allEndpoints } from '../../routes/index.ts'
import { isList } from '../../src/http/endpoint.ts'
import { seed } from '../contract/seed.ts'
import { createDatabase, type Database, dropDatabase, openPool, TEMPLATE } from '../database.ts'
import { type Harness, type StartOptions, start } from '../harness.ts'
import { limit } from '../speed.ts'
import { type TestWorkspace, through } from '../workspace.ts'
import { type Baseline, readReleased, restoreBaseline, storeBaseline } from './baseline.ts'
import { catalogueOf } from './catalogue.ts'

/** What other calls and the time of day change. */
const VOLATILE = ['/requests', '/events', '/usage', '/dead-letters', '/approvals/policies', '/api-keys']
const isStable = (path: string) => !VOLATILE.some((part) => path.includes(part))

/** `npm run baseline`: the present state becomes the previous release. */
async function storePresent(): Promise<void> {
  const app = await start({ ownServer: true })
  const ws = await app.workspace({ name: 'Baseline' })
  await seed(app, ws)
  await seed(app, await app.workspace())
  await app.drain()
  const lists = (await allEndpoints()).filter((endpoint) => endpoint.method === 'GET' && isList(endpoint) && !endpoint.path.includes(':'))
  const { id, userId, apiKey, keyId } = ws
  const paths: string[] = []
  for (const { path } of lists) {
    // Some lists need a parameter.
    if ((await ws.get(`${path}?limit=100`)).status === 200) paths.push(path)
  }
  await storeBaseline(app.owner, inject('bundle'), { workspace: { id, userId, apiKey, keyId }, lists: paths.sort() })
  await app.close()
}

type Item = Record<string, unknown>
const recordsOf = ({ status, body }: { status: number; body: { data: Item[] } }) => {
  expect(status).toBe(200)
  return body.data
}

/** Functions of the previous release stay for one release. */
async function readCatalogue(owner: pg.Pool): Promise<string[]> {
  const lines = await catalogueOf(owner)
  const defined = new Set((await readTemplate()).map(nameOf))
  const { functions } = readReleased()
  return lines.filter((line) => defined.has(nameOf(line)) || !functions.some((name) => line.startsWith(`function ${name} `)))
}
const nameOf = (line: string) => line.split(' acl=')[0]

async function readTemplate(): Promise<string[]> {
  const template = openPool(inject('postgresUrl').replace(/\/postgres$/, `/${TEMPLATE}`))
  try {
    return await catalogueOf(template)
  } finally {
    await template.end()
  }
}

function testUpgrade(): void {
  const folder = mkdtempSync(join(tmpdir(), `workspace-crm-test-${process.pid}-upgrade-`))
  let database: Database
  let owner: pg.Pool
  let baseline: Baseline
  beforeAll(async () => {
    database = await createDatabase('template0')
    owner = openPool(database.url)
    baseline = await restoreBaseline(database.url, folder)
  })
  afterAll(async () => {
    await owner.end()
    await dropDatabase(database)
    rmSync(folder, { recursive: true, force: true })
  })

  /** Runs a Worker on the database. */
  async function using<Out>(options: StartOptions, work: (ws: TestWorkspace, app: Harness) => Promise<Out>): Promise<Out> {
    const app = await start({ database, ...options })
    try {
      return await work(through(baseline.workspace, app.owner, app.client), app)
    } finally {
      await app.close()
    }
  }
  const readLists = async (ws: TestWorkspace): Promise<Record<string, Item[]>> =>
    Object.fromEntries(
      await Promise.all(baseline.lists.filter(isStable).map(async (path) => [path, recordsOf(await ws.get(`${path}?limit=100`))])),
    )

  test('keeps every record, what the previous Worker reads and writes, and ends as a new database begins', {
    timeout: limit(120_000),
  }, async () => {
    const before = await using({ bundle: folder }, readLists)
    expect(Object.values(before).filter((records) => records.length > 0).length).toBeGreaterThan(50)

    await migrate(database.url)
    expect(await readCatalogue(owner)).toEqual(await readTemplate())

    // The previous Worker serves requests until the deployment replaces it.
    await using({ bundle: folder }, async (ws, app) => {
      // What the database writes as JSON may have more fields.
      expect(await readLists(ws)).toMatchObject(before)
      await work(ws, app)
    })
    await using({}, async (ws, app) => {
      const after = await readLists(ws)
      for (const [path, records] of Object.entries(before))
        expect(
          after[path]!.map(({ id }) => id),
          path,
        ).toEqual(expect.arrayContaining(records.map(({ id }) => id)))
      for (const record of before['/contacts']!) expect(after['/contacts']!.find(({ id }) => id === record.id)).toMatchObject(record)
      await work(ws, app)
    })

    // The release is rolled back: the former Worker, then the former functions, and then the release comes again.
    await migrate(database.url, baseline.schema)
    await using({ bundle: folder }, async (ws, app) => {
      for (const [path, records] of Object.entries(await readLists(ws)))
        expect(
          records.map(({ id }) => id),
          path,
        ).toEqual(expect.arrayContaining(before[path]!.map(({ id }) => id)))
      await work(ws, app)
    })
    await migrate(database.url)
    expect(await readCatalogue(owner)).toEqual(await readTemplate())
  })

  /** One call of each kind that most requests are, with what follows them in the background. */
  async function work(ws: TestWorkspace, app: Harness): Promise<void> {
    const company = await ws.post('/companies', { name: `Lighthouse ${Math.random()}` })
    const contact = await ws.post('/contacts', {
      first_name: 'Ana',
      email: `${crypto.randomUUID()}@example.com`,
      customer_id: company.body.data.id,
    })
    const deal = await ws.post('/opportunities', { name: 'Workstations', value: 5, customer_id: company.body.data.id })
    const pipeline = (await ws.post('/pipelines', { name: `Sales ${Math.random()}` })).body.data
    const moved = await ws.post(`/opportunities/${deal.body.data.id}/move`, { stage_id: pipeline.stages.at(-1).id })
    const task = await ws.post('/tasks', { title: 'Call', contact_id: contact.body.data.id })
    const held = await ws.post('/contacts', { first_name: 'Held', require_approval: true })
    const updated = await ws.patch(`/contacts/${contact.body.data.id}`, { last_name: 'Lee' })
    const sent = await ws.post('/messages', { contact_id: contact.body.data.id, subject: 'Hello', text: 'There' })
    const deleted = await ws.delete(`/tasks/${task.body.data.id}`)
    expect([company, contact, deal, moved, task, held, updated, sent, deleted].map(({ status }) => status)).toEqual([
      201, 201, 201, 200, 201, 202, 200, 201, 200,
    ])
    await readHanded(ws, contact.body.data.id, held.body.approval_id)
    await app.cron('* * * * *')
    await app.drain()
    expect((await ws.get(`/contacts/${contact.body.data.id}/timeline`)).body.data.length).toBeGreaterThan(0)
  }

  /** Calls whose result a function hands to the select that the Worker sends after it. */
  async function readHanded(ws: TestWorkspace, contact: string, approval: string): Promise<void> {
    const email = `${crypto.randomUUID()}@example.com`
    const upserted = await ws.post('/contacts/upsert', { first_name: 'Bo', email })
    const { id } = upserted.body.data
    expect(upserted.body.data).toMatchObject({ email, created: true })
    const invited = await ws.post('/company/users/invite', { email })
    expect(invited.body.data).toMatchObject({ email })
    const list = await ws.post('/lists', { name: `List ${email}`, object: 'contacts', kind: 'static' })
    const members = `/lists/${list.body.data.id}/members`
    await ws.post(members, { ids: [contact] })
    expect((await ws.post(`${members}/remove`, { ids: [contact, id] })).body.data).toMatchObject({
      results: [{ id: contact }],
      skipped: [{ id }],
    })
    await ws.delete(`/contacts/${id}`)
    const restored = await ws.post(`/contacts/${id}/restore`)
    expect(restored.body.data).toMatchObject({ id, email })
    const purged = await ws.delete(`/contacts/${id}?purge=true`)
    expect(purged.body.data.purged).toMatchObject({ contact: 1 })
    const decided = await ws.post('/approvals/bulk-approve', { ids: [approval, id] })
    expect(decided.body.data).toMatchObject({ results: [{ id: approval }], errors: [{ id }] })
    expect([upserted, invited, list, restored, purged, decided].map(({ status }) => status)).toEqual([201, 201, 201, 200, 200, 200])
  }
}

if (process.env.STORE_BASELINE === '1') test('the present state is stored', { timeout: limit(120_000) }, storePresent)
else describe('an upgrade from the previous release', testUpgrade)

describe('migrations', () => {
  const { migrations } = presentSchema()

  test('of a release keep their content, their names and their order', () => {
    const { migrations: released } = readReleased()
    const present = migrations.map(({ tag, hash }) => [tag, hash])
    expect(present.slice(0, Object.keys(released).length)).toEqual(Object.entries(released))
  })

  test('are numbered, each later than those before', () => {
    expect(migrations.map(({ tag }) => Number(tag.slice(0, 4)))).toEqual(migrations.map((_, index) => index))
    const times = migrations.map(({ when }) => when)
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
  })
})
