import { describe, expect, test } from 'vitest'
import type { ApiResponse } from '../workspace.ts'
import { created, failed, found, held, nobody, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()
const upsert = (body: Row, kind = 'contacts') => crm.ws.post(`/${kind}/upsert`, body)
const changed = async (body: Row, kind?: string) => found(await upsert(body, kind))
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort()

describe('one contact', () => {
  test('is created as by POST, and then changed as by PATCH', async () => {
    const first = await upsert({
      first_name: 'Ana',
      email: 'Ana+CRM@X.co',
      phone: '0412 345 678',
      metadata: { tier: 'gold', old: null, city: 'P' },
    })
    expect(first.headers.get('location')).toBe(`/v1/contacts/${first.body.data.id}`)
    expect(created(first)).toMatchObject({
      created: true,
      matched_by: null,
      email: 'ana+crm@x.co',
      phone: '+61412345678',
      country: 'Australia',
      source: 'manual',
      metadata: { tier: 'gold', city: 'P' },
    })
    const { id } = first.body.data
    const logged = async ({ headers }: ApiResponse) => found(await crm.ws.get(`/requests/${headers.get('x-request-id')}`)).status
    expect(await logged(first)).toBe(201)
    const second = await upsert({ email: ' ANA+crm@x.CO', last_name: 'Lee', metadata: { city: null, age: 4 } })
    expect(second.headers.get('location')).toBeNull()
    expect(second.headers.get('etag')).toBe('"2"')
    expect(await logged(second)).toBe(200)
    expect(found(second)).toMatchObject({
      id,
      created: false,
      first_name: 'Ana',
      last_name: 'Lee',
      metadata: { tier: 'gold', age: 4 },
      version: 2,
    })
    expect(created(await upsert({ first_name: 'Another', email: 'ana@x.co' })).id).not.toBe(id)
  })

  test('is found by the first key that it has and that finds one', async () => {
    const byId = await crm.contact({ external_id: 'e1', phone: '+61411111111' })
    const byPhone = await crm.contact({ phone: '+61422222222' })
    const byEmail = await crm.contact({ email: 'b@x.co' })
    const matched = await changed({ external_id: 'e1', email: 'b@x.co' })
    expect(matched).toMatchObject({ id: byId.id, email: 'b@x.co', matched_by: 'external_id' })
    const byNumber = await changed({ external_id: 'e9', phone: '0422 222 222' })
    expect(byNumber).toMatchObject({ id: byPhone.id, external_id: 'e9', matched_by: 'phone' })
    expect(await changed({ email: 'b@x.co', external_id: 'e1', match_on: ['external_id'] })).toMatchObject({ id: byId.id })
    expect(await upsert({ email: 'b@x.co', match_on: ['email'] })).toMatchObject({
      ...failed(409, 'CONFLICT'),
      body: { error: { details: { field: 'email', ids: [byId.id, byEmail.id] } } },
    })
    expect(created(await upsert({ first_name: 'New', phone: '+61422222222', external_id: 'e10', match_on: ['external_id'] })).created).toBe(
      true,
    )
  })

  test('is found by its other addresses, which stay where they are', async () => {
    const { id } = await crm.contact({ email: 'new@x.co', alternate_emails: ['old@x.co'] })
    expect(await changed({ email: 'OLD@x.co', city: 'Perth' })).toMatchObject({
      id,
      matched_by: 'email',
      email: 'new@x.co',
      alternate_emails: ['old@x.co'],
      city: 'Perth',
    })
    expect(await changed({ email: 'old@x.co', alternate_emails: ['new@x.co', 'third@x.co'] })).toMatchObject({
      id,
      email: 'old@x.co',
      alternate_emails: ['new@x.co', 'third@x.co'],
    })
  })

  test('that is archived is found only when no active one is', async () => {
    const old = await crm.contact({ email: 'a@x.co' })
    await crm.ws.patch(`/contacts/${old.id}`, { archived: true })
    expect(await changed({ email: 'a@x.co', city: 'Perth' })).toMatchObject({ id: old.id, archived: true })
    const active = await crm.contact({ email: 'a@x.co' })
    expect((await changed({ email: 'a@x.co' })).id).toBe(active.id)
  })

  test('is refused with what is wrong, and nothing is done', async () => {
    await crm.contact({ email: 'a@x.co' })
    await crm.contact({ external_id: 'taken' })
    expect(await upsert({ first_name: 'No key' })).toMatchObject(refused('external_id'))
    expect(await upsert({ email: 'nobody@x.co' })).toMatchObject(refused('first_name'))
    expect(await upsert({ email: 'ana@bücher', first_name: 'A' })).toMatchObject(refused('email'))
    expect(await upsert({ email: 'a@x.co', customer_id: nobody, source_id: nobody })).toMatchObject(refused('customer_id', 'source_id'))
    expect(await upsert({ email: 'a@x.co', external_id: 'taken', match_on: ['email'] })).toMatchObject(failed(409, 'CONFLICT'))
    expect(await upsert({ email: 'a@x.co', match_on: ['email', 'email'] })).toMatchObject(refused('match_on'))
    expect(await upsert({ email: 'a@x.co', match_on: ['name'] })).toMatchObject(refused('match_on.0'))
    expect(await upsert({ email: null, first_name: 'A', phone: 'soon' })).toMatchObject(refused('phone'))
    expect(await crm.count('contacts')).toBe(2)
  })

  test('is created once, however many ask for it at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 32 }, (_, i) => upsert({ first_name: `A${i}`, email: 'a@x.co', phone: `+6141234560${i % 10}` })),
    )
    expect(statuses(answers)).toEqual([...Array(31).fill(200), 201])
    expect(await crm.count('contacts')).toBe(1)
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1)
    const crossed = (i: number) =>
      [{ email: `p${i % 4}@x.co` }, { email: `p${(i + 1) % 4}@x.co` }].map((keys) => ({ first_name: 'P', ...keys }))
    const bulk = await Promise.all(
      Array.from({ length: 16 }, (_, i) => crm.ws.post('/contacts/bulk-upsert', { records: i % 2 ? crossed(i) : crossed(i).toReversed() })),
    )
    for (const answer of bulk) expect(found(answer)).toMatchObject({ results: [{}, {}], errors: [] })
    expect(await crm.count('contacts')).toBe(5)
  })

  test('can be tried, held and repeated', async () => {
    const body = { first_name: 'Ana', email: 'a@x.co' }
    expect(await crm.ws.post('/contacts/upsert?dry_run=true', body)).toMatchObject({ status: 200, body: { data: { created: true } } })
    expect(await upsert({ ...body, require_approval: true })).toMatchObject(held)
    expect(await upsert({ email: 'a@x.co', require_approval: true })).toMatchObject(refused('first_name'))
    expect(await crm.count('contacts')).toBe(0)
    const headers = { 'idempotency-key': 'once' }
    const first = await crm.ws.post('/contacts/upsert', body, headers)
    const again = await crm.ws.post('/contacts/upsert', body, headers)
    expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 201, 'true'])
    expect(again.body).toEqual(first.body)
  })
})

