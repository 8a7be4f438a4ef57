import { expect, test } from 'vitest'
import { created, found, type Row, useCrm } from './crm.ts'
import { merge, undo } from './merging.ts'

const crm = useCrm({ own: true })
const EVERY_MINUTE = '* * * * *'

const stored = async (id: string): Promise<Row> =>
  (await crm.app.owner.query('select local_zone, version, updated_at from contacts where id = $1', [id])).rows[0]
const zoneOf = async (id: string) => (await stored(id)).local_zone
const shown = async (id: string) => found(await crm.ws.get(`/contacts/${id}/local-time`)).timezone
const settle = async () => {
  await crm.app.cron(EVERY_MINUTE)
  await crm.app.drain()
}
/** Lets the minute pass during which transactions that read the former zone may be open. */
const passMinute = () =>
  crm.app.owner.query("update zone_work set walk_at = now() - interval '1 second', due_at = now() - interval '1 second'")
const move = async (timezone: string) => expect((await crm.ws.patch('/company', { timezone })).status).toBe(200)
const changes = async () =>
  (
    await crm.app.owner.query(
      'select (select count(*) from changes where workspace_id = $1) + (select count(*) from outbox where workspace_id = $1) as n',
      [crm.ws.id],
    )
  ).rows[0].n

test.each([
  [{ timezone: 'Europe/Berlin', state: 'WA', phone: '+64 21 123 4567' }, 'Europe/Berlin'],
  [{ state: 'WA', phone: '+64 21 123 4567' }, 'Australia/Perth'],
  [{ phone: '+64 21 123 4567' }, 'Pacific/Auckland'],
  [{ phone: '+1 212 555 0123' }, 'America/New_York'],
  [{}, 'Australia/Sydney'],
])('a contact with %j is created in %s, on every path', async (fields, zone) => {
  const { id } = await crm.contact(fields)
  const many = found(await crm.ws.post('/contacts/bulk-create', { records: [{ first_name: 'Ben', ...fields }] })).results
  const upserted = created(
    await crm.ws.post('/contacts/upsert', { first_name: 'Cy', external_id: 'c', ...fields, match_on: ['external_id'] }),
  )
  for (const one of [id, many[0].id, upserted.id]) expect([await zoneOf(one), await shown(one)]).toEqual([zone, zone])
})

test('the workspace’s own zone counts, also the first time that it is needed', async () => {
  await move('Africa/Casablanca')
  expect(await zoneOf((await crm.contact()).id)).toBe('Africa/Casablanca')
})

test.each([
  [{ phone: '+64 21 123 4567' }, { state: 'QLD' }, 'Australia/Brisbane'],
  [{ state: 'QLD' }, { phone: '+64 21 123 4567' }, 'Australia/Brisbane'],
  [{ state: 'QLD', phone: '+64 21 123 4567' }, { state: null }, 'Pacific/Auckland'],
  [{ timezone: 'Europe/Berlin', state: 'QLD' }, { timezone: null }, 'Australia/Brisbane'],
  [{ timezone: 'Europe/Berlin' }, { state: 'QLD', phone: '+64 21 123 4567' }, 'Europe/Berlin'],
  [{ state: 'WA' }, { country: 'United States' }, 'America/Los_Angeles'],
  [{ state: 'QLD' }, { timezone: 'Asia/Tokyo' }, 'Asia/Tokyo'],
  [{ country: 'United States' }, { state: 'WA' }, 'America/Los_Angeles'],
])('a contact with %j that gets %j is in %s at once', async (fields, patch, zone) => {
  const [one, two] = [await crm.contact(fields), await crm.contact(fields)]
  expect((await crm.ws.patch(`/contacts/${one.id}`, patch)).status).toBe(200)
  expect((await crm.ws.post('/contacts/bulk-update', { records: [{ id: two.id, ...patch }] })).status).toBe(200)
  for (const { id } of [one, two]) expect([await zoneOf(id), await shown(id)]).toEqual([zone, zone])
})

test('an upsert that cannot know the zone leaves it to the background', async () => {
  const { id } = await crm.contact({ external_id: 'e', state: 'QLD', phone: '+64 21 123 4567' })
  await crm.ws.post('/contacts/upsert', { external_id: 'e', last_name: 'Lee', match_on: ['external_id'] })
  await crm.ws.post('/contacts/upsert', { external_id: 'e', phone: '+1 212 555 0123', match_on: ['external_id'] })
  expect(await zoneOf(id)).toBe('Australia/Brisbane')
  await crm.ws.post('/contacts/upsert', { external_id: 'e', state: null, match_on: ['external_id'] })
  expect(await zoneOf(id)).toBeNull()
  await settle()
  expect(await zoneOf(id)).toBe('America/New_York')
})

