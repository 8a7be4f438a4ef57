import { beforeEach, expect, test } from 'vitest'
import { created, failed, found, held, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm({ own: true })

let stages: Record<string, string>
beforeEach(async () => {
  stages = (await crm.firstPipeline()).stages
})
const settings = '/company/crm-settings'
const offer = async (fields: Row) => found(await crm.ws.patch(settings, fields))
const listed = async (list: string) => found(await crm.ws.get(settings))[list]
const id = async (answer: Promise<Row>) => (await answer).id as string

/** Each list: its path, a record that has a word of it, and where the word is in that record. */
const LISTS: Record<
  string,
  { path: string; make: (word: string) => Promise<string>; read: (id: string) => Promise<unknown>; entity: string }
> = {
  lost_reasons: {
    path: `${settings}/lost-reasons`,
    make: (word) => id(crm.opportunity({ stage_id: stages.Lost, lost_reasons: ['Kept', word] })),
    read: async (id) => found(await crm.ws.get(`/opportunities/${id}`)).lost_reasons[1],
    entity: 'opportunity',
  },
  won_reasons: {
    path: `${settings}/won-reasons`,
    make: (word) => id(crm.opportunity({ stage_id: stages.Won, won_reasons: ['Kept', word] })),
    read: async (id) => found(await crm.ws.get(`/opportunities/${id}`)).won_reasons[1],
    entity: 'opportunity',
  },
  opportunity_types: {
    path: `${settings}/opportunity-types`,
    make: (word) => id(crm.opportunity({ opportunity_type: word })),
    read: async (id) => found(await crm.ws.get(`/opportunities/${id}`)).opportunity_type,
    entity: 'opportunity',
  },
  account_types: {
    path: `${settings}/account-types`,
    make: async (word) => created(await crm.ws.post('/companies', { name: 'Acme', account_type: word })).id,
    read: async (id) => found(await crm.ws.get(`/companies/${id}`)).account_type,
    entity: 'company',
  },
  contact_types: {
    path: `${settings}/contact-types`,
    make: (word) => id(crm.contact({ contact_type: word })),
    read: async (id) => found(await crm.ws.get(`/contacts/${id}`)).contact_type,
    entity: 'contact',
  },
}
const names = Object.keys(LISTS)

test.each(names)('%s: a rename changes the list and every record that has the word, with its history', async (list) => {
  const { path, make, read, entity } = LISTS[list]!
  await offer({ [list]: ['Kept', 'Old', 'Last'] })
  const [one, two, other] = [await make('Old'), await make('Old'), await make('Last')]
  const answer = await crm.ws.post(`${path}/rename`, { from: ' old ', to: 'New' })
  expect(found(answer)).toEqual({ name: 'New', changed: 2, more: false, version: 3 })
  expect(answer.headers.get('etag')).toBe('"3"')
  expect(await listed(list)).toEqual(['Kept', 'New', 'Last'])
  expect([await read(one), await read(two), await read(other)]).toEqual(['New', 'New', 'Last'])
  expect((await crm.events(one)).map(({ type }) => type).slice(-1)).toEqual([`${entity}.updated`])
  const [change] = found(await crm.ws.get(`/requests/${answer.headers.get('x-request-id')}/changes`)).filter(
    ({ entity_id }) => entity_id === one,
  )
  expect(change).toMatchObject({ entity, action: 'updated', user_id: crm.ws.userId, key_id: crm.ws.keyId })
})

test.each(names)('%s: an option in use is reported with its count, and can be deleted with a replacement', async (list) => {
  const { path, make, read } = LISTS[list]!
  await offer({ [list]: ['Kept', 'Old', 'Other', 'Unused'] })
  const record = await make('Old')
  await make('Other')
  await make('Old')
  expect(found(await crm.ws.get(`${path}/usage`)).filter(({ name }) => name !== 'Kept')).toEqual([
    { name: 'Old', count: 2, more: false },
    { name: 'Other', count: 1, more: false },
    { name: 'Unused', count: 0, more: false },
  ])
  expect(await crm.ws.delete(`${path}/old`)).toMatchObject({
    status: 409,
    body: { error: { code: 'CONFLICT', message: expect.stringContaining('replace_with'), details: { count: 2, more: false } } },
  })
  for (const wrong of ['OLD', 'Nothing'])
    expect(await crm.ws.delete(`${path}/Old?replace_with=${wrong}`)).toMatchObject(refused('replace_with'))
  expect(found(await crm.ws.delete(`${path}/old?replace_with=OTHER`))).toMatchObject({
    name: 'Old',
    deleted: true,
    changed: 2,
    more: false,
  })
  expect(await read(record), 'as the list spells it').toBe('Other')
  expect(found(await crm.ws.delete(`${path}/unused`))).toMatchObject({ name: 'Unused', deleted: true, changed: 0 })
  expect(await listed(list)).toEqual(['Kept', 'Other'])
  expect(await crm.ws.delete(`${path}/Old`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('a rename, and a deletion with a replacement, name what still has the old word', async () => {
  await offer({ contact_types: ['Customer', 'Client', 'Buyer'] })
  const filter = { field: 'contact_type', op: 'in', value: ['client'] }
  const { id: list } = created(await crm.ws.post('/lists', { name: 'Clients', object: 'contacts', kind: 'live', filter }))
  const trigger = { type: 'field_changed', record: 'contact', field: 'contact_type', to: 'Client' }
  const { id: queue } = created(await crm.ws.post('/auto-queues', { name: 'Leads', exits: [trigger] }))
  const named_by = [
    { type: 'auto_queue', id: queue, name: 'Leads' },
    { type: 'list', id: list, name: 'Clients' },
  ]
  const warnings = (field: string) => [{ code: 'STILL_NAMED', field, details: { named_by } }]
  const { path } = LISTS.contact_types!
  const renamed = await crm.ws.post(`${path}/rename`, { from: 'Client', to: 'Partner' })
  expect(renamed.body).toMatchObject({ data: { name: 'Partner' }, _warnings: warnings('from') })
  await offer({ contact_types: ['Customer', 'Client', 'Buyer'] })
  const replaced = await crm.ws.delete(`${path}/Client?replace_with=Customer`)
  expect(replaced.body).toMatchObject({ data: { deleted: true }, _warnings: warnings('replace_with') })
  expect((await crm.ws.delete(`${path}/Buyer?replace_with=Customer`)).body._warnings).toBeUndefined()
})

test('a rename never makes two words one, but may spell one anew', async () => {
  const { path, make, read } = LISTS.lost_reasons!
  await offer({ lost_reasons: ['Kept', 'price', 'Timing'] })
  const record = await make('price')
  expect(await crm.ws.post(`${path}/rename`, { from: 'price', to: ' TIMING ' })).toMatchObject(failed(409, 'CONFLICT'))
  expect(await crm.ws.post(`${path}/rename`, { from: 'Weather', to: 'Rain' })).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await crm.ws.post(`${path}/rename`, { from: 'price', to: 'price' })).toMatchObject(refused('to'))
  expect(await crm.ws.post(`${path}/rename`, { from: 'price' })).toMatchObject(refused('to'))
  expect(found(await crm.ws.post(`${path}/rename`, { from: 'price', to: 'Price' }))).toMatchObject({ changed: 1, more: false })
  expect(await read(record)).toBe('Price')
  expect(await listed('lost_reasons')).toEqual(['Kept', 'Price', 'Timing'])
})

test('a record that has both reasons has the one that stays once', async () => {
  await offer({ lost_reasons: ['Price', 'Cost', 'Timing'] })
  const { id } = await crm.opportunity({ stage_id: stages.Lost, lost_reasons: ['Cost', 'Timing', 'Price'] })
  found(await crm.ws.delete(`${LISTS.lost_reasons!.path}/Cost?replace_with=Price`))
  expect(found(await crm.ws.get(`/opportunities/${id}`)).lost_reasons).toEqual(['Price', 'Timing'])
})

test('what the list lost while records kept it can be put right', async () => {
  const { path, make, read } = LISTS.contact_types!
  await offer({ contact_types: ['Customer'] })
  const record = await make('Client')
  expect(await crm.ws.post(`${path}/rename`, { from: 'Client', to: 'Buyer' })).toMatchObject(refused('to'))
  expect(found(await crm.ws.post(`${path}/rename`, { from: 'Client', to: 'Customer' }))).toMatchObject({ changed: 1 })
  expect(await read(record)).toBe('Customer')
  expect(await listed('contact_types')).toEqual(['Customer'])
})

test('of more records than one call changes the rest follow when it is called again', async () => {
  const { path } = LISTS.contact_types!
  await offer({ contact_types: ['Old', 'Other'] })
  // Sessions whose first statements were small ones, and whose plans were made for these.
  const { id } = await crm.contact()
  for (let turn = 0; turn < 12; turn++) found(await crm.ws.patch(`/contacts/${id}`, { first_name: `Ana ${turn}` }))
  await crm.app.owner.query(
    "insert into contacts (workspace_id, first_name, contact_type) select $1, 'C' || i, 'Old' from generate_series(1, 2010) i",
    [crm.ws.id],
  )
  expect(found(await crm.ws.get(`${path}/usage`))[0]).toEqual({ name: 'Old', count: 1000, more: true })
  expect(await crm.ws.delete(`${path}/Old`)).toMatchObject({ body: { error: { details: { count: 1000, more: true } } } })
  expect(found(await crm.ws.post(`${path}/rename`, { from: 'Old', to: 'New' }))).toMatchObject({ changed: 2000, more: true })
  expect(await listed('contact_types')).toEqual(['New', 'Other'])
  expect(found(await crm.ws.post(`${path}/rename`, { from: 'Old', to: 'New' }))).toMatchObject({ changed: 10, more: false })
  expect(found(await crm.ws.delete(`${path}/New?replace_with=Other`))).toMatchObject({ deleted: false, changed: 2000, more: true })
  expect(await listed('contact_types'), 'it stays until nothing has it').toEqual(['New', 'Other'])
  expect(found(await crm.ws.delete(`${path}/New?replace_with=Other`))).toMatchObject({ deleted: true, changed: 10, more: false })
})

test('a database that is too slow to change them all changes some, instead of being given up', async () => {
  const { path } = LISTS.contact_types!
  await offer({ contact_types: ['Old', 'Other'] })
  await crm.app.owner.query(
    "insert into contacts (workspace_id, first_name, contact_type) select $1, 'C' || i, 'Old' from generate_series(1, 510) i",
    [crm.ws.id],
  )
  await crm.app.owner.query(`create function delay() returns trigger language plpgsql as
      $$ begin perform pg_sleep(8.1) where set_config('test.updates', current_setting('test.updates', true) || '+', true) = '+';
        return null; end $$;
    create trigger delay before update on contacts for each statement execute function delay()`)
  try {
    expect(found(await crm.ws.post(`${path}/rename`, { from: 'Old', to: 'New' }))).toMatchObject({ changed: 500, more: true })
  } finally {
    await crm.app.owner.query('drop trigger delay on contacts; drop function delay')
  }
  expect(found(await crm.ws.post(`${path}/rename`, { from: 'Old', to: 'New' }))).toMatchObject({ changed: 10, more: false })
})

const palette = '/company/settings/tag-palette'
test('a tag is renamed, counted and replaced in the palette and on opportunities', async () => {
  found(
    await crm.ws.patch(palette, [
      { name: 'VIP', color: '#111111' },
      { name: 'Key', color: '#222222' },
      { name: 'Idle', color: '#333333' },
    ]),
  )
  const tags = async (id: string) => found(await crm.ws.get(`/opportunities/${id}`)).tags
  const one = (await crm.opportunity({ tags: [{ name: 'vip', color: '#999999' }, { name: 'Own' }] })).id
  const both = (await crm.opportunity({ tags: [{ name: 'VIP' }, { name: 'Key' }] })).id
  expect(found(await crm.ws.get(`${palette}/usage`)).map(({ name, count }) => [name, count])).toEqual([
    ['VIP', 2],
    ['Key', 1],
    ['Idle', 0],
  ])
  expect(found(await crm.ws.post(`${palette}/rename`, { from: 'vip', to: 'Top' }))).toMatchObject({ name: 'Top', changed: 2, more: false })
  expect(await tags(one)).toEqual([
    { name: 'Top', color: '#999999' },
    { name: 'Own', color: null },
  ])
  expect(found(await crm.ws.get(palette))).toEqual([
    { name: 'Top', color: '#111111' },
    { name: 'Key', color: '#222222' },
    { name: 'Idle', color: '#333333' },
  ])
  expect(await crm.ws.delete(`${palette}/Top`)).toMatchObject({ status: 409, body: { error: { details: { count: 2 } } } })
  expect(found(await crm.ws.delete(`${palette}/Top?replace_with=key`))).toMatchObject({ deleted: true, changed: 2 })
  expect((await tags(both)).map(({ name }: Row) => name)).toEqual(['Key'])
  expect((await tags(one)).map(({ name }: Row) => name)).toEqual(['Key', 'Own'])
  expect(found(await crm.ws.get(palette)).map(({ name }) => name)).toEqual(['Key', 'Idle'])
})

test('a dry run, an approval, a version and a replay work as everywhere', async () => {
  const { path, make, read } = LISTS.contact_types!
  await offer({ contact_types: ['Old'] })
  const record = await make('Old')
  const body = { from: 'Old', to: 'New' }
  const dry = await crm.ws.post(`${path}/rename?dry_run=true`, body)
  expect(dry.body).toMatchObject({
    data: { changed: 1 },
    dry_run: { changes: [{ entity: 'crm_settings' }, { entity: 'contact', entity_id: record }] },
  })
  expect(await read(record)).toBe('Old')
  expect(await crm.ws.post(`${path}/rename`, body, { 'if-match': '"9"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
  expect(await crm.ws.post(`${path}/rename`, { ...body, require_approval: true })).toMatchObject(held)
  const first = await crm.ws.post(`${path}/rename`, body, { 'idempotency-key': 'once' })
  const again = await crm.ws.post(`${path}/rename`, body, { 'idempotency-key': 'once' })
  expect(again.body).toEqual(first.body)
  const reader = await crm.ws.key({ scopes: ['company:read'] })
  found(await reader.get(`${path}/usage`))
  expect(await reader.post(`${path}/rename`, body)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
})

test('another workspace’s words and records are left alone', async () => {
  const { path, make } = LISTS.contact_types!
  await offer({ contact_types: ['Same'] })
  await make('Same')
  const other = await crm.app.workspace()
  found(await other.patch(settings, { contact_types: ['Same'] }))
  expect(found(await other.get(`${path}/usage`))).toEqual([{ name: 'Same', count: 0, more: false }])
  expect(found(await other.post(`${path}/rename`, { from: 'Same', to: 'Theirs' }))).toMatchObject({ changed: 0 })
  expect(found(await crm.ws.get(`${path}/usage`))).toEqual([{ name: 'Same', count: 1, more: false }])
})