describe('many contacts', () => {
  const bulk = async (records: unknown[], more: Row = {}) => found(await crm.ws.post('/contacts/bulk-upsert', { records, ...more }))

  test('are each created or changed, or refused by themselves; one that comes twice is one record', async () => {
    const there = await crm.contact({ email: 'there@x.co', metadata: { a: 1 } })
    const twins = await Promise.all([crm.contact({ phone: '+61411111111' }), crm.contact({ phone: '+61411111111' })])
    const { results, skipped, errors } = await bulk([
      { first_name: 'New', email: 'new@x.co', metadata: { a: 1 } },
      { email: 'NEW@x.co', last_name: 'Twice', metadata: { b: 2 } },
      { email: 'there@x.co', city: 'Perth', metadata: { b: 2 } },
      { email: 'there@x.co', external_id: 'e1', metadata: { a: null, c: 3 } },
      { email: 'nameless@x.co' },
      { phone: '0411 111 111', city: 'Perth' },
      { first_name: 'Lost', email: 'lost@x.co', customer_id: nobody },
      { first_name: 'Found', email: 'lost@x.co' },
      { first_name: 'No key' },
      'text',
      { external_id: 'e1', city: 'Hobart' },
    ])
    const made = results[0]
    expect(results).toMatchObject([
      { created: true, first_name: 'New', last_name: 'Twice', metadata: { a: 1, b: 2 } },
      { created: false, id: made.id },
      { created: false, id: there.id, city: 'Hobart', external_id: 'e1', metadata: { b: 2, c: 3 } },
      { created: false, id: there.id },
      { created: true, first_name: 'Found' },
      { created: false, id: there.id },
    ])
    expect(results[2].metadata).toEqual({ b: 2, c: 3 })
    expect(skipped).toEqual([])
    expect(errors).toMatchObject([
      { index: 4, error: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'first_name' }] } } },
      { index: 5, error: { code: 'CONFLICT', details: { field: 'phone', ids: twins.map(({ id }) => id).sort() } } },
      { index: 6, error: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'customer_id' }] } } },
      { index: 8, error: { code: 'VALIDATION_ERROR' } },
      { index: 9, error: { code: 'VALIDATION_ERROR' } },
    ])
    expect(await crm.count('contacts')).toBe(5)
  })

  test('are at most 100', async () => {
    const records = Array.from({ length: 101 }, (_, i) => ({ first_name: 'A', email: `a${i}@x.co` }))
    expect(await crm.ws.post('/contacts/bulk-upsert', { records })).toMatchObject(refused('records'))
    expect((await bulk(records.slice(1))).results).toHaveLength(100)
    expect((await bulk(records.slice(1))).results.every((record: Row) => record.created === false)).toBe(true)
    expect(await crm.count('contacts')).toBe(100)
  })

  test('keep the rules of custom fields, each for itself', async () => {
    await crm.ws.post('/custom-fields', { object: 'contact', key: 'vat', label: 'VAT', type: 'text', unique: true })
    await crm.ws.post('/custom-fields', { object: 'contact', key: 'age', label: 'Age', type: 'number' })
    const { results, errors } = await bulk([
      { first_name: 'A', email: 'a@x.co', metadata: { vat: '1' } },
      { email: 'a@x.co', metadata: { vat: '1', age: 4 } },
      { first_name: 'B', email: 'b@x.co', metadata: { vat: '1' } },
      { first_name: 'C', email: 'c@x.co', metadata: { age: 'old' } },
    ])
    expect(results).toMatchObject([{ metadata: { vat: '1', age: 4 } }, { created: false }])
    expect(errors).toMatchObject([
      { index: 2, error: { code: 'CONFLICT', details: { issues: [{ path: 'metadata.vat' }] } } },
      { index: 3, error: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'metadata.age' }] } } },
    ])
    expect(await upsert({ first_name: 'B', email: 'b@x.co', metadata: { vat: '1' } })).toMatchObject(failed(409, 'CONFLICT'))
  })
})

