import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TRACKED_RECORDS } from '../../src/domain/events.ts'
import { pascal } from '../../src/lib/nouns.ts'
import { SECTIONS } from '../../src/schemas/search.ts'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { operations } from './samples.ts'
import { seed } from './seed.ts'

/** Events, requests and approvals report changes of every kind of record, with values only for callers who may read that kind. */
let app: Harness
let ws: TestWorkspace

// biome-ignore lint/suspicious/noExplicitAny: records of every kind
type Row = any
type Fields = Record<string, { before?: unknown; after?: unknown }>
type Reported = { entity: string; fields: Fields }
const hasValues = (fields: Fields | null) => Object.values(fields ?? {}).some((field) => Object.keys(field).length > 0)
const entitiesIn = (reported: Reported[]) =>
  [...new Set(reported.filter(({ fields }) => hasValues(fields)).map(({ entity }) => entity))].sort()

beforeAll(async () => {
  app = await start()
  ws = await app.workspace()
  await seed(app, ws)
  await app.drain()
  for (const [path, body] of [
    ['/contacts', { first_name: 'Held', email: 'held@example.com' }],
    ['/companies', { name: 'Held' }],
  ] as const) {
    const { approval_id } = (await ws.post(path, { ...body, require_approval: true })).body
    await ws.post(`/approvals/${approval_id}/approve`)
    await app.drain()
  }
})
afterAll(() => app.close())

/** Two callers limited to these scopes: one by its key, one by its owner's role. */
async function callersWith(scopes: string[]): Promise<[string, TestWorkspace][]> {
  const role = await ws.post('/roles', { name: crypto.randomUUID(), scopes })
  return [
    ['the key', await ws.key({ scopes })],
    ['the role', await ws.key({ role: role.body.data.key })],
  ]
}

async function all(caller: TestWorkspace, path: string): Promise<Row[]> {
  const records: Row[] = []
  for (let next: string | null = ''; next !== null; ) {
    const { status, body } = await caller.get(`${path}${path.includes('?') ? '&' : '?'}limit=100${next && `&after=${next}`}`)
    expect(status, JSON.stringify(body)).toBe(200)
    records.push(...body.data)
    next = body.page.next
  }
  return records
}

const REPORTS: Record<string, (caller: TestWorkspace) => Promise<Reported[]>> = {
  events: async (caller) => {
    const listed = await all(caller, '/events')
    const one = (await caller.get(`/events/${listed[0]?.id}`)).body.data
    return [...listed, one].flatMap(({ entity, changes, payload }) => [
      { entity, fields: changes ?? {} },
      { entity, fields: Object.keys(payload).length > 0 ? { payload: { after: payload } } : {} },
    ])
  },
  requests: async (caller) => {
    const reported: Reported[] = []
    const isWrite = ({ method, outcome, path }: Row) => method !== 'GET' && outcome === 'done' && /^.(contacts|companies)$/.test(path)
    const writes = (await all(caller, '/requests')).filter(isWrite)
    for (const { id } of writes.slice(0, 6)) {
      reported.push(...(await caller.get(`/requests/${id}`)).body.data.changes, ...(await all(caller, `/requests/${id}/changes`)))
    }
    return reported
  },
  approvals: async (caller) => {
    const listed = await all(caller, '/approvals')
    const single = await Promise.all(listed.map(async ({ id }) => (await caller.get(`/approvals/${id}`)).body.data))
    return [...listed, ...single].flatMap(({ changes, request, response_body }) => [
      ...(changes as Reported[]),
      { entity: (changes as Reported[])[0]?.entity ?? '', fields: request.body || response_body ? { body: { after: 1 } } : {} },
    ])
  },
}

describe.each(Object.keys(REPORTS))('GET /%s', (report) => {
  const read = REPORTS[report] as (caller: TestWorkspace) => Promise<Reported[]>

  test('reports no values of records that the caller cannot read', async () => {
    for (const [who, caller] of await callersWith([`${report}:read`])) expect(entitiesIn(await read(caller)), who).toEqual([])
    for (const [who, caller] of await callersWith([`${report}:read`, 'contacts:read'])) {
      const entities = entitiesIn(await read(caller))
      expect(entities, who).toContain('contact')
      expect(
        entities.filter((entity) => !['contact', 'employer', 'stakeholder_type', 'stakeholder_member'].includes(entity)),
        who,
      ).toEqual([])
    }
  })

  test('reports all values to those who can read everything', async () => {
    for (const [who, caller] of await callersWith(['*:read']))
      expect(entitiesIn(await read(caller)), who).toEqual(expect.arrayContaining(['company', 'contact']))
  })
})

test('each section of the universal search needs its scope, of the key and of the role', async () => {
  for (const section of SECTIONS)
    for (const [who, caller] of await callersWith([`${section}:read`, 'tasks:read'])) {
      const { data, _warnings } = (await caller.get('/search?q=a')).body
      expect(Object.keys(data), who).toEqual([section])
      expect(_warnings.map(({ code }: { code: string }) => code)).toEqual(SECTIONS.slice(1).map(() => 'INSUFFICIENT_SCOPE'))
    }
})

