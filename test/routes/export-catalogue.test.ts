import { expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from './crm.ts'

const crm = useCrm()
const PATH = '/exports/field-catalog?root_entity='
const names = (rows: Row[], key: string) => rows.map((row) => row[key])

/** A key with only exports:read, whose owner has a role with these scopes. */
async function ofRole(...scopes: string[]) {
  const role = created(await crm.ws.post('/roles', { name: 'Exporter', scopes: ['exports:read', ...scopes] }))
  const member = await crm.ws.key({ scopes: ['exports:read'] })
  found(await crm.ws.patch(`/company/users/${member.userId}/workspace-user-roles`, { role: role.key }))
  return member
}

test('every column of the catalogue is accepted by the export of its root entity', async () => {
  created(await crm.ws.post('/custom-fields', { object: 'contact', key: 'tier', label: 'Tier', type: 'text' }))
  for (const root of ['contacts', 'companies', 'opportunities', 'tasks', 'activities']) {
    const catalogue = found(await crm.ws.get(PATH + root)) as Row
    // Columns of related records are for templates; export-template-runs.test.ts runs them.
    const own = catalogue.column_fields.filter(
      ({ path, aggregates }: Row) => !aggregates && (!path.includes('.') || path.startsWith('metadata.')),
    )
    const fields = names(own, 'path')
    const file = await crm.app.fetch(`/v1/${root}/export?bom=false&fields=${fields.join(',')}`, {
      headers: { authorization: `Bearer ${crm.ws.apiKey}` },
    })
    expect([root, file.status, (await file.text()).split('\r\n')[0]]).toEqual([root, 200, fields.join(',')])
  }
})

test('the catalogue has the operators of each type, and custom fields', async () => {
  created(await crm.ws.post('/custom-fields', { object: 'contact', key: 'tier', label: 'Tier', type: 'text' }))
  const catalogue = found(await crm.ws.get(`${PATH}contacts`)) as Row
  const tags = catalogue.filter_fields.find(({ field }: Row) => field === 'tags')
  expect(Object.keys(tags.operators)).toEqual(expect.arrayContaining(['in', 'not_in', 'not_contains']))
  expect(catalogue.filter_fields).toContainEqual(expect.objectContaining({ field: 'metadata.tier', label: 'Tier', kind: 'text' }))
  expect(catalogue.column_fields).toContainEqual({ path: 'metadata.tier', label: 'Tier', type: 'text', custom: true, aggregates: null })
  expect(catalogue.column_fields).toContainEqual({ path: 'created_at', label: null, type: 'instant', custom: false, aggregates: null })
})

test('exports:read suffices on the key, and the role of its owner decides what is in the catalogue', async () => {
  const all = await ofRole('*:read')
  const full = found(await all.get(`${PATH}contacts`)) as Row
  expect(names(full.relations, 'relation')).toContain('opportunities')
  expect(names(full.column_fields, 'path')).toContain('company')
  expect(names(full.filter_fields, 'field')).toEqual(expect.arrayContaining(['list', 'last_activity_at']))
})

test('what the role may not read is not in the catalogue', async () => {
  const some = await ofRole('contacts:read', 'tasks:read')
  const part = found(await some.get(`${PATH}contacts`)) as Row
  expect(names(part.relations, 'relation')).toEqual(['tasks'])
  expect(names(part.column_fields, 'path').filter((path) => /^(company|companies|opportunities|activities)/.test(path))).toEqual([])
  expect(part.column_fields).toContainEqual({
    path: 'tasks.title',
    label: null,
    type: 'text',
    custom: false,
    aggregates: ['first', 'last', 'list'],
  })
  const fields = names(part.filter_fields, 'field')
  expect([fields.includes('city'), fields.includes('list'), fields.includes('last_activity_at')]).toEqual([true, false, false])
  expect(await some.get(`${PATH}companies`)).toMatchObject(failed(403, 'FORBIDDEN'))
})

test('other root entities and keys without the scope are refused', async () => {
  expect(await crm.ws.get(`${PATH}pets`)).toMatchObject(failed(400, 'VALIDATION_ERROR'))
  expect(await crm.ws.get('/exports/field-catalog')).toMatchObject(failed(400, 'VALIDATION_ERROR'))
  const other = await crm.ws.key({ scopes: ['contacts:read'] })
  expect(await other.get(`${PATH}contacts`)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
})
