import { expect, test } from 'vitest'
import { bySort, created, failed, found, held, ids, nobody, type Row, refused, useCrm, walkWhileRowsComeAndGo } from './crm.ts'

const crm = useCrm()

const contact = async () => (await crm.contact()).id as string
const deal = async () => (await crm.opportunity()).id as string
const log = async (fields: Row) => created(await crm.ws.post('/activities', { activity_type: 'note', ...fields }))
const list = async (query = '', path = '/activities') => found(await crm.ws.get(`${path}?${query}`))
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** An email on the timeline, as sending one leaves it. */
const email = async (contact_id: string) => {
  const sql = `insert into activities (workspace_id, activity_type, contact_id, direction, subject)
    values ($1, 'email', $2, 'outbound', 'Your quote') returning id`
  return (await crm.app.owner.query(sql, [crm.ws.id, contact_id])).rows[0].id as string
}

test('a call with a contact is stored as sent, for the key’s owner', async () => {
  const fields = {
    activity_type: 'call',
    contact_id: await contact(),
    customer_id: await crm.company(),
    deal_id: await deal(),
    subject: 'Quote',
    body: 'Wants the deck\nin May',
    direction: 'outbound',
    duration_seconds: 420,
    outcome: 'Interested',
    occurred_at: '2026-03-31T09:30:00.000Z',
    metadata: { mood: 'good' },
  }
  const answer = await crm.ws.post('/activities', fields)
  const made = created(answer)
  expect(made).toEqual({
    ...fields,
    contact_ids: [fields.contact_id],
    id: made.id,
    created_by: crm.ws.userId,
    version: 1,
    created_at: moment,
    updated_at: moment,
  })
  expect(answer.headers.get('location')).toBe(`/v1/activities/${made.id}`)
  expect(found(await crm.ws.get(`/activities/${made.id}`))).toEqual(made)
  expect((await crm.events(made.id)).map(({ type }) => type)).toEqual(['activity.created'])
})

test.each(['contact_id', 'customer_id', 'deal_id'])('%s alone is a sufficient link; occurred_at defaults to now', async (link) => {
  const id = { contact_id: contact, customer_id: crm.company, deal_id: deal }[link]!
  const made = await log({ [link]: await id() })
  const nothing = { subject: null, body: null, direction: null, duration_seconds: null, outcome: null, metadata: {} }
  expect(made).toMatchObject({
    contact_id: null,
    customer_id: null,
    deal_id: null,
    ...nothing,
    [link]: made[link],
    occurred_at: made.created_at,
  })
})

test('without a link, or with a direction of what is no call, it is refused', async () => {
  const contact_id = await contact()
  expect(await crm.ws.post('/activities', { activity_type: 'note' })).toMatchObject(refused('contact_id'))
  expect(await crm.ws.post('/activities', { activity_type: 'note', contact_id: null, deal_id: '' })).toMatchObject(refused('contact_id'))
  expect(await crm.ws.post('/activities', { activity_type: 'note', direction: 'inbound' })).toMatchObject(
    refused('contact_id', 'direction'),
  )
  expect(await crm.ws.post('/activities', { activity_type: 'meeting', contact_id, direction: 'inbound' })).toMatchObject(
    refused('direction'),
  )
  expect(await list()).toEqual([])
})

test.each<[string, Row]>([
  ['activity_type', { activity_type: 'email' }],
  ['activity_type', { activity_type: null }],
  ['direction', { direction: 'up' }],
  ['duration_seconds', { duration_seconds: -1 }],
  ['duration_seconds', { duration_seconds: 1.5 }],
  ['occurred_at', { occurred_at: 'yesterday' }],
  ['occurred_at', { occurred_at: null }],
  ['metadata', { metadata: [] }],
  ['opportunity_id', { opportunity_id: nobody }],
  ['created_by', { created_by: nobody }],
])('%s is refused in %j', async (path, fields) => {
  const contact_id = await contact()
  const { id } = await log({ activity_type: 'call', contact_id })
  expect(await crm.ws.post('/activities', { activity_type: 'call', contact_id, ...fields })).toMatchObject(refused(path))
  expect(await crm.ws.patch(`/activities/${id}`, fields)).toMatchObject(refused(path))
})

