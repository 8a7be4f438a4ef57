import { readXlsx } from 'hucre/xlsx'
import { describe, expect, test } from 'vitest'
import type { TestWorkspace } from '../workspace.ts'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm({ seldomLogs: true })
const T = '/exports/templates'
type Level = 'execute' | 'approval' | 'read_only'
const columns = (...paths: string[]) => paths.map((path) => ({ path }))
const template = async (paths: string[], fields: Row = {}) =>
  created(
    await crm.ws.post(T, { name: 'People', root_entity: 'contacts', columns: columns(...paths), sort: 'created_at', ...fields }),
  ) as Row

async function run(id: string, body: Row = {}, { apiKey }: TestWorkspace = crm.ws) {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const response = await crm.app.fetch(`/v1${T}/${id}/run`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) }
}
async function csv(id: string, body: Row = {}) {
  const { status, bytes } = await run(id, { format: 'csv', bom: false, ...body })
  const text = new TextDecoder().decode(bytes)
  expect(status, text).toBe(200)
  return text.trimEnd().split('\r\n')
}
async function workbook(id: string, body: Row = {}) {
  const { status, bytes, headers } = await run(id, { format: 'xlsx', ...body })
  expect(status, new TextDecoder().decode(bytes.subarray(0, 500))).toBe(200)
  const { sheets } = await readXlsx(bytes)
  return { sheets, headers, bytes, rows: sheets[0]?.rows ?? [] }
}
const preview = async (id: string, body: Row = {}) => found(await crm.ws.post(`${T}/${id}/preview`, body)) as Row

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

