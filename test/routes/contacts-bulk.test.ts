import { expect, test } from 'vitest'
import { created, failed, found, held, ids, nobody, type Row, refused, useCrm, without } from './crm.ts'

const crm = useCrm()

const bulk = async (verb: string, records: unknown[], more: Row = {}) =>
  found(await crm.ws.post(`/contacts/bulk-${verb}`, { records, ...more }))
const remove = async (list: string[]) => found(await crm.ws.post('/contacts/bulk-delete', { ids: list }))
const error = (code: string, ...paths: string[]) =>
  paths.length > 0 ? { code, details: { issues: paths.map((path) => expect.objectContaining({ path })) } } : { code }

test('bulk-create stores the valid records in order, and reports the others by index', async () => {
  await crm.contact({ external_id: 'taken' })
  const customer_id = await crm.company()
  const { results, skipped, errors } = await bulk('create', [
    { first_name: 'Zed', email: 'Zed@X.co', alternate_emails: ['ZED@x.co', 'z@X.co'], phone: '0412 345 678' },
    { last_name: 'Nameless', date_of_birth: 'May' },
    { first_name: 'Ana', customer_id, is_primary: true },
    { first_name: 'Bo', customer_id: nobody, source_id: nobody },
    'Cy',
    { first_name: 'Dee', external_id: 'taken' },
    { first_name: 'Eve', external_id: 'new' },
    { first_name: 'Eve', external_id: 'new' },
    { first_name: 'Fay', phone: 'soon' },
    { first_name: 'Gus', skip_automations: true },
  ])
  expect(results).toMatchObject([
    {
      first_name: 'Zed',
      email: 'zed@x.co',
      alternate_emails: ['z@x.co'],
      phone: '+61412345678',
      country: 'Australia',
      source: 'manual',
      version: 1,
    },
    { first_name: 'Ana', customer_id, company: { id: customer_id, name: 'Acme' }, is_primary: true },
    { first_name: 'Eve', external_id: 'new' },
  ])
  expect(skipped).toEqual([])
  expect(errors).toMatchObject([
    { index: 1, error: error('VALIDATION_ERROR', 'first_name', 'date_of_birth') },
    { index: 3, error: error('VALIDATION_ERROR', 'customer_id', 'source_id') },
    { index: 4, error: error('VALIDATION_ERROR') },
    { index: 5, error: error('CONFLICT') },
    { index: 7, error: error('CONFLICT') },
    { index: 8, error: error('VALIDATION_ERROR', 'phone') },
    { index: 9, error: error('VALIDATION_ERROR', 'skip_automations') },
  ])
  expect(await crm.count('contacts')).toBe(4)
  for (const contact of results) expect(found(await crm.ws.get(`/contacts/${contact.id}`))).toMatchObject(contact)
})

test('each record has its own defaults', async () => {
  const { results } = await bulk('create', [
    {
      first_name: 'Ana',
      relationship_started_at: '2020-01-01',
      country: 'NZ',
      source: 'import',
      is_referrer: true,
      metadata: { a: 1 },
      alternate_emails: ['a@b.co'],
    },
    { first_name: 'Bo' },
    { first_name: 'Cy', relationship_started_at: null, country: '' },
  ])
  for (const contact of results.slice(1)) {
    const single = await crm.contact({ first_name: contact.first_name })
    const own = ['id', 'created_at', 'updated_at', 'relationship_started_at', 'stakeholder_types', 'opportunities', 'lists']
    expect(without(contact, ...own)).toEqual(without(single, ...own))
    expect(contact.relationship_started_at, `of ${contact.first_name}`).toBe(contact.created_at)
  }
})

test('each record of a bulk-create is announced and remembered; skip_automations speaks for all of them', async () => {
  const answer = await crm.ws.post('/contacts/bulk-create', { records: [{ first_name: 'Ana' }, { first_name: 'Bo' }] })
  const request_id = answer.headers.get('x-request-id')
  for (const id of ids(found(answer).results)) {
    expect(await crm.events(id)).toMatchObject([{ type: 'contact.created', skip_automations: false, request_id }])
    expect(found(await crm.ws.get(`/contacts/${id}/history`))).toMatchObject([
      { action: 'created', request_id, user_id: crm.ws.userId, key_id: crm.ws.keyId },
    ])
  }
  const quiet = await bulk('create', [{ first_name: 'Cy' }, { first_name: 'Dee' }], { skip_automations: true })
  for (const id of ids(quiet.results)) expect(await crm.events(id)).toMatchObject([{ type: 'contact.created', skip_automations: true }])
})

