import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from '../routes/crm.ts'

const crm = useCrm()

/** A body as it is, and what the workspace then holds: nothing. */
async function send(text: string | Uint8Array, headers: Record<string, string> = {}, path = '/v1/contacts') {
  const response = await crm.app.fetch(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${crm.ws.apiKey}`, 'content-type': 'application/json', ...headers },
    body: text,
  })
  return { status: response.status, body: (await response.json()) as Row }
}
/** No contact, nor any trace of one. */
async function nothing() {
  const { rows } = await crm.app.owner.query(
    `select entity from changes where workspace_id = $1 and entity = 'contact' union all select entity from outbox
      where workspace_id = $1 and entity = 'contact'`,
    [crm.ws.id],
  )
  expect([await crm.count('contacts'), rows]).toEqual([0, []])
}

describe('a body', () => {
  const nested = (depth: number) => `{"first_name":"A","metadata":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`
  test.each([
    ['that ends too early', '{"first_name":"Ana"', 400, 'INVALID_JSON'],
    ['with a comma too many', '{"first_name":"Ana",}', 400, 'INVALID_JSON'],
    ['that is no object', '"Ana"', 400, 'VALIDATION_ERROR'],
    ['that is a list', '[{"first_name":"Ana"}]', 400, 'VALIDATION_ERROR'],
    ['that is null', 'null', 400, 'VALIDATION_ERROR'],
    ['of nothing', '', 400, 'VALIDATION_ERROR'],
    ['of 2 MB', JSON.stringify({ first_name: 'Ana', notes: 'x'.repeat(2_000_000) }), 413, 'PAYLOAD_TOO_LARGE'],
    ['100 levels deep', nested(100), 400, 'VALIDATION_ERROR'],
    ['100,000 levels deep', nested(100_000), 400, 'VALIDATION_ERROR'],
    ['with __proto__', '{"first_name":"Ana","__proto__":{"is_primary":true}}', 400, 'VALIDATION_ERROR'],
    ['with constructor', '{"first_name":"Ana","constructor":{"prototype":{}}}', 400, 'VALIDATION_ERROR'],
  ])('%s is refused, and nothing is stored', async (_, text, status, code) => {
    expect(await send(text)).toMatchObject(failed(status, code))
    await nothing()
  })

  test('must be JSON by its header, too', async () => {
    expect(await send('first_name=Ana', { 'content-type': 'application/x-www-form-urlencoded' })).toMatchObject(
      failed(415, 'UNSUPPORTED_MEDIA_TYPE'),
    )
    await nothing()
  })

  const bytes = (...parts: (string | number[])[]) =>
    Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...new TextEncoder().encode(part)] : part)))

  test.each([
    ['bytes that are not UTF-8', bytes('{"first_name":"A', [0xff, 0xfe], '"}'), {}, 400, 'VALIDATION_ERROR'],
    ['a name in Latin-1', bytes('{"first_name":"Ren', [0xe9], '"}'), {}, 400, 'VALIDATION_ERROR'],
    [
      'a declared Latin-1',
      bytes('{"first_name":"Rene"}'),
      { 'content-type': 'application/json; charset=iso-8859-1' },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['a declared UTF-16', bytes('{}'), { 'content-type': 'application/json; charset="utf-16"' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ])('of %s is refused, and nothing is stored', async (_, body, headers, status, code) => {
    expect(await send(body, headers)).toMatchObject(failed(status, code))
    await nothing()
  })

  test('declared as UTF-8 is accepted', async () => {
    expect(await send('{"first_name":"René"}', { 'content-type': 'application/json;charset=UTF-8' })).toMatchObject({
      status: 201,
      body: { data: { first_name: 'René' } },
    })
  })

  test('that is a form with a file name in Latin-1 is refused', async () => {
    const form = bytes('--b\r\ncontent-disposition: form-data; name="file"; filename="Ren', [0xe9], '.csv"\r\n\r\nName\r\n--b--\r\n')
    expect(await send(form, { 'content-type': 'multipart/form-data; boundary=b' }, '/v1/imports')).toMatchObject(
      failed(400, 'VALIDATION_ERROR'),
    )
  })
})

test.each(['/contacts?search=Ren%E9', '/search?q=%C3%28', '/contacts?%ff=1'])(
  'the query of %s is not UTF-8 and is refused',
  async (path) => {
    expect(await crm.ws.get(path)).toMatchObject(failed(400, 'VALIDATION_ERROR'))
  },
)

test('a call whose bad records would be stored until it is approved is refused, and names the place', async () => {
  const records = [{ name: 'Fine' }, { name: 'Odd', users: [{ user_id: '\u0000' }] }]
  const answer = await crm.ws.post('/opportunities/bulk-create', { records, require_approval: true })
  expect(answer).toMatchObject(refused('records.1.users.0.user_id'))
})

describe('a field', () => {
  test.each([
    ['first_name', 7],
    ['first_name', ''],
    ['first_name', 'x'.repeat(256)],
    ['first_name', ['Ana']],
    ['first_name', 'A\u0000na'],
    ['last_name', '\ud800'],
    ['notes', 'half \udfff a pair'],
    ['email', 'ana@'],
    ['email', 'ana@example.com\nbcc: all@example.com'],
    ['alternate_emails', 'ana@example.com'],
    ['alternate_emails.0', ['not an address']],
    ['phone', 'call me'],
    ['date_of_birth', '2026-02-31'],
    ['date_of_birth', '2025-02-29'],
    ['date_of_birth', '31/12/1990'],
    ['relationship_started_at', '2999-01-01'],
    ['relationship_started_at', '2026-02-31T10:00:00Z'],
    ['is_primary', 'yes'],
    ['timezone', 'Atlantis/Capital'],
    ['metadata', []],
    ['source_id', '1 or 1=1'],
    ['customer_id', 'b7c1d2e3'],
    ['favourite_colour', 'blue'],
    ['id', randomUUID()],
    ['workspace_id', randomUUID()],
    ['version', 3],
  ])('%s that is %j is named, and nothing is stored', async (path, value) => {
    const field = path.split('.')[0] as string
    expect(await crm.ws.post('/contacts', { first_name: 'Ana', [field]: value })).toMatchObject(refused(path))
    await nothing()
  })

  test('all invalid parameters are reported together', async () => {
    const answer = await crm.ws.post('/contacts', { email: 'x', phone: 'y', date_of_birth: 'z', shoe_size: 9 })
    const paths = answer.body.error.details.issues.map(({ path }: Row) => path)
    expect(paths).toEqual(expect.arrayContaining(['first_name', 'email', 'phone', 'date_of_birth', 'shoe_size']))
  })

  test.each([
    ['/contacts', { first_name: 'Ana', company_id: randomUUID() }, 'company_id: Unknown field: did you mean customer_id?'],
    ['/contacts', { first_name: 'Ana', lastName: 'Lee' }, 'lastName: Unknown field: did you mean last_name?'],
    ['/contacts', { first_name: 'Ana', emial: 'a@b.co' }, 'emial: Unknown field: did you mean email?'],
    ['/contacts', { first_name: 'Ana', created_at: 'now', qq: 1 }, 'created_at: is read-only: leave it out; and 1 more'],
    ['/opportunities', { name: 'Deal', status: 'won' }, 'status: is read-only: it follows from stage_id'],
    [
      '/opportunities',
      {
        name: 'Deal',
        products: [
          { name: 'A', quantity: 1 },
          { name: 'B', quantiti: 1 },
        ],
      },
      'products.1.quantiti: Unknown field: did you mean quantity?',
    ],
  ])('%s with %j is answered with what to send instead', async (path, body, message) => {
    expect(await crm.ws.post(path, body)).toMatchObject({ status: 400, body: { error: { message } } })
  })

  test('the status of an opportunity is changed by a move, and the answer says so', async () => {
    const { id } = await crm.opportunity()
    const { body } = await crm.ws.patch(`/opportunities/${id}`, { status: 'won' })
    expect(body.error.details.issues).toEqual([
      { path: 'status', message: expect.stringContaining('/opportunities/{opportunity_id}/move') },
    ])
    expect(await crm.ws.patch(`/opportunities/${id}`, { status: 'open', description: 'As before' })).toMatchObject({ status: 200 })
  })

  test.each(['🦘 Kängurü', 'محمد العربي', '李小龍', 'Ñandú’s "own" \\ <b>', "Robert'); drop table contacts;--", '‮gnp.exe'])(
    'the name %s comes back as it was sent, and is found',
    async (first_name) => {
      const { id } = created(await crm.ws.post('/contacts', { first_name }))
      expect(found(await crm.ws.get(`/contacts/${id}`)).first_name).toBe(first_name)
      const listed = found(await crm.ws.get(`/contacts?search=${encodeURIComponent(first_name)}`))
      expect(listed.map((row) => row.id)).toEqual([id])
    },
  )
})

describe('an id', () => {
  test('of another kind of record is not found, in a path or a body', async () => {
    const [company, contact] = [await crm.company(), await crm.contact()]
    expect(await crm.ws.get(`/contacts/${company}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.delete(`/opportunities/${contact.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.post('/contacts', { first_name: 'Ben', customer_id: contact.id })).toMatchObject(refused('customer_id'))
    expect(await crm.ws.post('/opportunities', { name: 'Deal', stage_id: company })).toMatchObject(refused('stage_id'))
    expect(await crm.count('contacts')).toBe(1)
    expect(await crm.count('opportunities')).toBe(0)
  })

  test.each(['not-a-uuid', '00000000-0000-0000-0000-00000000000g', '%00', "'%20or%201=1"])('%s in a path is reported', async (id) => {
    expect(await crm.ws.get(`/contacts/${id}`)).toMatchObject(refused('contact_id'))
  })
})

describe('a cursor', () => {
  const cursorOf = async (path: string): Promise<string> => (await crm.ws.get(path)).body.page.next
  test('that was altered, belongs to another list, sort or filter, or is malformed, is refused', async () => {
    for (const first_name of ['Ana', 'Ben', 'Cem']) await crm.contact({ first_name })
    for (const name of ['One', 'Two']) await crm.company(name)
    const own = await cursorOf('/contacts?limit=1')
    const cursors = [
      `${own.slice(0, -2)}${own.endsWith('A') ? 'BB' : 'AA'}`,
      own.slice(1),
      await cursorOf('/companies?limit=1'),
      await cursorOf('/contacts?limit=1&sort=name'),
      await cursorOf('/contacts?limit=1&archived=all'),
      'next',
      Buffer.from('["x"]').toString('base64url'),
    ]
    for (const cursor of cursors) expect(await crm.ws.get(`/contacts?limit=1&after=${cursor}`), cursor).toMatchObject(refused('after'))
    expect(await crm.ws.get(`/contacts?limit=1&after=${own}`)).toMatchObject({ status: 200 })
  })
})

describe('a bulk call', () => {
  const people = (count: number) => Array.from({ length: count }, (_, i) => ({ first_name: `P${i}` }))

  test.each([0, 101])('of %i records is refused as a whole', async (count) => {
    expect(await crm.ws.post('/contacts/bulk-create', { records: people(count) })).toMatchObject(refused('records'))
    await nothing()
  })

  test.each([
    ['/contacts/bulk-delete', async () => (await crm.contact()).id],
    ['/companies/bulk-delete', () => crm.company()],
    ['/opportunities/bulk-delete', async () => (await crm.opportunity()).id],
    ['/tasks/bulk-delete', async () => created(await crm.ws.post('/tasks', { title: 'Call' })).id],
    ['/tasks/bulk-complete', async () => created(await crm.ws.post('/tasks', { title: 'Call' })).id],
  ])('%s processes the ids beside malformed ones', async (path, make) => {
    const [first, second] = [await make(), await make()]
    const { body } = await crm.ws.post(path, { ids: ['1 or 1=1', first, 7, randomUUID(), second.toUpperCase(), first] })
    expect(body.data.results.map(({ id }: Row) => id)).toEqual([first, second])
    expect(body.data.skipped).toMatchObject([{ index: 5, id: first }])
    expect(body.data.errors).toMatchObject([
      { index: 0, id: '1 or 1=1', error: { code: 'VALIDATION_ERROR', message: 'id: must be a UUID' } },
      { index: 2, id: null, error: { code: 'VALIDATION_ERROR' } },
      { index: 3, error: { code: 'NOT_FOUND' } },
    ])
  })

  test('with a malformed id updates the others', async () => {
    const { id } = await crm.contact()
    const { body } = await crm.ws.post('/contacts/bulk-update', {
      records: [
        { id: 'x', city: 'Perth' },
        { id, city: 'Perth' },
      ],
    })
    expect(body.data).toMatchObject({ results: [{ id, city: 'Perth' }], errors: [{ index: 0, error: { code: 'VALIDATION_ERROR' } }] })
  })

  test('with a duplicate id takes the first, and reports the second', async () => {
    const { id } = await crm.contact()
    const records = [
      { id, city: 'Perth' },
      { id, city: 'Hobart' },
    ]
    const { body } = await crm.ws.post('/contacts/bulk-update', { records })
    expect(body.data).toMatchObject({ results: [{ id, city: 'Perth' }], errors: [{ index: 1, error: { code: 'VALIDATION_ERROR' } }] })
  })

  test('that is half valid processes the valid half, and reports the rest by index', async () => {
    const { body } = await crm.ws.post('/contacts/bulk-create', {
      records: [{ first_name: 'Ana' }, { first_name: '' }, { first_name: 'Cem', customer_id: randomUUID() }, { first_name: 'Dora' }],
    })
    expect(body.data.errors.map(({ index }: Row) => index)).toEqual([1, 2])
    expect(await crm.count('contacts')).toBe(2)
  })
})

test('of two concurrent changes to one record, one succeeds and the other gets an error', async () => {
  const { id } = await crm.contact()
  const answers = await Promise.all(['Perth', 'Hobart'].map((city) => crm.ws.patch(`/contacts/${id}`, { city }, { 'if-match': '"1"' })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412])
  const winner = answers.find(({ status }) => status === 200)
  expect(found(await crm.ws.get(`/contacts/${id}`))).toEqual(winner?.body.data)
})

test('a record that others refer to cannot be deleted', async () => {
  const { stages } = await crm.firstPipeline()
  const product = await crm.product()
  const opportunity = await crm.opportunity({ stage_id: stages.New })
  created(await crm.ws.post(`/opportunities/${opportunity.id}/products`, { product_id: product }))
  expect(await crm.ws.delete(`/products/${product}`)).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } })
  expect((await crm.ws.get(`/products/${product}`)).status).toBe(200)
})