test('the request log shows the message of an error to its own key and to those who can read what it is about', async () => {
  const refused = await ws.key({ scopes: ['contacts:write', 'requests:read'] })
  const { headers, body } = await refused.post('/contacts', { first_name: 'Ana', email: 'not an address' })
  await app.drain()
  const id = headers.get('x-request-id')
  const messages = async (caller: TestWorkspace) => [
    (await caller.get(`/requests/${id}`)).body.data.error_message,
    (await all(caller, `/requests?key_id=${refused.keyId}`)).find((row) => row.id === id).error_message,
  ]
  const { message } = body.error
  expect(await messages(refused)).toEqual([message, message])
  for (const [who, caller] of await callersWith(['requests:read', 'companies:read']))
    expect(await messages(caller), who).toEqual([null, null])
  for (const [who, caller] of await callersWith(['requests:read', 'contacts:read']))
    expect(await messages(caller), who).toEqual([message, message])
  // Entries of an earlier release do not say what reading them takes.
  await app.owner.query('update requests set error_scopes = null where id = $1', [id])
  for (const [who, caller] of await callersWith(['requests:read', 'contacts:read']))
    expect(await messages(caller), who).toEqual([null, null])
  expect(await messages(ws)).toEqual([message, message])
})

test('the values of an imported file are for those who can read its kind of record', async () => {
  const response = await app.fetch('/v1/imports', {
    method: 'POST',
    headers: { authorization: `Bearer ${ws.apiKey}`, 'content-type': 'text/csv' },
    body: 'First name,Email\nSecretive,secret-address@\n',
  })
  const { id } = ((await response.json()) as { data: { id: string } }).data
  expect((await ws.post(`/imports/${id}/check`)).status).toBe(200)
  await app.drain()
  const reports = async (caller: TestWorkspace) => [
    ...(await Promise.all([caller.get(`/imports/${id}`), caller.get(`/imports/${id}/rows`)])).map(({ body }) => JSON.stringify(body.data)),
    await (await app.fetch(`/v1/imports/${id}/failed`, { headers: { authorization: `Bearer ${caller.apiKey}` } })).text(),
  ]
  for (const report of await reports(ws)) expect(report).toMatch(/secret/)
  for (const [who, caller] of await callersWith(['imports:read', 'contacts:read']))
    for (const report of await reports(caller)) expect(report, who).toMatch(/secret/)
  for (const [who, caller] of await callersWith(['imports:*', 'companies:read'])) {
    expect((await caller.patch(`/imports/${id}`, { object: 'companies' })).status, who).toBe(403)
    const [record, rows, failed] = await reports(caller)
    expect(record + rows! + failed, who).not.toMatch(/secret/i)
    expect(rows, who).toContain('"field":"email","value":null,"column":"Email"')
    expect(failed, who).toContain('contacts:read')
  }
})

test('each kind of record has a read scope, that of its history', async () => {
  const { rows } = await app.owner.query<{ entity: string; scopes: string[] }>('select entity, scopes from entity_scopes() order by 1')
  // The events of dead letters and calls are none of changes.
  expect(rows.map(({ entity }) => entity)).toEqual([...TRACKED_RECORDS, 'call_log', 'dead_letter'].sort())
  const histories = rows.flatMap(({ entity, scopes }) => {
    const id = `list${pascal(entity === 'stage' ? 'pipeline_stage' : entity)}History`
    const history = operations.find(({ endpoint }) => endpoint.id === id)
    return history ? [{ entity, scopes, expected: history.endpoint.access.scopes }] : []
  })
  expect(histories.length).toBeGreaterThan(15)
  // That of a conversation takes the scope of its channel, which only its row tells.
  for (const { entity, scopes, expected } of histories) expect(entity === 'conversation' ? [] : scopes, entity).toEqual(expected)
})

test('an approval runs only while its approver has what it needs', async () => {
  const contact = (await ws.post('/contacts', { first_name: 'Ana' })).body.data
  const approver = await ws.key()
  const { approval_id } = (await ws.patch(`/contacts/${contact.id}`, { city: 'Perth', require_approval: true })).body
  await app.owner.query("update approvals set status = 'approved', decided_at = now(), decided_key_id = $2 where id = $1", [
    approval_id,
    approver.keyId,
  ])
  await app.owner.query("update api_keys set scopes = '{approvals:*}' where id = $1", [approver.keyId])
  await app.deliver('approvals', [{ type: 'work.run', kind: 'approval.run', workspace_id: ws.id, item_id: approval_id }])
  expect((await ws.get(`/approvals/${approval_id}`)).body.data).toMatchObject({
    status: 'failed',
    response_status: 403,
    response_body: { error: { code: 'INSUFFICIENT_SCOPE', details: { missing_scopes: ['contacts:write'] } } },
  })
  expect((await ws.get(`/contacts/${contact.id}`)).body.data.city).toBeNull()
})

test('a purge takes *:delete and a client_admin, of the approver too', async () => {
  const { id } = (await ws.post('/contacts', { first_name: 'Ana' })).body.data
  const partly = await ws.key({ scopes: ['contacts:*', 'approvals:*'] })
  expect(await partly.delete(`/contacts/${id}?purge=true`)).toMatchObject({ status: 403, body: { error: { code: 'INSUFFICIENT_SCOPE' } } })
  const editor = await ws.key({ role: 'client_editor' })
  expect(await editor.delete(`/contacts/${id}?purge=true`)).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } })
  const { approval_id } = (await ws.delete(`/contacts/${id}?purge=true&require_approval=true`)).body
  for (const approver of [partly, editor]) expect((await approver.post(`/approvals/${approval_id}/approve`)).status).toBe(403)
  await ws.post(`/approvals/${approval_id}/approve`)
  await app.drain()
  expect((await ws.get(`/contacts/${id}`)).body.error.details).toHaveProperty('purged_at')
})