test('bulk-update changes only the fields sent for each record', async () => {
  const [one, two, three] = (
    await bulk('create', [
      { first_name: 'Ana', email: 'ana@x.co', metadata: { a: 1 }, notes: 'first' },
      { first_name: 'Bo', alternate_emails: ['bo@x.co'], date_of_birth: '1988-02-29' },
      { first_name: 'Cy', timezone: 'Australia/Perth' },
    ])
  ).results as Row[]
  const { results, errors } = await bulk('update', [
    { id: three!.id, timezone: null, last_name: 'Cruz' },
    { id: one!.id, metadata: { b: 2 } },
    { id: two!.id, date_of_birth: '' },
  ])
  expect(errors).toEqual([])
  const changed = (before: Row, patch: Row, { updated_at }: Row) => ({ ...before, ...patch, version: 2, updated_at })
  expect(results).toEqual([
    changed(three!, { timezone: null, last_name: 'Cruz' }, results[0]),
    changed(one!, { metadata: { a: 1, b: 2 } }, results[1]),
    changed(two!, { date_of_birth: null }, results[2]),
  ])
})

test('a bulk-update that is run again changes nothing', async () => {
  const [one, two] = [await crm.contact(), await crm.contact()]
  const records = [
    { id: two.id, metadata: { a: 1 }, alternate_emails: ['A@x.co'] },
    { id: one.id, phone: '0412 345 678', archived: true },
  ]
  const first = await bulk('update', records)
  expect(await bulk('update', records)).toEqual(first)
  expect(first.results.map(({ version }: Row) => version)).toEqual([2, 2])
})

test('an invalid record of a bulk-update does not stop the others', async () => {
  const [one, two] = [await crm.contact({ external_id: 'a-1' }), await crm.contact()]
  const foreign = created(await (await crm.app.workspace()).post('/contacts', { first_name: 'Theirs' }))
  const { results, errors } = await bulk('update', [
    { id: one.id, last_name: 'Lee' },
    { id: nobody, last_name: 'Lee' },
    { id: foreign.id, last_name: 'Lee' },
    { last_name: 'Lee' },
    { id: 'ana', last_name: 'Lee' },
    { id: two.id, first_name: '' },
    { id: one.id.toUpperCase(), last_name: 'Again' },
    { id: two.id, customer_id: nobody },
  ])
  expect(results).toMatchObject([{ id: one.id, last_name: 'Lee', version: 2 }])
  expect(errors).toMatchObject([
    { index: 1, id: nobody, error: error('NOT_FOUND') },
    { index: 2, id: foreign.id, error: error('NOT_FOUND') },
    { index: 3, error: error('VALIDATION_ERROR', 'id') },
    { index: 4, error: error('VALIDATION_ERROR', 'id') },
    { index: 5, id: two.id, error: error('VALIDATION_ERROR', 'first_name') },
    { index: 6, error: error('VALIDATION_ERROR', 'id') },
    { index: 7, id: two.id, error: error('VALIDATION_ERROR', 'customer_id') },
  ])
  expect(found(await crm.ws.get(`/contacts/${two.id}`))).toEqual(two)
})

test("an external_id that another contact has is that record's own fault in a bulk-update", async () => {
  const [one, two, three] = [await crm.contact({ external_id: 'a-1' }), await crm.contact(), await crm.contact()]
  const { results, errors } = await bulk('update', [
    { id: two.id, external_id: 'a-1' },
    { id: three.id, last_name: 'Lee' },
  ])
  expect(results).toMatchObject([{ id: three.id, last_name: 'Lee' }])
  expect(errors).toMatchObject([{ index: 0, id: two.id, error: error('CONFLICT') }])
  expect(found(await crm.ws.get(`/contacts/${one.id}`)).external_id).toBe('a-1')
})

test('bulk-update archives with true and restores with false', async () => {
  const [one, two] = [await crm.contact(), await crm.contact()]
  expect((await bulk('update', [{ id: one.id, archived: true }])).results).toMatchObject([{ id: one.id, archived: true }])
  expect(ids(found(await crm.ws.get('/contacts')))).toEqual([two.id])
  expect(found(await crm.ws.get(`/contacts/${one.id}`)).archived).toBe(true)
  expect((await bulk('update', [{ id: one.id, archived: false }])).results).toMatchObject([{ id: one.id, archived: false }])
  expect(found(await crm.ws.get('/contacts'))).toHaveLength(2)
  expect((await crm.events(one.id)).map(({ type }) => type)).toEqual(['contact.created', 'contact.updated', 'contact.updated'])
})

test('bulk-delete deletes existing records, and a second run reports them as deleted', async () => {
  const [one, two, three] = [await crm.contact(), await crm.contact(), await crm.contact()]
  const foreign = created(await (await crm.app.workspace()).post('/contacts', { first_name: 'Theirs' }))
  const first = await remove([two.id, nobody, one.id, foreign.id, two.id])
  expect(first.results).toEqual([
    { id: two.id, deleted: true },
    { id: one.id, deleted: true },
  ])
  expect(first.skipped).toMatchObject([{ index: 4, id: two.id }])
  expect(first.errors).toMatchObject([
    { index: 1, id: nobody, error: error('NOT_FOUND') },
    { index: 3, id: foreign.id, error: error('NOT_FOUND') },
  ])
  expect(ids(found(await crm.ws.get('/contacts')))).toEqual([three.id])
  expect(await remove([two.id])).toMatchObject({ results: [], errors: [{ index: 0, error: error('NOT_FOUND') }] })
  expect((await crm.events(one.id)).at(-1)).toMatchObject({ type: 'contact.deleted' })
})

