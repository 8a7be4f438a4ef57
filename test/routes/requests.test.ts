import { expect, test } from 'vitest'
import type { ApiResponse } from '../workspace.ts'
import { created, failed, found, held, nobody, type Row, refused, useCrm, uuid } from './crm.ts'

const crm = useCrm({ own: true })

const idOf = ({ headers }: ApiResponse) => headers.get('x-request-id') as string
const report = async (answer: ApiResponse): Promise<Row> => found(await crm.ws.get(`/requests/${idOf(answer)}`))
/** The same, when the queue has told of it. */
const later = async (answer: ApiResponse) => {
  await crm.app.drain()
  return report(answer)
}

test('a write is logged at once, with the caller, changes and events', async () => {
  const answer = await crm.ws.post('/contacts', { first_name: 'Ana', phone: '+61412345678' })
  const { id } = created(answer)
  const { duration_ms, isolate: _, sequence: __, ...first } = await report(answer)
  expect(first).toEqual({
    id: idOf(answer),
    method: 'POST',
    path: '/contacts',
    endpoint: '/contacts',
    status: 201,
    outcome: 'done',
    error_code: null,
    error_message: null,
    key_id: crm.ws.keyId,
    user_id: crm.ws.userId,
    approval_id: null,
    replay_of: null,
    at: expect.stringMatching(/Z$/),
    changes: [
      {
        id: uuid,
        entity: 'contact',
        entity_id: id,
        action: 'created',
        version: 1,
        fields: expect.objectContaining({ first_name: { after: 'Ana' } }),
      },
    ],
    events: [expect.objectContaining({ type: 'contact.created', entity: 'contact', entity_id: id })],
    approval: null,
  })
  const logged = await later(answer)
  expect([duration_ms ?? 0, logged.duration_ms]).toEqual([expect.any(Number), expect.any(Number)])
  expect(logged.events).toMatchObject([{ state: 'recorded', delivered_at: null }])
  expect(logged).toMatchObject({ isolate: expect.stringMatching(/^[0-9a-f]{12}$/), sequence: expect.any(Number) })
  expect(Math.abs(Date.parse(logged.at) - Date.now())).toBeLessThan(60_000)
})

test('a path with parameters is logged with them, and with its endpoint', async () => {
  const { id } = await crm.contact()
  const answer = await crm.ws.patch(`/contacts/${id}`, { first_name: 'Bea' })
  expect(await report(answer)).toMatchObject({
    path: `/contacts/${id}`,
    endpoint: '/contacts/:contact_id',
    changes: [{ fields: { first_name: { before: 'Ana', after: 'Bea' } } }],
  })
  const old = await crm.ws.get(`/customers?search=acme`)
  expect(await later(old)).toMatchObject({ path: '/customers', endpoint: '/customers', outcome: 'done', status: 200 })
})