test('companies are found by external_id, email or phone, and never come to be above themselves', async () => {
  const top = created(await upsert({ name: 'Top', email: 'info@top.co', phone: '02 9374 4000' }, 'companies'))
  const below = created(await upsert({ name: 'Below', external_id: 'b', parent_company_id: top.id }, 'customers'))
  expect(await changed({ phone: '+61293744000', industry: 'Construction' }, 'companies')).toMatchObject({
    id: top.id,
    name: 'Top',
    industry: 'Construction',
  })
  expect(await upsert({ email: 'info@top.co', parent_company_id: below.id }, 'companies')).toMatchObject(refused('parent_company_id'))
  const { results, errors } = found(
    await crm.ws.post('/companies/bulk-upsert', {
      records: [
        { external_id: 'b', parent_company_id: null },
        { name: 'X', external_id: 'x' },
        { email: 'info@top.co', parent_company_id: below.id },
        { email: 'new@x.co', assigned_to: nobody, name: 'N' },
      ],
    }),
  )
  expect(results).toMatchObject([{ id: below.id, parent_company_id: null }, { created: true }])
  expect(errors).toMatchObject([
    { index: 2, id: top.id, error: { details: { issues: [{ path: 'parent_company_id' }] } } },
    { index: 3, error: { details: { issues: [{ path: 'assigned_to' }] } } },
  ])
  expect(await changed({ email: 'info@top.co', parent_company_id: below.id }, 'companies')).toMatchObject({
    id: top.id,
    parent_company_id: below.id,
  })
})

