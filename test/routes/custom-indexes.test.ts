import { expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from './crm.ts'

/** Indexes of custom fields: which fields have one, and how it is built behind the request. */

const crm = useCrm({ own: true })
const define = async (fields: Row) => created(await crm.ws.post('/custom-fields', { object: 'contact', type: 'number', ...fields }))
const field = async (id: string) => found(await crm.ws.get(`/custom-fields/${id}`)) as Row
/** What is in the index of a field. */
const values = async (id: string) =>
  (await crm.app.owner.query('select number from custom_values where field_id = $1 order by number', [id])).rows.map(({ number }) => number)

test('at most twenty fields of an object are indexed, unique ones among them', async () => {
  const { id: first } = await define({ label: 'F0', unique: true })
  for (let n = 1; n < 20; n++) await define({ label: `F${n}`, indexed: true })
  const { id } = await define({ label: 'One more' })
  const most = failed(409, 'CONFLICT')
  expect(await crm.ws.post('/custom-fields', { object: 'contact', type: 'number', label: 'G', indexed: true })).toMatchObject(most)
  expect(await crm.ws.patch(`/custom-fields/${id}`, { unique: true })).toMatchObject(most)
  expect((await crm.ws.patch(`/custom-fields/${first}`, { indexed: false })).status).toBe(400)
  found(await crm.ws.patch(`/custom-fields/${first}`, { indexed: false, unique: false }))
  expect(found(await crm.ws.patch(`/custom-fields/${id}`, { unique: true }))).toMatchObject({ indexed: true, unique: true })
  await define({ object: 'company', label: 'Another object', indexed: true })
})

test('an index is built in batches in the background, and cron continues when its message was lost', async () => {
  await crm.app.owner.query(
    `insert into contacts (workspace_id, first_name, metadata) select $1, 'x', jsonb_build_object('score', n)
      from generate_series(1, 1200) n`,
    [crm.ws.id],
  )
  const { id, index_status, index_progress } = await define({ label: 'Score', indexed: true })
  expect([index_status, index_progress]).toEqual(['building', 0])
  await crm.app.drain()
  expect(await field(id)).toMatchObject({ index_status: 'ready', index_progress: 1 })
  expect(await values(id)).toHaveLength(1200)

  // As if the message had been lost after the first batch.
  await crm.app.owner.query('delete from custom_values where field_id = $1', [id])
  await crm.app.owner.query(
    `update custom_indexes set status = 'building', cursor = null, done = 0, updated_at = now() - interval '1 minute' where field_id = $1`,
    [id],
  )
  const { rows } = await crm.app.owner.query('select build_custom_index($1, $2, 500) as more', [crm.ws.id, id])
  expect(rows[0].more).toBe(true)
  expect(await field(id)).toMatchObject({ index_status: 'building', index_progress: 0.417 })
  expect(await values(id)).toHaveLength(500)
  await crm.app.owner.query(`update custom_indexes set updated_at = now() - interval '1 minute' where field_id = $1`, [id])
  await crm.app.cron('* * * * *')
  await crm.app.drain()
  expect(await field(id)).toMatchObject({ index_status: 'ready', index_progress: 1 })
  expect(await values(id)).toHaveLength(1200)
})

test('writes beside the build leave the index as the records are', async () => {
  const ids: string[] = []
  for (let n = 0; n < 30; n++) ids.push((await crm.contact({ metadata: { score: n } })).id)
  const [{ id }] = await Promise.all([
    define({ label: 'Score', indexed: true }),
    ...ids.slice(0, 20).map((contact, n) => crm.ws.patch(`/contacts/${contact}`, { metadata: { score: 100 + n } })),
    ...ids.slice(20, 25).map((contact) => crm.ws.delete(`/contacts/${contact}`)),
  ])
  await crm.app.drain()
  expect((await field(id)).index_status).toBe('ready')
  expect(await values(id)).toEqual([25, 26, 27, 28, 29, ...Array.from({ length: 20 }, (_, n) => 100 + n)])
})

test('the values of a field that is deleted or no longer indexed are removed in the background', async () => {
  const { id } = await define({ label: 'Score', indexed: true })
  await crm.contact({ metadata: { score: 1 } })
  found(await crm.ws.patch(`/custom-fields/${id}`, { indexed: false }))
  await crm.app.drain()
  expect([await values(id), (await field(id)).index_status]).toEqual([[], null])
  found(await crm.ws.patch(`/custom-fields/${id}`, { indexed: true }))
  await crm.app.drain()
  expect(await values(id)).toEqual([1])
  found(await crm.ws.delete(`/custom-fields/${id}`))
  await crm.app.drain()
  expect(await values(id)).toEqual([])
})
