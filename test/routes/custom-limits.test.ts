import { expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from './crm.ts'

const crm = useCrm()
const fields = (count: number, more: string, values: string) =>
  crm.app.owner.query(
    `insert into custom_fields (workspace_id, object, field_key, label, type, position${more})
      select $1, 'contact', 'field_' || n, 'Field ' || n, 'text', n${values} from generate_series(1, ${count}) n returning id`,
    [crm.ws.id],
  )
const define = (body: Row) => crm.ws.post('/custom-fields', { object: 'contact', label: 'One more', type: 'text', ...body })
const conflict = failed(409, 'CONFLICT')

test('an object has at most 200 custom fields', async () => {
  const { rows } = await fields(199, '', '')
  const last = created(await define({}))
  expect(await define({ label: 'Too many' })).toMatchObject(conflict)
  created(await define({ object: 'company' }))
  found(await crm.ws.delete(`/custom-fields/${rows[0].id}`))
  const again = created(await define({ label: 'Again' }))
  expect(again.position).toBe(last.position + 1)
  const restore = () => crm.ws.post(`/custom-fields/${rows[0].id}/restore`)
  expect(await restore()).toMatchObject(conflict)
  found(await crm.ws.delete(`/custom-fields/${again.id}`))
  found(await restore())
  expect(await define({ label: 'Too many' })).toMatchObject(conflict)
})

test('an object has at most 200 custom fields also when the settings name them, with those that are archived', async () => {
  const { rows } = await fields(200, ', archived', ', true')
  const named = (key: string) => ({ custom_fields: [{ key, label: 'One more', object: 'contact', type: 'text' }] })
  const send = (key: string) => crm.ws.patch('/company/crm-settings', named(key))
  expect(await send('more')).toMatchObject(conflict)
  found(await send('field_1'))
  found(await crm.ws.delete(`/custom-fields/${rows[1].id}`))
  expect(found(await crm.ws.patch('/company/crm-settings', { custom_fields: [] })).custom_fields).toEqual([])
  found(await send('more'))
})

test('an object has at most 20 custom fields that are indexed, however they come to be', async () => {
  const { rows } = await fields(20, ', indexed', ', true')
  for (const body of [{ indexed: true }, { unique: true }, { type: 'member' }, { type: 'company' }])
    expect(await define(body), JSON.stringify(body)).toMatchObject(conflict)
  const plain = created(await define({}))
  expect(plain.indexed).toBe(false)
  for (const patch of [{ indexed: true }, { unique: true }])
    expect(await crm.ws.patch(`/custom-fields/${plain.id}`, patch)).toMatchObject(conflict)
  found(await crm.ws.patch(`/custom-fields/${rows[0].id}`, { indexed: true, label: 'Renamed' }))
  created(await define({ object: 'company', indexed: true }))
  const { custom_fields } = found(await crm.ws.get('/company/crm-settings')) as Row
  const more = { key: 'manager', label: 'Manager', object: 'contact', type: 'member', required: false, options: [] }
  const replace = (list: Row[]) => crm.ws.patch('/company/crm-settings', { custom_fields: list })
  expect(await replace([...custom_fields, more])).toMatchObject(conflict)
  found(await replace(custom_fields))
  found(await crm.ws.patch(`/custom-fields/${rows[0].id}`, { indexed: false }))
  expect(found(await crm.ws.patch(`/custom-fields/${plain.id}`, { indexed: true })).indexed).toBe(true)
  expect(await define({ label: 'Another', indexed: true })).toMatchObject(conflict)
  found(await crm.ws.delete(`/custom-fields/${rows[1].id}`))
  const another = created(await define({ label: 'Another', indexed: true }))
  const restore = () => crm.ws.post(`/custom-fields/${rows[1].id}/restore`)
  expect(await restore()).toMatchObject(conflict)
  found(await crm.ws.patch(`/custom-fields/${another.id}`, { indexed: false }))
  expect(found(await restore()).indexed).toBe(true)
})
