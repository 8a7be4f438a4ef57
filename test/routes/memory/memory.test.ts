import { expect, test } from 'vitest'
import { created, failed, found, ids, type Row, refused, useCrm } from '../crm.ts'
import { merge } from '../merging.ts'

const crm = useCrm({ own: true })
const path = '/memory'
const [JANUARY, MARCH, MAY] = ['2026-01-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-05-01T00:00:00.000Z']
const remember = async (fields: Row, ws = crm.ws): Promise<Row> => created(await ws.post(path, fields))
const get = async (id: string): Promise<Row> => found(await crm.ws.get(`${path}/${id}`))
const list = async (query: string) => ids(found(await crm.ws.get(`${path}?${query}`)))

test('a memory has a subject, a source and a validity, and is remembered once', async () => {
  const contact = await crm.contact()
  const fields = { text: 'Prefers calls before noon', topic: 'Time for calls', contact_id: contact.id }
  const memory = await remember(fields)
  expect(memory).toMatchObject({ ...fields, customer_id: null, source_type: 'member', source_id: crm.ws.userId, is_current: true })
  expect(memory).toMatchObject({ valid_until: null, superseded_by_id: null, contradicts: [] })
  const again = await crm.ws.post(path, { ...fields, text: 'prefers  CALLS before noon' })
  expect(again).toMatchObject({ status: 200, body: { data: { id: memory.id, version: 1 } } })
  const general = await remember({
    ...fields,
    contact_id: null,
    source_type: 'contact',
    source_id: contact.id,
    valid_until: '2036-01-01T00:00:00Z',
  })
  expect(general).toMatchObject({ contact_id: null, source_type: 'contact', valid_until: '2036-01-01T00:00:00.000Z' })
  expect(await list(`contact_id=${contact.id}`)).toEqual([memory.id])
  expect(await list(`source_id=${contact.id}`)).toEqual([general.id])
  expect(await list('source_type=member')).toEqual([memory.id])
  // What held once is remembered anew when it holds again.
  const past = await remember({ ...fields, topic: 'Season', text: 'Travels', valid_from: JANUARY, valid_until: MARCH })
  expect((await remember({ ...fields, topic: 'Season', text: 'Travels', valid_from: MAY })).id).not.toBe(past.id)
})

test('a later fact about the same question ends the earlier one, in whatever order they are remembered', async () => {
  const contact_id = (await crm.contact()).id
  const at = (text: string, valid_from: string) => remember({ contact_id, topic: 'City', text, valid_from })
  const oslo = await at('Lives in Oslo', JANUARY)
  const rome = await at('Lives in Rome', MAY)
  const bern = await at('Lives in Bern', MARCH)
  expect(bern).toMatchObject({ valid_from: MARCH, valid_until: MAY, superseded_by_id: rome.id, contradicts: [] })
  expect(await get(oslo.id)).toMatchObject({ valid_until: MARCH, superseded_by_id: bern.id, is_current: false })
  expect(await get(rome.id)).toMatchObject({ valid_until: null, superseded_by_id: null, is_current: true })
  const other = await remember({ contact_id, topic: 'Company car', text: 'Drives a van' })
  expect(await list(`contact_id=${contact_id}&is_current=true`)).toEqual([other.id, rome.id])
  expect(await list(`contact_id=${contact_id}&is_current=false`)).toEqual([bern.id, oslo.id])
  const history = found(await crm.ws.get(`${path}/${oslo.id}/history`))
  expect(history.map(({ fields }: Row) => Object.keys(fields)).at(0)).toEqual(expect.arrayContaining(['superseded_by_id', 'valid_until']))
})

test('contradictions that are kept, or that a correction or a merge makes, name each other', async () => {
  const [winner, loser] = [await crm.contact(), await crm.contact()]
  const first = await remember({ contact_id: winner.id, topic: 'Language', text: 'Speaks French' })
  const second = await remember({ contact_id: winner.id, topic: 'LANGUAGE', text: 'Speaks Dutch', on_conflict: 'keep' })
  expect(second.contradicts).toEqual([first.id])
  expect(await get(first.id)).toMatchObject({ contradicts: [second.id], is_current: true })
  const third = await remember({ contact_id: loser.id, topic: 'Language', text: 'Speaks Danish' })
  expect(third.contradicts).toEqual([])
  await merge(crm, 'contacts', winner.id, [loser.id])
  expect(await get(third.id)).toMatchObject({ contact_id: winner.id, contradicts: [second.id, first.id] })
  const settled = found(await crm.ws.patch(`${path}/${third.id}`, { topic: 'Languages' }))
  expect(settled).toMatchObject({ topic: 'Languages', contradicts: [], version: third.version + 2 })
})

test('of two facts that are remembered at once one ends the other', async () => {
  const contact_id = (await crm.contact()).id
  const texts = Array.from({ length: 6 }, (_, at) => `Has ${at} children`)
  await Promise.all(texts.map((text) => remember({ contact_id, topic: 'Children', text })))
  const all = found(await crm.ws.get(`${path}?contact_id=${contact_id}`))
  expect(all.filter(({ is_current }) => is_current)).toHaveLength(1)
  expect(all.every(({ contradicts }) => contradicts.length === 0)).toBe(true)
})