test('opportunities are found by external_id; with a stage they are moved', async () => {
  const { stages } = await crm.firstPipeline()
  await crm.offerReasons(['Price'])
  const made = created(await upsert({ name: 'Deal', external_id: 'd1', value: 100, stage_id: stages.Qualified }, 'opportunities'))
  expect(made).toMatchObject({ created: true, stage_id: stages.Qualified, probability: 30 })
  const lost = await upsert({ external_id: 'd1', stage_id: stages.Lost, lost_reasons: ['price', 'weather'] }, 'deals')
  expect(found(lost)).toMatchObject({ id: made.id, created: false, status: 'lost', lost_reasons: ['Price'], value: 100 })
  expect(lost.body._warnings).toMatchObject([{ code: 'UNKNOWN_REASON', field: 'lost_reasons' }])
  expect(await upsert({ name: 'Deal' }, 'opportunities')).toMatchObject(refused('external_id'))
  expect(await upsert({ external_id: 'd2', name: 'Open', closed_at: '2026-01-01' }, 'opportunities')).toMatchObject(refused('closed_at'))
  expect((await crm.events(made.id)).map(({ type }) => type)).toEqual([
    'opportunity.created',
    'opportunity.updated',
    'opportunity.moved',
    'opportunity.lost',
  ])
  const { results } = found(
    await crm.ws.post('/opportunities/bulk-upsert', {
      records: [
        { external_id: 'd1', value: 5 },
        { external_id: 'd3', name: 'Other' },
      ],
    }),
  )
  expect(results).toMatchObject([
    { id: made.id, value: 5, status: 'lost' },
    { created: true, status: 'open' },
  ])
})

test('companies are found by business number, then address, number and web site; several are a conflict with their ids', async () => {
  const number = created(await upsert({ name: 'Number', abn: '51 824 753 556' }, 'companies'))
  const site = created(await upsert({ name: 'Site', website_url: 'https://www.site-example.com/about' }, 'companies'))
  const both = { abn: '51824753556', website_url: 'http://site-example.com' }
  expect(await changed({ ...both, industry: 'Retail' }, 'companies')).toMatchObject({ id: number.id, industry: 'Retail' })
  expect(await upsert({ website_url: 'https://site-example.com/x', city: 'Perth' }, 'companies')).toMatchObject({
    ...failed(409, 'CONFLICT'),
    body: { error: { details: { field: 'website_url', ids: [number.id, site.id] } } },
  })
  const abroad = created(await upsert({ name: 'Abroad', website_url: 'https://www.MÜLLER.de/über' }, 'companies'))
  expect(abroad.website_url).toBe('https://www.xn--mller-kva.de/über')
  for (const website_url of ['http://müller.de', 'https://xn--mller-kva.de/x'])
    expect(await changed({ website_url }, 'companies')).toMatchObject({ id: abroad.id })
  const filter = { field: 'website_url', op: 'eq', value: 'https://MÜLLER.de/x' }
  expect(found(await crm.ws.post('/companies/search', { filter }))).toMatchObject([{ id: abroad.id }])
  const hosted = { name: 'Hosted', website_url: 'https://facebook.com/hosted' }
  expect(await upsert(hosted, 'companies')).toMatchObject(refused('external_id'))
  expect(created(await upsert({ ...hosted, email: 'a@hosted.co' }, 'companies')).created).toBe(true)
})