test("a link to nothing, or to another workspace's record, is a 400 that names the field", async () => {
  const other = await crm.app.workspace()
  const foreign: Row = {
    contact_id: created(await other.post('/contacts', { first_name: 'Theirs' })).id,
    customer_id: await crm.company('Theirs', other),
    deal_id: created(await other.post('/opportunities', { name: 'Theirs' })).id,
  }
  const { id } = await log({ contact_id: await contact() })
  for (const [field, value] of Object.entries(foreign)) {
    for (const unknown of [value, nobody]) {
      expect(await crm.ws.post('/activities', { activity_type: 'note', [field]: unknown }), field).toMatchObject(refused(field))
      expect(await crm.ws.patch(`/activities/${id}`, { [field]: unknown }), field).toMatchObject(refused(field))
    }
  }
})

test('an update changes what it names, merges metadata, and leaves at least one link', async () => {
  const [contact_id, deal_id] = [await contact(), await deal()]
  const made = await log({ activity_type: 'call', contact_id, direction: 'inbound', metadata: { a: 1, b: 2, z: null } })
  const at = `/activities/${made.id}`
  expect(await crm.ws.patch(at, { contact_id: null })).toMatchObject(refused('contact_id'))
  expect(await crm.ws.patch(at, { activity_type: 'meeting' })).toMatchObject(refused('direction'))
  const moved = found(
    await crm.ws.patch(at, { contact_id: null, deal_id, activity_type: 'meeting', direction: null, metadata: { b: null, c: 3 } }),
  )
  expect(moved).toEqual({
    ...made,
    contact_id: null,
    contact_ids: [],
    deal_id,
    activity_type: 'meeting',
    direction: null,
    metadata: { a: 1, c: 3 },
    version: 2,
    updated_at: moment,
  })
  expect(await crm.ws.patch(at, { direction: 'inbound' })).toMatchObject(refused('direction'))
  expect(found(await crm.ws.patch(at, {})).version).toBe(2)
  expect(await crm.ws.patch(at, { subject: 'Late' }, { 'if-match': '"1"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
})

test('an email is on the timeline, and cannot be changed', async () => {
  const contact_id = await contact()
  const id = await email(contact_id)
  expect(found(await crm.ws.get(`/activities/${id}`))).toMatchObject({
    activity_type: 'email',
    direction: 'outbound',
    subject: 'Your quote',
  })
  expect(await crm.ws.patch(`/activities/${id}`, { activity_type: 'note', direction: null })).toMatchObject({
    status: 409,
    body: { error: { code: 'INVALID_STATE', details: { state: 'email', allowed: ['call', 'meeting', 'note'] } } },
  })
  expect(ids(await list('activity_type=email', `/contacts/${contact_id}/activities`))).toEqual([id])
})

test('the history says who did what, also of a deleted activity', async () => {
  const colleague = await crm.ws.key()
  const { id } = await log({ contact_id: await contact(), body: 'Hi' })
  found(await colleague.patch(`/activities/${id}`, { body: 'Hello' }))
  expect(found(await crm.ws.delete(`/activities/${id}`))).toEqual({ id, deleted: true })
  expect(await crm.ws.get(`/activities/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  const history = found(await crm.ws.get(`/activities/${id}/history`))
  expect(history).toMatchObject([
    { action: 'deleted', version: 3 },
    { action: 'updated', version: 2, user_id: colleague.userId, fields: { body: { before: 'Hi', after: 'Hello' } } },
    { action: 'created', version: 1, user_id: crm.ws.userId },
  ])
})

test('an activity goes with the last record that it is about', async () => {
  const [contact_id, customer_id, deal_id] = [await contact(), await crm.company(), await deal()]
  const [one, both] = [await log({ contact_id }), await log({ contact_id, customer_id, deal_id })]
  found(await crm.ws.delete(`/contacts/${contact_id}`))
  expect(ids(await list())).toEqual([both.id])
  expect(found(await crm.ws.get(`/activities/${one.id}/history`))[0]).toMatchObject({
    action: 'deleted',
    fields: { contact_id: { before: contact_id } },
  })
  found(await crm.ws.delete(`/companies/${customer_id}`))
  expect(await list()).toMatchObject([{ id: both.id, contact_id: null, customer_id: null, deal_id }])
  found(await crm.ws.delete(`/opportunities/${deal_id}`))
  expect(await list()).toEqual([])
})

test('records that share an activity may be deleted at once', async () => {
  const [contact_id, customer_id, deal_id] = [await contact(), await crm.company(), await deal()]
  for (let i = 0; i < 5; i++) await log({ contact_id, customer_id, deal_id })
  const paths = [`/contacts/${contact_id}`, `/companies/${customer_id}`, `/opportunities/${deal_id}`]
  for (const answer of await Promise.all(paths.map((path) => crm.ws.delete(path)))) found(answer)
  expect(await list()).toEqual([])
})

test('a write that waits for approval has not happened', async () => {
  const contact_id = await contact()
  const { id } = await log({ contact_id })
  expect(await crm.ws.post('/activities', { activity_type: 'note', contact_id, require_approval: true })).toMatchObject(held)
  expect(await crm.ws.delete(`/activities/${id}?require_approval=true`)).toMatchObject(held)
  expect(await crm.ws.post('/activities', { activity_type: 'note', require_approval: true })).toMatchObject(refused('contact_id'))
  expect(ids(await list())).toEqual([id])
})

test('a filter finds the activities with its value, and no others', async () => {
  const colleague = await crm.ws.key()
  const fields = { activity_type: 'call', contact_id: await contact(), customer_id: await crm.company(), deal_id: await deal() }
  const one = created(await colleague.post('/activities', { ...fields, occurred_at: '2026-03-31T09:30:00Z' }))
  const two = await log({ contact_id: await contact(), occurred_at: '2026-04-30T09:30:00Z' })
  for (const [name, value] of Object.entries({ ...fields, created_by: colleague.userId }))
    expect(ids(await list(`${name}=${value}`)), name).toEqual([one.id])
  expect(ids(await list('occurred_after=2026-04-30T09:30:00Z'))).toEqual([two.id])
  expect(ids(await list('occurred_before=2026-03-31T09:30:00Z'))).toEqual([one.id])
  expect(await list('occurred_after=2026-03-31T09:30:01Z&occurred_before=2026-04-30T09:29:59Z')).toEqual([])
  for (const [query, path] of [
    ['activity_type=fax', 'activity_type'],
    ['sort=subject', 'sort'],
    ['occurred_after=x', 'occurred_after'],
    ['deal_id=x', 'deal_id'],
  ])
    expect(await crm.ws.get(`/activities?${query}`)).toMatchObject(refused(path!))
})

const keys: Record<string, (row: Row) => string> = {
  occurred_at: ({ occurred_at }) => occurred_at,
  created_at: ({ created_at }) => created_at,
}
test.each(['', 'occurred_at', '-occurred_at', 'created_at', '-created_at'])(
  'walking by "%s" neither skips nor repeats one while others come and go',
  async (sort) => {
    const contact_id = await contact()
    const make = (day: number) => log({ contact_id, occurred_at: `2026-03-${String(day).padStart(2, '0')}T09:30:00Z` })
    for (let i = 0; i < 24; i++) await make(10 + (i % 5))
    const query = sort && `&sort=${sort}`
    const before = (await list(`limit=100${query}`)) as Row[]
    const way = sort || '-occurred_at'
    expect(ids(before)).toEqual(ids(bySort(before, way, keys[way.replace('-', '')]!)))
    await walkWhileRowsComeAndGo(crm, `/activities?limit=5${query}`, before, {
      come: () => Promise.all([make(1), make(12), make(30)]),
      go: async (id) => void found(await crm.ws.delete(`/activities/${id}`)),
    })
  },
)

const parents: [string, string, string, () => Promise<string>][] = [
  ['contacts', 'contact_id', 'contacts:read', contact],
  ['companies', 'customer_id', 'companies:read', () => crm.company()],
  ['customers', 'customer_id', 'companies:read', () => crm.company()],
  ['opportunities', 'deal_id', 'opportunities:read', deal],
  ['deals', 'deal_id', 'opportunities:read', deal],
]
test.each(parents)('/%s/:id/activities lists those with its %s, latest first', async (path, link, scope, make) => {
  const id = await make()
  const at = `/${path}/${id}/activities`
  const early = await log({ [link]: id, occurred_at: '2020-01-01T00:00:00Z' })
  const late = await log({ [link]: id, activity_type: 'meeting' })
  await log({ [link]: await make() })
  expect(ids(await list('', at))).toEqual([late.id, early.id])
  expect(ids(await list('activity_type=meeting', at))).toEqual([late.id])
  expect(ids(await crm.walk(`${at}?limit=1&sort=occurred_at`))).toEqual([early.id, late.id])
  expect(await (await crm.app.workspace()).get(at)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.get(`/${path}/${nobody}/activities`)).toMatchObject(failed(404, 'NOT_FOUND'))
  for (const only of [scope, 'activities:read'])
    expect(await (await crm.ws.key({ scopes: [only] })).get(at)).toMatchObject({
      status: 403,
      body: { error: { details: { required_scopes: [scope, 'activities:read'] } } },
    })
})

test.each(['opportunities', 'deals'])('POST /%s/:id/activities logs one about it', async (path) => {
  const deal_id = await deal()
  const answer = await crm.ws.post(`/${path}/${deal_id}/activities`, { activity_type: 'call', direction: 'inbound' })
  const made = created(answer)
  expect(made).toMatchObject({ deal_id, activity_type: 'call', created_by: crm.ws.userId })
  expect(found(await crm.ws.get(answer.headers.get('location')!.replace('/v1', '')))).toEqual(made)
  expect(await crm.ws.post(`/${path}/${deal_id}/activities`, { activity_type: 'note', deal_id })).toMatchObject(refused('deal_id'))
  expect(await crm.ws.post(`/${path}/${nobody}/activities`, { activity_type: 'note' })).toMatchObject(failed(404, 'NOT_FOUND'))
  const stranger = await crm.app.workspace()
  expect(await stranger.post(`/${path}/${deal_id}/activities`, { activity_type: 'note' })).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.get(`/${path}/${await deal()}/activities/${made.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test.each([
  ['GET', '', 'activities:read'],
  ['PATCH', '', 'activities:write'],
  ['DELETE', '', 'activities:write'],
])('%s /activities/:id%s needs %s; an unknown or a foreign id is a 404', async (method, _, scope) => {
  const other = await crm.app.workspace()
  const { id: contact_id } = created(await other.post('/contacts', { first_name: 'Theirs' }))
  const foreign = created(await other.post('/activities', { activity_type: 'note', contact_id })).id
  const body = method === 'PATCH' ? {} : undefined
  for (const id of [nobody, foreign]) expect(await crm.ws.call(method, `/activities/${id}`, body)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.call(method, '/activities/x', body)).toMatchObject(refused('activity_id'))
  const lacking = await crm.ws.key({ scopes: ['activities:delete', scope.endsWith('read') ? 'activities:write' : 'activities:read'] })
  expect(await lacking.call(method, `/activities/${nobody}`, body)).toMatchObject({
    status: 403,
    body: { error: { details: { required_scopes: [scope] } } },
  })
})
