import { expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()
const T = '/exports/templates'
const columns = (...paths: string[]) => paths.map((path) => ({ path }))
const template = async (fields: Row = {}) =>
  created(
    await crm.ws.post(T, { name: 'Customers', root_entity: 'contacts', columns: columns('first_name', 'company.name'), ...fields }),
  ) as Row

test('a template is created, read, listed, changed, deleted and restored', async () => {
  const made = await template({ filters: { field: 'tags', op: 'not_contains', value: ['Old'] }, sort: 'name', format: 'csv' })
  expect(made).toMatchObject({
    columns: [
      { path: 'first_name', label: null },
      { path: 'company.name', label: null },
    ],
    filters: { field: 'tags', op: 'not_contains', value: ['Old'] },
    sort: 'name',
    format: 'csv',
    version: 1,
  })
  await template({ name: 'Tasks', root_entity: 'tasks', columns: columns('title') })
  expect(found(await crm.ws.get(`${T}?root_entity=contacts`))).toEqual([made])
  const changed = found(await crm.ws.patch(`${T}/${made.id}`, { name: 'People', sort: null, columns: columns('last_name') })) as Row
  expect(changed).toMatchObject({ name: 'People', sort: null, columns: [{ path: 'last_name', label: null }], version: 2 })
  const view = created(await crm.ws.post(`${T}/${made.id}/views`, { name: 'Mine' }))
  found(await crm.ws.delete(`${T}/${made.id}`))
  expect(await crm.ws.get(`${T}/${made.id}/views`)).toMatchObject(failed(404, 'NOT_FOUND'))
  const { rows } = await crm.app.owner.query('select from export_views where workspace_id = $1', [crm.ws.id])
  expect(rows, 'its views are deleted with it').toHaveLength(0)
  found(await crm.ws.post(`${T}/${made.id}/restore`, {}))
  expect(found(await crm.ws.get(`${T}/${made.id}/views`))).toEqual([{ ...view, version: 3, updated_at: expect.any(String) }])
})

test('a template that names what is not there is refused, with its place', async () => {
  const create = (fields: Row) => crm.ws.post(T, { name: 'X', root_entity: 'contacts', columns: columns('first_name'), ...fields })
  const bad: [Row, string, RegExp][] = [
    [{ columns: columns(...Array.from({ length: 201 }, () => 'city')) }, 'columns', /at most 200 columns/],
    [{ columns: [] }, 'columns', /at least one/],
    [{ columns: columns('first_name', 'zork') }, 'columns.1.path', /no field zork: GET/],
    [{ columns: columns('metadata.zork') }, 'columns.0.path', /no custom field/],
    [{ columns: columns('company.parent.parent.name') }, 'columns.0.path', /cyclic/],
    [{ columns: columns('opportunities.company.name') }, 'columns.0.path', /cyclic/],
    [{ columns: columns('opportunities.value') }, 'columns.0.path', /must end with one of: .sum/],
    [{ columns: columns('opportunities.name.sum') }, 'columns.0.path', /must end with one of: .first/],
    [{ columns: columns('opportunities') }, 'columns.0.path', /end the path with .count/],
    [{ columns: columns('company') && columns('pets.name') }, 'columns.0.path', /no relation pets/],
    [{ filters: { field: 'city', op: 'before', value: '2026-01-01' } }, 'filters.op', /must be one of: eq/],
    [{ filters: { field: 'zork', op: 'eq', value: '1' } }, 'filters.field', /field of contacts/],
    [{ filters: { field: 'metadata.zork', op: 'eq', value: '1' } }, 'filters.field', /custom field/],
    [{ sort: 'zork' }, 'sort', /must be one of/],
  ]
  for (const [fields, path, message] of bad) {
    const answer = await create(fields)
    expect([fields, answer]).toMatchObject([fields, refused(path)])
    expect(JSON.stringify(answer.body)).toMatch(message)
  }
  const made = await template()
  expect(await crm.ws.patch(`${T}/${made.id}`, { columns: columns('zork') })).toMatchObject(refused('columns.0.path'))
  expect(await crm.ws.post(`${T}/${made.id}/views`, { name: 'X', sort: 'due_at' })).toMatchObject(refused('sort'))
})

test('a view belongs to the owner of its key, and is nothing to others', async () => {
  const { id } = await template()
  const other = await crm.ws.key({ scopes: ['exports:read', 'exports:write', 'exports:delete'] })
  const view = created(await crm.ws.post(`${T}/${id}/views`, { name: 'Mine', columns: columns('city') })) as Row
  expect(view).toMatchObject({ name: 'Mine', template_id: id, columns: [{ path: 'city', label: null }], filters: null, sort: null })
  expect(found(await other.get(`${T}/${id}/views`))).toEqual([])
  for (const answer of [
    await other.get(`${T}/${id}/views/${view.id}`),
    await other.patch(`${T}/${id}/views/${view.id}`, { name: 'Theirs' }),
    await other.delete(`${T}/${id}/views/${view.id}`),
  ])
    expect(answer).toMatchObject(failed(404, 'NOT_FOUND'))
  const theirs = created(await other.post(`${T}/${id}/views`, { name: 'Theirs' })) as Row
  const auditor = await crm.ws.key({ scopes: ['*:read'] })
  const events = found(await auditor.get('/events?limit=100')) as Row[]
  expect(
    events.filter(({ entity }) => entity === 'export_view'),
    'nor are its events',
  ).toEqual([])
  found(await crm.ws.patch(`${T}/${id}/views/${view.id}`, { name: 'Still mine' }))
  found(await crm.ws.delete(`${T}/${id}/views/${view.id}`))
  expect(await other.post(`${T}/${id}/views/${view.id}/restore`, {})).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await crm.ws.post(`${T}/${id}/views/${view.id}/restore`, {}))).toMatchObject({ name: 'Still mine' })
  // When a template is restored by one member, the views of all come back to their owners.
  found(await crm.ws.delete(`${T}/${id}`))
  found(await crm.ws.post(`${T}/${id}/restore`, {}))
  expect(found(await other.get(`${T}/${id}/views`))).toEqual([{ ...theirs, version: 3, updated_at: expect.any(String) }])
})

test('scopes are those of exports', async () => {
  const { id } = await template()
  const reader = await crm.ws.key({ scopes: ['exports:read'] })
  expect(await reader.post(T, { name: 'X', root_entity: 'contacts', columns: columns('id') })).toMatchObject(
    failed(403, 'INSUFFICIENT_SCOPE'),
  )
  expect(await reader.delete(`${T}/${id}`)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  expect(found(await reader.get(`${T}/${id}`))).toMatchObject({ id })
})