test('concurrent updates never leave a zone that only one of them decided', async () => {
  const { id } = await crm.contact()
  await Promise.all([crm.ws.patch(`/contacts/${id}`, { phone: '+64 21 123 4567' }), crm.ws.patch(`/contacts/${id}`, { state: 'QLD' })])
  await settle()
  expect(await zoneOf(id)).toBe('Australia/Brisbane')
})

test('a merge and its undo keep the zones of all', async () => {
  const winner = await crm.contact({ state: 'QLD' })
  const plain = await crm.contact()
  const loser = await crm.contact({ phone: '+64 21 123 4567' })
  const first = await merge(crm, 'contacts', winner.id, [loser.id])
  expect(await zoneOf(winner.id)).toBe('Australia/Brisbane')
  await undo(crm, 'contacts', first.merge_id)
  expect(await zoneOf(loser.id)).toBe('Pacific/Auckland')
  await merge(crm, 'contacts', plain.id, [loser.id])
  await settle()
  expect([await zoneOf(plain.id), await shown(plain.id)]).toEqual(['Pacific/Auckland', 'Pacific/Auckland'])
})

test('when the workspace moves, its contacts follow in the background, without a new version, a change or an event', async () => {
  const follows = await crm.contact()
  const stays = await crm.contact({ state: 'QLD' })
  await move('Asia/Tokyo')
  const before = [await stored(follows.id), await stored(stays.id), await changes()]
  await settle()
  expect(await zoneOf(follows.id)).toBe('Australia/Sydney')
  await passMinute()
  await settle()
  expect([await zoneOf(follows.id), await zoneOf(stays.id)]).toEqual(['Asia/Tokyo', 'Australia/Brisbane'])
  expect([{ ...(await stored(follows.id)), local_zone: 'Australia/Sydney' }, await stored(stays.id), await changes()]).toEqual(before)
  expect((await crm.app.owner.query('select from zone_work where workspace_id = $1', [crm.ws.id])).rowCount).toBe(0)
})

test('many contacts are visited batch by batch, and a message that was lost after the first continues there', async () => {
  await crm.app.owner.query("insert into contacts (workspace_id, first_name) select $1, 'Ana' from generate_series(1, 1200)", [crm.ws.id])
  const open = async () =>
    Number(
      (await crm.app.owner.query('select count(*) from contacts where workspace_id = $1 and local_zone is null', [crm.ws.id])).rows[0]
        .count,
    )
  await crm.app.owner.query('select claim_zone_work(100)')
  const batchOf = async () => (await crm.app.owner.query('select zone_batch($1, 500) as b', [crm.ws.id])).rows[0].b
  const zonesOf = ({ contacts, zone }: Row) =>
    contacts.map(({ id }: Row) => ({ id, local_zone: zone, zone_basis: { timezone: null, state: null, phone: null, workspace: zone } }))
  const first = await batchOf()
  expect(first.contacts).toHaveLength(500)
  await crm.app.owner.query('select save_zone_batch($1, $2, $3, 500)', [crm.ws.id, first, JSON.stringify(zonesOf(first))])
  expect(await open()).toBe(700)
  await passMinute()
  await settle()
  expect(await open()).toBe(0)

  await move('Asia/Tokyo')
  await passMinute()
  const walked = await batchOf()
  await crm.app.owner.query('select save_zone_batch($1, $2, $3, 500)', [crm.ws.id, walked, JSON.stringify(zonesOf(walked))])
  await passMinute()
  await settle()
  const { rows } = await crm.app.owner.query('select distinct local_zone from contacts where workspace_id = $1', [crm.ws.id])
  expect(rows).toEqual([{ local_zone: 'Asia/Tokyo' }])
})

test('a zone decided for a workspace that has moved meanwhile is not stored', async () => {
  await move('Asia/Tokyo')
  const basis = { timezone: null, state: null, phone: null, workspace: 'Australia/Sydney' }
  const { rows } = await crm.app.owner.query(
    "insert into contacts (workspace_id, first_name, local_zone, zone_basis) select $1, 'Ana', 'Australia/Sydney', $2 returning local_zone",
    [crm.ws.id, basis],
  )
  expect(rows).toEqual([{ local_zone: null }])
})