/** Each with the status and code that it is refused with. */
const refusals: [string, (id: string) => Promise<ApiResponse>, number, string | null, string?][] = [
  ['a read', () => crm.ws.get('/contacts'), 200, null, 'done'],
  ['a read of nothing', () => crm.ws.get(`/contacts/${nobody}`), 404, 'NOT_FOUND'],
  ['a field that is not valid', () => crm.ws.post('/contacts', { first_name: 1 }), 400, 'VALIDATION_ERROR'],
  ['a path that is not', () => crm.ws.get('/nothing/here'), 404, 'NOT_FOUND'],
  ['a method that is not', () => crm.ws.put('/contacts', {}), 405, 'METHOD_NOT_ALLOWED'],
  [
    'a version that is past',
    (id) => crm.ws.patch(`/contacts/${id}`, { first_name: 'X' }, { 'if-match': '"9"' }),
    412,
    'PRECONDITION_FAILED',
  ],
  [
    'a body in another form',
    () => crm.ws.post('/contacts', { first_name: 'X' }, { 'content-type': 'text/plain' }),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  ['a dry run', () => crm.ws.post('/contacts?dry_run=true', { first_name: 'X' }), 200, null, 'dry_run'],
]
test.each(refusals)('%s leads to its report', async (_, ask, status, code, outcome = 'refused') => {
  const { id } = await crm.contact()
  const answer = await ask(id)
  expect(answer.status).toBe(status)
  expect(await later(answer)).toMatchObject({
    status,
    error_code: code,
    outcome,
    changes: [],
    events: [],
    key_id: crm.ws.keyId,
    user_id: crm.ws.userId,
  })
  if (code) expect((await report(answer)).error_message).toBe(answer.body.error.message)
})

test('a refused request is logged with its own key', async () => {
  const key = await crm.ws.key({ scopes: ['companies:read'] })
  const answer = await key.get('/contacts')
  expect(await later(answer)).toMatchObject({ status: 403, error_code: 'INSUFFICIENT_SCOPE', key_id: key.keyId, user_id: key.userId })
})

test('our own failures are logged too', async () => {
  await crm.app.owner.query('alter table products rename to gone')
  const answer = await crm.ws.get('/products').finally(() => crm.app.owner.query('alter table gone rename to products'))
  expect(answer.status).toBe(500)
  expect(await later(answer)).toMatchObject({ status: 500, outcome: 'failed', error_code: 'INTERNAL' })
})

test('a request and the execution of its approval link to each other', async () => {
  const answer = await crm.ws.post('/contacts', { first_name: 'Ana', require_approval: true })
  expect(answer).toMatchObject(held)
  const { approval_id } = answer.body
  expect(await report(answer)).toMatchObject({
    status: 202,
    outcome: 'held',
    approval_id,
    approval: { id: approval_id, part: 'held', status: 'pending' },
  })
  found(await crm.ws.post(`/approvals/${approval_id}/approve`, {}))
  await crm.app.drain()
  const [run] = found(await crm.ws.get('/requests?path=/contacts&method=POST'))
  expect(run!.id).not.toBe(idOf(answer))
  expect(found(await crm.ws.get(`/requests/${run!.id}`))).toMatchObject({
    status: 201,
    outcome: 'done',
    key_id: crm.ws.keyId,
    approval: { id: approval_id, part: 'run', status: 'executed' },
    changes: [
      { entity: 'contact', action: 'created' },
      { entity: 'approval', action: 'updated' },
    ],
  })
})

test('an approved request that failed is logged with the reason', async () => {
  const { id } = await crm.contact()
  const { body } = await crm.ws.patch(`/contacts/${id}`, { first_name: 'Bea', require_approval: true })
  crm.app.proxy.onRequest = async (request) => {
    if (!JSON.stringify(request).includes('load_approval')) return
    crm.app.proxy.onRequest = undefined
    await crm.app.owner.query('update api_keys set scopes = $2 where id = $1', [crm.ws.keyId, ['*:read', 'approvals:*']])
  }
  found(await crm.ws.post(`/approvals/${body.approval_id}/approve`, {}))
  await crm.app.drain()
  const { response_body, status } = found(await crm.ws.get(`/approvals/${body.approval_id}`))
  expect(status).toBe('failed')
  expect(found(await crm.ws.get(`/requests/${response_body.error.request_id}`))).toMatchObject({
    path: `/contacts/${id}`,
    status: 403,
    error_code: 'INSUFFICIENT_SCOPE',
    approval: { id: body.approval_id, part: 'run', status: 'failed' },
  })
})

test('a replay links to the request whose response it returned', async () => {
  const send = (key: string, more: Row = {}) => crm.ws.post('/contacts', { first_name: 'Ana', ...more }, { 'idempotency-key': key })
  const first = await send('once')
  const again = await send('once')
  expect(await later(again)).toMatchObject({ outcome: 'replayed', replay_of: idOf(first), status: 201, changes: [] })
  const waits = await send('held', { require_approval: true })
  const stillWaits = await send('held', { require_approval: true })
  const { approval_id } = waits.body
  expect(await later(stillWaits)).toMatchObject({
    outcome: 'replayed',
    replay_of: idOf(waits),
    status: 202,
    approval: { id: approval_id, part: 'held' },
  })
})

test('another workspace’s request is unknown, and one without a valid key is nobody’s', async () => {
  const other = await crm.app.workspace()
  const theirs = [await other.get('/contacts'), await other.post('/contacts', { first_name: 'Ana' })]
  const without = await crm.app.fetch('/v1/contacts')
  const forgedKey = crm.ws.apiKey.slice(0, -1) + (crm.ws.apiKey.endsWith('x') ? 'y' : 'x')
  const forged = await crm.app.fetch('/v1/contacts', { headers: { authorization: `Bearer ${forgedKey}` } })
  await crm.app.drain()
  for (const id of [...theirs.map(idOf), without.headers.get('x-request-id'), forged.headers.get('x-request-id'), nobody]) {
    expect(await crm.ws.get(`/requests/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.get(`/requests/${id}/changes`)).toMatchObject(failed(404, 'NOT_FOUND'))
  }
  found(await other.get(`/requests/${idOf(theirs[0]!)}`))
  const { rows } = await crm.app.owner.query('select from requests where id = any($1)', [
    [without, forged].map(({ headers }) => headers.get('x-request-id')),
  ])
  expect(rows).toEqual([])
})

test('the list is filtered and goes on from page to page, newest first', async () => {
  const reader = await crm.ws.key({ scopes: ['contacts:read'] })
  const { id } = await crm.contact()
  const answers = [
    await crm.ws.get(`/contacts/${id}`),
    await reader.get('/contacts'),
    await reader.post('/contacts', { first_name: 'X' }),
    await crm.ws.get(`/contacts/${nobody}`),
    await crm.ws.delete(`/contacts/${id}`),
  ]
  await crm.app.drain()
  const [get, list, forbidden, missing, deleted] = answers.map(idOf)
  const ids = async (query: string) => {
    const seen = await crm.walk(`/requests?limit=2&${query}`)
    return seen.map(({ id }) => id).filter((id) => answers.map(idOf).includes(id))
  }
  expect(await ids('')).toEqual([deleted, missing, forbidden, list, get])
  expect(await ids(`key_id=${reader.keyId}`)).toEqual([forbidden, list])
  expect(await ids(`user_id=${crm.ws.userId}`)).toEqual([deleted, missing, get])
  expect(await ids('method=DELETE')).toEqual([deleted])
  expect(await ids('status=4xx')).toEqual([missing, forbidden])
  expect(await ids(`path=/contacts/${id}`)).toEqual([deleted, get])
  expect(await ids('path=/contacts/:contact_id')).toEqual([deleted, missing, get])
  expect(await ids('path=/contacts')).toEqual([forbidden, list])
  const [, , , last] = found(await crm.ws.get(`/requests?path=/contacts`))
  expect(last).toBeUndefined()
  const at = found(await crm.ws.get(`/requests/${forbidden}`)).at
  expect(await ids(`from=${at}`)).toEqual(expect.arrayContaining([forbidden]))
  expect(await ids(`to=${at}`)).not.toContain(forbidden)
  expect(await ids('to=2020-01-01T00:00:00Z')).toEqual([])
  expect(await ids('from=9999-01-01T00:00:00Z')).toEqual([])
  expect(await crm.ws.get('/requests?status=200')).toMatchObject(refused('status'))
  expect(await reader.get('/requests')).toMatchObject({ status: 403, body: { error: { details: { missing_scopes: ['requests:read'] } } } })
})

test('a report has the first hundred changes, and a list all of them in order', async () => {
  const records = Array.from({ length: 100 }, (_, at) => ({ name: `Company ${at}` }))
  const made = found(await crm.ws.post('/companies/bulk-create', { records })).results
  const answer = await crm.ws.post('/companies/bulk-delete', { ids: made.map(({ id }: Row) => id) })
  found(answer)
  expect((await report(answer)).changes).toHaveLength(100)
  const { id } = await crm.contact({ customer_id: await crm.company() })
  const removed = await crm.ws.delete(`/contacts/${id}`)
  const all = await crm.walk(`/requests/${idOf(removed)}/changes?limit=1`)
  expect(all.map(({ entity, action }) => `${entity} ${action}`).sort()).toEqual(['contact deleted', 'employer deleted'])
  expect(all.map(({ id }) => id)).toEqual((await report(removed)).changes.map(({ id }: Row) => id))
})

test('logged twice, out of order, or with what is no request, nothing is wrong', async () => {
  const answer = await crm.ws.post('/contacts', { first_name: 'Ana' })
  await crm.app.drain()
  const before = await report(answer)
  const entry = { ...before, workspace_id: crm.ws.id, key_id: crm.ws.keyId, duration_ms: 7 }
  const stranger = { ...entry, id: '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d', workspace_id: nobody }
  const message = (...entries: Row[]) => ({ type: 'requests.answered', isolate: before.isolate, entries })
  const { explicitAcks, retryMessages } = await crm.app.deliver('requests', [
    message(entry),
    message(entry, stranger),
    message(stranger),
    { type: 'zork' },
  ])
  expect([explicitAcks.length, retryMessages]).toEqual([4, []])
  expect(await report(answer)).toEqual({ ...before, duration_ms: 7 })
  expect(await crm.ws.get(`/requests/${stranger.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('requests are listed by whether they were carried out', async () => {
  await crm.contact()
  await crm.ws.get('/contacts')
  await crm.ws.get(`/contacts/${crypto.randomUUID()}`)
  await crm.ws.post('/contacts', {})
  await crm.app.drain()
  const listed = async (query: string) => found(await crm.ws.get(`/requests?limit=50&${query}`)) as Row[]
  const done = await listed('status=2xx')
  expect(done.map(({ method, path }) => `${method} ${path}`)).toContain('POST /contacts')
  expect(new Set(done.map(({ status }) => Math.floor(status / 100)))).toEqual(new Set([2]))
  expect((await listed('status=2xx&method=POST')).map(({ status }) => status)).toEqual([201])
  expect((await listed('status=4xx')).map(({ status }) => status).toSorted()).toEqual([400, 404])
})