test('a forgotten memory is gone everywhere, and what it had superseded stays superseded', async () => {
  const contact_id = (await crm.contact()).id
  const first = await remember({ contact_id, topic: 'Shoes', text: 'Wears size forty' })
  const key = { 'idempotency-key': crypto.randomUUID() }
  const fields = { contact_id, topic: 'Shoes', text: 'Wears xylophones' }
  const { id } = created(await crm.ws.post(path, fields, key))
  const held = await crm.ws.patch(`${path}/${id}`, { text: 'Wears xylophones at night', require_approval: true })
  expect(found(await crm.ws.delete(`${path}/${id}?dry_run=true`))).toMatchObject({ id })
  expect(found(await crm.ws.post(`${path}/search`, { query: 'xylophones' }))).toMatchObject([{ id }])
  expect(found(await crm.ws.delete(`${path}/${id}`))).toEqual({ id, deleted: true })
  expect(await crm.ws.get(`${path}/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(ids(found(await crm.ws.post(`${path}/search`, { query: 'xylophones', include_former: true })))).not.toContain(id)
  expect(await get(first.id)).toMatchObject({ is_current: false, superseded_by_id: null })
  expect(found(await crm.ws.get(`/approvals/${held.body.approval_id}`))).toMatchObject({ status: 'rejected' })
  const { rows: tables } = await crm.app.owner.query(
    `select c.oid::regclass::text as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
      where c.relkind = 'r'`,
  )
  for (const { name } of tables) {
    const { rows } = await crm.app.owner.query(`select to_jsonb(t)::text as row from ${name} t where t.workspace_id = $1`, [crm.ws.id])
    expect(
      rows.filter(({ row }) => row.includes('xylophones')),
      name,
    ).toEqual([])
  }
})

test('memories go with their subject, come back with it, and are purged with it and with their source', async () => {
  const contact = await crm.contact()
  const customer_id = await crm.company()
  const source = { source_type: 'contact', source_id: contact.id }
  const about = await remember({ contact_id: contact.id, text: 'Plays the zither' })
  const learnt = await remember({ customer_id, text: 'The zither shop moves in May', ...source })
  const other = await remember({ customer_id, text: 'Has a large yard' })
  found(await crm.ws.delete(`/contacts/${contact.id}`))
  expect(await crm.ws.get(`${path}/${about.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(ids(found(await crm.ws.post(`${path}/search`, { query: 'zither' })))).toEqual(expect.not.arrayContaining([about.id]))
  found(await crm.ws.post(`/contacts/${contact.id}/restore`))
  expect(await get(about.id)).toMatchObject({ text: 'Plays the zither' })
  expect(ids(found(await crm.ws.post(`${path}/search`, { query: 'zither' })))).toContain(about.id)
  const answer = found(await crm.ws.delete(`/contacts/${contact.id}?purge=true`))
  expect(answer.purged).toMatchObject({ memory: 2 })
  for (const { id } of [about, learnt]) expect(await crm.ws.get(`${path}/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await list(`customer_id=${customer_id}`)).toEqual([other.id])
  const { rows } = await crm.app.owner.query("select 1 from changes where workspace_id = $1 and fields::text like '%zither%'", [crm.ws.id])
  expect(rows).toEqual([])
})

test('the subject, the source and the validity are checked', async () => {
  const stranger = await crm.app.workspace()
  const theirs = created(await stranger.post('/contacts', { first_name: 'Bo' })).id
  const [contact_id, customer_id] = [(await crm.contact()).id, await crm.company()]
  const text = 'A fact'
  expect(await crm.ws.post(path, { text, contact_id, customer_id })).toMatchObject(refused('customer_id'))
  expect(await crm.ws.post(path, { text, contact_id: theirs })).toMatchObject(refused('contact_id'))
  expect(await crm.ws.post(path, { text, source_type: 'contact', source_id: theirs })).toMatchObject(refused('source_id'))
  expect(await crm.ws.post(path, { text, source_type: 'run' })).toMatchObject(refused('source_id'))
  expect(await crm.ws.post(path, { text, source_type: 'message', source_id: contact_id })).toMatchObject(refused('source_id'))
  expect(await crm.ws.post(path, { text, valid_from: MAY, valid_until: MARCH })).toMatchObject(refused('valid_until'))
  expect(await crm.ws.post(path, { text: ' ' })).toMatchObject(refused('text'))
  expect(await crm.ws.post(path, { text: 'x'.repeat(2_001) })).toMatchObject(refused('text'))
  const { id } = await remember({ text, valid_from: MARCH })
  expect(await crm.ws.patch(`${path}/${id}`, { valid_until: JANUARY })).toMatchObject(refused('valid_until'))
  expect(found(await crm.ws.patch(`${path}/${id}`, { valid_until: MAY }))).toMatchObject({ valid_until: MAY, is_current: false })
})