describe('a workbook', () => {
  const TEXTS = [
    '00123',
    '=1+1',
    '1/2',
    'TRUE',
    '12345678901234567890',
    '+61412345678',
    '1E5',
    "'x",
    '  outer  ',
    'a&b<c>"d"',
    'שלום 😀',
    '_x0041_x0042_',
    'two\r\nlines\tand tab',
    '@SUM(1)',
  ]

  test('has texts as they are, and no formula', async () => {
    for (const notes of TEXTS) await crm.contact({ first_name: 'Ana', notes: `.${notes}.` })
    await crm.app.owner.query(
      `update contacts c set notes = t.text from (select id, row_number() over (order by created_at, id) n from contacts where workspace_id = $1) o
        join unnest($2::text[]) with ordinality t(text, n) on t.n = o.n where c.id = o.id and c.workspace_id = $1`,
      [crm.ws.id, [...TEXTS.slice(0, -1), 'bell\u0007 esc\u001b\ufffe']],
    )
    const { id } = await template(['notes'])
    const { rows, sheets } = await workbook(id)
    expect(rows.slice(1).map(([value]) => value)).toEqual([...TEXTS.slice(0, -1), 'bell\u0007 esc\u001b\ufffe'])
    const cells = [...(sheets[0]?.cells?.values() ?? [])]
    expect(cells.filter((cell) => cell.formula !== undefined)).toEqual([])
  })

  test('has numbers, booleans, days and times in the zone of the workspace', async () => {
    found(await crm.ws.patch('/company', { timezone: 'Australia/Sydney' }))
    for (const [key, type] of [
      ['score', 'number'],
      ['met', 'date'],
      ['vip', 'boolean'],
      ['memo', 'text'],
    ])
      created(await crm.ws.post('/custom-fields', { object: 'contact', key, label: `The ${key}`, type }))
    // One second before and after the clocks go forward in Sydney, and a day that Excel has no number for.
    for (const [at, birthday] of [
      ['2025-10-04T15:59:59.000Z', '2000-02-29'],
      ['2025-10-04T16:00:00.500Z', '1900-02-28'],
    ])
      await crm.contact({
        first_name: 'Ana',
        date_of_birth: birthday,
        relationship_started_at: at,
        metadata: { score: -1.5, met: '2026-01-31', vip: true, memo: '007' },
      })
    const paths = [
      'date_of_birth',
      'relationship_started_at',
      'is_primary',
      'metadata.score',
      'metadata.met',
      'metadata.vip',
      'metadata.memo',
    ]
    const { id } = await template(paths)
    const { bytes } = await workbook(id)
    const { sheets } = await readXlsx(bytes, { readStyles: true })
    const sheet = sheets[0]
    expect(sheet?.rows[0]).toEqual([
      'date_of_birth',
      'relationship_started_at',
      'is_primary',
      'The score',
      'The met',
      'The vip',
      'The memo',
    ])
    const [, first, second] = sheet?.rows ?? []
    const iso = (value: unknown) => (value instanceof Date ? value.toISOString() : value)
    expect(first?.map(iso)).toEqual([
      '2000-02-29T00:00:00.000Z',
      '2025-10-05T01:59:59.000Z',
      false,
      -1.5,
      '2026-01-31T00:00:00.000Z',
      true,
      '007',
    ])
    expect(second?.map(iso).slice(0, 2)).toEqual(['1900-02-28', expect.stringMatching(/^2025-10-05T03:00:00\.[45]/)])
  })

  test('says what was cut: a text of more than 32,767 characters', async () => {
    await crm.app.owner.query(
      "insert into contacts (workspace_id, first_name, notes) values ($1, 'Long', repeat('x', 40000)), ($1, 'Just', repeat('y', 32767))",
      [crm.ws.id],
    )
    const { id, name } = await template(['first_name', 'notes'])
    const { rows, sheets, headers } = await workbook(id)
    expect(rows.slice(1).map(([, notes]) => String(notes).length)).toEqual([32_767, 32_767])
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename="People \d{4}-\d\d-\d\d\.xlsx"/)
    expect(headers.get('content-type')).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
    expect(Object.fromEntries(sheets[1]?.rows ?? [])).toMatchObject({
      Template: name,
      Rows: 2,
      'More rows matched than the file has': 'No',
      'Cells cut at 32,767 characters, marked yellow': 1,
    })
  })

  test('has every row of several pages once, and says in its name and header when there are more', async () => {
    await crm.app.owner.query(
      "insert into contacts (workspace_id, first_name, last_name) select $1, 'Person ' || n, 'Cut' from generate_series(1, 2503) n",
      [crm.ws.id],
    )
    const { id } = await template(['first_name', 'company.name', 'opportunities.count', 'created_at'])
    const whole = await workbook(id)
    expect(whole.headers.get('x-truncated')).toBeNull()
    expect(new Set(whole.rows.slice(1).map(([name]) => name)).size).toBe(2503)
    const cut = await workbook(id, { limit: 1500 })
    expect(cut.headers.get('x-truncated')).toBe('1')
    expect(cut.headers.get('content-disposition')).toContain(', first 1500 rows.xlsx')
    expect(cut.rows).toHaveLength(1501)
    expect(Object.fromEntries(cut.sheets[1]?.rows ?? [])).toMatchObject({ Rows: 1500, 'More rows matched than the file has': 'Yes' })
    expect((await run(id, { limit: 2503 })).headers.get('x-truncated')).toBeNull()
    expect(await csv(id, { limit: 3 })).toHaveLength(4)
  })

  test('of 200 columns, with any root', async () => {
    for (const root of ['contacts', 'companies', 'opportunities', 'tasks', 'activities']) {
      const catalogue = found(await crm.ws.get(`/exports/field-catalog?root_entity=${root}`)) as Row
      const paths = catalogue.column_fields.flatMap(({ path, aggregates }: Row) =>
        aggregates ? aggregates.map((name: string) => `${path}.${name}`) : [path],
      )
      for (let from = 0; from < paths.length; from += 200) {
        const { id } = await template(paths.slice(from, from + 200), { root_entity: root, sort: null })
        const { rows } = await workbook(id)
        expect(rows[0]).toEqual(paths.slice(from, from + 200))
        expect((await preview(id)).headers).toEqual(rows[0])
      }
    }
  })
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
