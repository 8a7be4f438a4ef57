import { describe, expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'
import { columns, TEMPLATES as T, useTemplates } from './exporting.ts'

const crm = useCrm()
const { template, preview, run, csv } = useTemplates(crm)
type Level = 'execute' | 'approval' | 'read_only'
/** A key with only exports:read, whose owner has a role with these scopes. */
async function ofRole(level: Level, ...scopes: string[]) {
  const role = created(await crm.ws.post('/roles', { name: `Exporter ${level}`, scopes: ['exports:read', ...scopes] }))
  const member = await crm.ws.key({ scopes: ['exports:read'], level })
  found(await crm.ws.patch(`/company/users/${member.userId}/workspace-user-roles`, { role: role.key }))
  return member
}

test('a preview has the first ten rows, and what the body overrides', async () => {
  for (let n = 0; n < 12; n++) await crm.contact({ first_name: `P${n}`, city: n % 2 ? 'Newcastle' : 'Sydney' })
  const { id } = await template(['first_name', 'city'])
  const first = await preview(id)
  expect(first.headers).toEqual(['first_name', 'city'])
  expect(first.rows).toEqual(Array.from({ length: 10 }, (_, n) => [`P${n}`, n % 2 ? 'Newcastle' : 'Sydney']))
  const overrides = { columns: [{ path: 'city', label: 'Town' }], filters: { field: 'first_name', op: 'eq', value: 'P11' } }
  expect(await preview(id, overrides)).toEqual({ headers: ['Town'], rows: [['Newcastle']] })
  expect((await preview(id, { sort: '-created_at' })).rows[0]).toEqual(['P11', 'Newcastle'])
  expect(await crm.ws.post(`${T}/${id}/preview`, { columns: columns('zork') })).toMatchObject(refused('columns.0.path'))
  for (const name of ['run', 'preview'])
    expect(await crm.ws.post(`${T}/${id}/${name}`, { filters: { field: 'metadata.zork', op: 'eq', value: 'x' } })).toMatchObject(
      refused('filters.field'),
    )
})

test('a saved view replaces what it has, the body replaces that, and another member has no such view', async () => {
  await crm.contact({ first_name: 'Ana', city: 'Newcastle' })
  await crm.contact({ first_name: 'Bo', city: 'Sydney' })
  const { id } = await template(['first_name'])
  const view = created(
    await crm.ws.post(`${T}/${id}/views`, { name: 'Newcastle', filters: { field: 'city', op: 'eq', value: 'newcastle' } }),
  ) as Row
  expect(await csv(id)).toEqual(['first_name', 'Ana', 'Bo'])
  expect(await csv(id, { view_id: view.id })).toEqual(['first_name', 'Ana'])
  expect(await csv(id, { view_id: view.id, columns: columns('city') })).toEqual(['city', 'Newcastle'])
  const other = await crm.ws.key({ scopes: ['exports:read'] })
  for (const path of ['preview', 'run'])
    expect(await other.post(`${T}/${id}/${path}`, { view_id: view.id })).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('tags are filtered by in, not_in and not_contains', async () => {
  await crm.contact({ first_name: 'Both', tags: [{ name: 'VIP' }, { name: 'Old' }] })
  await crm.contact({ first_name: 'Vip', tags: [{ name: 'VIP' }] })
  await crm.contact({ first_name: 'None' })
  const { id } = await template(['first_name'])
  const names = async (op: string, ...value: string[]) => (await csv(id, { filters: { field: 'tags', op, value } })).slice(1)
  expect(await names('in', 'vip', 'old')).toEqual(['Both', 'Vip'])
  expect(await names('not_in', 'Old')).toEqual(['Vip', 'None'])
  expect(await names('not_contains', 'Old')).toEqual(['Vip', 'None'])
})

test('related columns show one record or aggregate several, and never multiply rows', async () => {
  const parent = await crm.company('Group')
  const company = await crm.company('Acme')
  found(await crm.ws.patch(`/companies/${company}`, { parent_company_id: parent, industry: 'Building' }))
  const ana = await crm.contact({ first_name: 'Ana', last_name: 'Lee', customer_id: company })
  const bo = await crm.contact({ first_name: 'Bo' })
  for (const [name, value] of [
    ['Roof', 100.5],
    ['Deck', 50.25],
    ['Gate', 1],
  ] as const) {
    const deal = await crm.opportunity({ name, value, customer_id: company })
    found(await crm.ws.post(`/opportunities/${deal.id}/contacts`, { contact_id: ana.id }))
    if (name === 'Gate') found(await crm.ws.patch(`/opportunities/${deal.id}`, { archived: true }))
  }
  created(await crm.ws.post('/activities', { activity_type: 'note', subject: 'Both', contact_ids: [bo.id, ana.id] }))
  const paths = ['name', 'company', 'company.industry', 'company.parent.name', 'owner', 'opportunities.count', 'opportunities.value.sum']
  const many = [
    'opportunities.name.first',
    'opportunities.name.last',
    'opportunities.name.list',
    'activities.count',
    'activities.subject.list',
  ]
  const { id } = await template([...paths, ...many])
  const { rows } = await preview(id)
  expect(rows).toEqual([
    ['Ana Lee', 'Acme', 'Building', 'Group', null, 2, 150.75, 'Roof', 'Deck', 'Roof; Deck', 1, 'Both'],
    ['Bo', null, null, null, null, 0, null, null, null, null, 1, 'Both'],
  ])
  const deals = await template(['name', 'contact', 'contacts.name.list', 'stage', 'pipeline', 'line_items', 'weighted_value'], {
    root_entity: 'opportunities',
  })
  expect((await preview(deals.id)).rows[0]).toEqual(['Roof', 'Ana Lee', 'Ana Lee', 'New', 'Sales pipeline', null, expect.any(Number)])
  const notes = await template(['subject', 'contact.name', 'contacts.name.list'], { root_entity: 'activities' })
  expect((await preview(notes.id, { filters: { field: 'activity_type', op: 'eq', value: 'note' } })).rows).toEqual([
    ['Both', 'Bo', expect.stringMatching(/Ana Lee/)],
  ])
})

test('a sum of amounts in several currencies is empty rather than wrong', async () => {
  const ana = await crm.contact({ first_name: 'Ana' })
  for (const currency of ['AUD', 'USD']) {
    const deal = await crm.opportunity({ name: currency, value: 10, currency })
    found(await crm.ws.post(`/opportunities/${deal.id}/contacts`, { contact_id: ana.id }))
  }
  const { id } = await template(['opportunities.value.sum', 'opportunities.currency.list'])
  expect((await preview(id)).rows).toEqual([[null, 'AUD; USD']])
})

test('a CSV file is safe in a spreadsheet, and one column of nothing has lines', async () => {
  await crm.contact({ first_name: '=1+1', notes: 'a,"b"' })
  const { id } = await template(['first_name', 'notes', 'created_at'])
  const [, line] = await csv(id)
  expect(line).toMatch(/^'=1\+1,"a,""b""",\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(await csv(id, { columns: columns('last_name') })).toEqual(['last_name', '""'])
})

describe('rights', () => {
  test('exports:read suffices on a key of any level, and the role bounds what is in the file', async () => {
    await crm.contact({ first_name: 'Ana', customer_id: await crm.company('Acme') })
    const { id } = await template(['first_name', 'company.name', 'opportunities.count'])
    for (const level of ['approval', 'read_only'] as const) {
      const all = await ofRole(level, '*:read')
      expect((found(await all.post(`${T}/${id}/preview`, {})) as Row).rows).toEqual([['Ana', 'Acme', 0]])
      expect((await run(id, {}, all)).status).toBe(200)
    }
  })

  test('a template that names what the role may not read is refused, naming the columns', async () => {
    await crm.contact({ first_name: 'Ana' })
    const { id } = await template(['first_name', 'company.name', 'opportunities.count', 'tasks.count'])
    const some = await ofRole('execute', 'contacts:read', 'tasks:read')
    const refusal = await some.post(`${T}/${id}/run`, {})
    expect(refusal).toMatchObject(failed(403, 'FORBIDDEN'))
    expect(refusal.body.error.details.columns).toEqual(['company.name', 'opportunities.count'])
    expect(refusal.body.error.message).toContain('company.name, opportunities.count')
    const own = { columns: columns('first_name', 'tasks.count') }
    expect((found(await some.post(`${T}/${id}/preview`, own)) as Row).rows).toEqual([['Ana', 0]])
    const filters = { has: 'company', where: { field: 'name', op: 'eq', value: 'Acme' } }
    expect(await some.post(`${T}/${id}/preview`, { ...own, filters })).toMatchObject(failed(403, 'FORBIDDEN'))
    expect(await some.post(`${T}/${id}/preview`, { ...own, sort: 'last_activity_at' })).toMatchObject(failed(403, 'FORBIDDEN'))
    const others = await template(['title'], { root_entity: 'companies', columns: columns('name') })
    expect(await some.post(`${T}/${others.id}/run`, {})).toMatchObject(failed(403, 'FORBIDDEN'))
  })
})

test('a column whose custom field was deleted is named', async () => {
  const field = created(await crm.ws.post('/custom-fields', { object: 'contact', key: 'tier', label: 'Tier', type: 'text' })) as Row
  const { id } = await template(['first_name', 'metadata.tier'])
  found(await crm.ws.delete(`/custom-fields/${field.id}`))
  expect(await crm.ws.post(`${T}/${id}/preview`, {})).toMatchObject(refused('columns.1.path'))
})