test('bulk-link links pairs, skips those that are, and may be run again', async () => {
  const [ana, bo] = [await crm.contact(), await crm.contact({ first_name: 'Bo' })]
  const [acme, base] = [await crm.company('Acme'), await crm.company('Base')]
  found(await crm.ws.post(`/contacts/${bo.id}/employers/${base}`))
  const pairs = [
    { contact_id: ana.id, customer_id: acme },
    { contact_id: bo.id, customer_id: base },
    { contact_id: nobody, customer_id: acme },
    { contact_id: ana.id, customer_id: nobody },
    { contact_id: ana.id },
    { contact_id: bo.id, customer_id: acme },
    { contact_id: ana.id, customer_id: acme },
  ]
  const first = await bulk('link', pairs)
  expect(first.results).toEqual([pairs[0], pairs[5]])
  expect(first.skipped).toMatchObject([
    { index: 1, id: bo.id },
    { index: 6, id: ana.id },
  ])
  expect(first.errors).toMatchObject([
    { index: 2, error: error('VALIDATION_ERROR', 'contact_id') },
    { index: 3, error: error('VALIDATION_ERROR', 'customer_id') },
    { index: 4, error: error('VALIDATION_ERROR', 'customer_id') },
  ])
  const again = await bulk('link', pairs)
  expect(again.results).toEqual([])
  expect(again.skipped.map(({ index }: Row) => index)).toEqual([0, 1, 5, 6])
  expect(again.errors).toEqual(first.errors)
  expect(await crm.count('employers')).toBe(3)
})

const envelopes: [string, unknown, string][] = [
  ['no records', { records: [] }, 'records'],
  ['no list', { records: { first_name: 'Ana' } }, 'records'],
  ['nothing', {}, 'records'],
  ['an unknown field', { records: [{ first_name: 'Ana' }], colour: 'red' }, 'colour'],
  ['101 records', { records: Array.from({ length: 101 }, () => ({ first_name: 'Ana' })) }, 'records'],
]
test.each(envelopes)('a bulk call with %s is refused as a whole', async (_, body, path) => {
  for (const verb of ['create', 'update', 'link'])
    expect(await crm.ws.post(`/contacts/bulk-${verb}`, body), verb).toMatchObject(refused(path))
  expect(await crm.count('contacts')).toBe(0)
})

test('bulk-delete takes 1 to 100 ids', async () => {
  for (const list of [[], Array.from({ length: 101 }, () => nobody), nobody]) {
    expect(await crm.ws.post('/contacts/bulk-delete', { ids: list })).toMatchObject(refused('ids'))
  }
})

test('100 records at once are created, updated, linked and deleted', async () => {
  const customer_id = await crm.company()
  const { results } = await bulk(
    'create',
    Array.from({ length: 100 }, (_, i) => ({ first_name: `Contact ${i}` })),
  )
  expect(results.map(({ first_name }: Row) => first_name)).toEqual(Array.from({ length: 100 }, (_, i) => `Contact ${i}`))
  const reversed = ids(results).reverse()
  expect(
    ids(
      (
        await bulk(
          'update',
          reversed.map((id) => ({ id, city: 'Perth' })),
        )
      ).results,
    ),
  ).toEqual(reversed)
  expect(
    (
      await bulk(
        'link',
        reversed.map((contact_id) => ({ contact_id, customer_id })),
      )
    ).results,
  ).toHaveLength(100)
  expect(ids((await remove(reversed)).results)).toEqual(reversed)
})

test('a bulk call supports approval, and a dry run without a trace', async () => {
  const contact = await crm.contact()
  const other = { contact_id: contact.id, customer_id: await crm.company() }
  const calls: [string, Row][] = [
    ['create', { records: [{ first_name: 'Bo' }, { first_name: '' }] }],
    ['update', { records: [{ id: contact.id, archived: true }] }],
    ['delete', { ids: [contact.id] }],
    ['link', { records: [other] }],
  ]
  const traces = async () => [
    await crm.count('contacts'),
    await crm.count('employers'),
    await crm.count('changes'),
    await crm.count('outbox'),
  ]
  const before = await traces()
  for (const [verb, body] of calls) {
    const dry = await crm.ws.post(`/contacts/bulk-${verb}?dry_run=true`, body)
    expect(dry).toMatchObject({ status: 200, body: { data: { results: [expect.anything()] } } })
    for (const effect of ['changes', 'events']) expect(dry.body.dry_run[effect].length, `${effect} of ${verb}`).toBeGreaterThan(0)
  }
  expect(await traces()).toEqual(before)
  for (const [verb, body] of calls)
    expect(await crm.ws.post(`/contacts/bulk-${verb}`, { ...body, require_approval: true })).toMatchObject(held)
  expect(found(await crm.ws.get(`/contacts/${contact.id}`))).toEqual(contact)
  expect(await crm.ws.get(`/contacts?search=bo`)).toMatchObject({ body: { data: [] } })
  expect(await crm.ws.post('/contacts/bulk-create', { records: [], require_approval: true })).toMatchObject(failed(400, 'VALIDATION_ERROR'))
})
