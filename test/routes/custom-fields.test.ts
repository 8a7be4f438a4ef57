import { describe, expect, test } from 'vitest'
import { created, failed, found, ids, nobody, type Row, refused, useCrm, uuid } from './crm.ts'

const crm = useCrm()

const tier = { object: 'contact', label: 'Account tier', type: 'select', options: ['Gold', 'Silver'] }
const define = async (fields: Row) => created(await crm.ws.post('/custom-fields', { object: 'contact', ...fields }))
const rows = async () => {
  const { rows } = await crm.app.owner.query('select number, text from custom_values where workspace_id = $1 order by number, text', [
    crm.ws.id,
  ])
  return rows.map(({ number, text }) => text || number)
}
const conflict = (path: string) => ({
  status: 409,
  body: { error: { code: 'CONFLICT', details: { issues: [expect.objectContaining({ path })] } } },
})

describe('definitions', () => {
  test('a field has a key made of its label, and comes last', async () => {
    const first = await define(tier)
    expect(first).toEqual({
      id: uuid,
      object: 'contact',
      key: 'account_tier',
      label: 'Account tier',
      type: 'select',
      options: ['Gold', 'Silver'],
      required: false,
      unique: false,
      indexed: false,
      index_status: null,
      index_progress: null,
      index_error: null,
      help_text: null,
      position: 0,
      archived: false,
      version: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const second = await define({ key: 'score', label: 'Score', type: 'number', help_text: 'Of 100' })
    expect(second).toMatchObject({ key: 'score', position: 1, help_text: 'Of 100' })
    expect(await define({ object: 'company', label: 'Score', type: 'number' })).toMatchObject({ key: 'score', position: 0 })
    expect(found(await crm.ws.get('/custom-fields?object=contact')).map(({ key }) => key)).toEqual(['account_tier', 'score'])
    expect(found(await crm.ws.get('/custom-fields?type=number'))).toHaveLength(2)
    expect(await crm.ws.post('/custom-fields', tier)).toMatchObject(failed(409, 'CONFLICT'))
  })

  test.each<[Row, string[]]>([
    [{}, ['object', 'type', 'label']],
    [{ ...tier, object: 'invoice' }, ['object']],
    [{ ...tier, type: 'colour' }, ['type']],
    [{ ...tier, key: 'Tier' }, ['key']],
    [{ ...tier, key: '1st' }, ['key']],
    [{ ...tier, label: '日本' }, ['key']],
    [{ ...tier, options: [] }, ['options']],
    [{ ...tier, options: undefined }, ['options']],
    [{ object: 'contact', label: 'Score', type: 'number', options: ['1'] }, ['options']],
    [{ ...tier, unique: true }, ['unique']],
    [{ object: 'contact', label: 'Code', type: 'text', unique: true, indexed: false }, ['indexed']],
    [{ object: 'contact', label: 'Story', type: 'long_text', indexed: true }, ['indexed']],
    [{ object: 'contact', label: 'Story', type: 'long_text', unique: true }, ['unique']],
  ])('refuses %j', async (fields, paths) => {
    expect(await crm.ws.post('/custom-fields', fields)).toMatchObject(refused(...paths))
  })

  test('object, key and type stay; the rest changes', async () => {
    const { id } = await define(tier)
    for (const [name, value] of Object.entries({ object: 'company', key: 'another', type: 'number' }))
      expect(await crm.ws.patch(`/custom-fields/${id}`, { [name]: value })).toMatchObject(refused(name))
    const fields = { label: 'Tier', options: ['Gold', 'Bronze'], required: true, help_text: null, position: 7, archived: true }
    expect(found(await crm.ws.patch(`/custom-fields/${id}`, fields))).toMatchObject({ ...fields, version: 2 })
    expect(await crm.ws.patch(`/custom-fields/${id}`, { unique: true })).toMatchObject(refused('unique'))
    expect(await crm.ws.patch(`/custom-fields/${id}`, { options: [] })).toMatchObject(refused('options'))
    const { id: other } = await define({ label: 'Score', type: 'number' })
    expect(await crm.ws.patch(`/custom-fields/${other}`, { options: ['a'] })).toMatchObject(refused('options'))
    expect(ids(found(await crm.ws.get('/custom-fields')))).toEqual([other])
    expect(ids(found(await crm.ws.get('/custom-fields?archived=true')))).toEqual([id])
    const [change] = found(await crm.ws.get(`/custom-fields/${id}/history`))
    expect(change).toMatchObject({ action: 'updated', fields: { label: { before: 'Account tier', after: 'Tier' } } })
  })

  test('an order names every active field of the object once', async () => {
    const [a, b, c] = [await define(tier), await define({ label: 'B', type: 'text' }), await define({ label: 'C', type: 'text' })]
    found(await crm.ws.patch(`/custom-fields/${c.id}`, { archived: true }))
    const order = (...wanted: string[]) => crm.ws.post('/custom-fields/reorder', { object: 'contact', custom_field_ids: wanted })
    expect(ids(found(await order(b.id, a.id)))).toEqual([b.id, a.id])
    expect(ids(found(await crm.ws.get('/custom-fields')))).toEqual([b.id, a.id])
    for (const [wrong, fault] of [
      [[a.id], 'custom_field_ids'],
      [[a.id, a.id], 'custom_field_ids.1'],
      [[a.id, b.id, c.id], 'custom_field_ids.2'],
      [[a.id, nobody], 'custom_field_ids.1'],
    ] as const)
      expect(await order(...wrong)).toMatchObject(refused(fault))
  })

  test('a deleted field leaves its values where they are, unchecked', async () => {
    const { id } = await define(tier)
    const contact = await crm.contact({ metadata: { account_tier: 'Gold' } })
    expect(found(await crm.ws.delete(`/custom-fields/${id}`))).toEqual({ id, deleted: true })
    expect(await rows()).toEqual([])
    const { metadata } = found(await crm.ws.patch(`/contacts/${contact.id}`, { metadata: { account_tier: 'Brass' } }))
    expect(metadata).toEqual({ account_tier: 'Brass' })
    expect(await crm.ws.get(`/custom-fields/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  })

  test('are another workspace’s own', async () => {
    const { id } = await define({ ...tier, required: true })
    const stranger = await crm.app.workspace()
    expect(found(await stranger.get('/custom-fields'))).toEqual([])
    for (const answer of [
      await stranger.get(`/custom-fields/${id}`),
      await stranger.patch(`/custom-fields/${id}`, { label: 'x' }),
      await stranger.delete(`/custom-fields/${id}`),
    ])
      expect(answer).toMatchObject(failed(404, 'NOT_FOUND'))
    expect((await stranger.post('/contacts', { first_name: 'Ana' })).status).toBe(201)
  })

  test('take in what records have already, where it fits', async () => {
    for (const score of [5, 'x', 7, 7]) await crm.contact({ metadata: { score } })
    const { id } = await define({ label: 'Score', type: 'number', unique: true })
    await crm.app.drain()
    expect(found(await crm.ws.get(`/custom-fields/${id}`))).toMatchObject({
      indexed: true,
      index_status: 'failed',
      index_error: 'Some records share a value of this field, so it cannot be unique',
    })
    found(await crm.ws.patch(`/custom-fields/${id}`, { unique: false }))
    await crm.app.drain()
    expect(found(await crm.ws.get(`/custom-fields/${id}`))).toMatchObject({ index_status: 'ready', index_progress: 1, index_error: null })
    expect(await rows()).toEqual([5, 7, 7])
    const [, last] = found(await crm.ws.post('/contacts/search', { filter: { field: 'metadata.score', op: 'eq', value: 7 } }))
    found(await crm.ws.patch(`/contacts/${last?.id}`, { metadata: { score: 8 } }))
    expect(found(await crm.ws.patch(`/custom-fields/${id}`, { unique: true }))).toMatchObject({ unique: true, index_status: 'building' })
    await crm.app.drain()
    expect(found(await crm.ws.get(`/custom-fields/${id}`))).toMatchObject({ index_status: 'ready' })
    expect(await crm.ws.post('/contacts', { first_name: 'Late', metadata: { score: 8 } })).toMatchObject(conflict('metadata.score'))
  })

  test('are what the CRM settings show, and change there too', async () => {
    const kept = await define({ ...tier, help_text: 'Kept', unique: false })
    const gone = await define({ label: 'Gone', type: 'text' })
    const entry = { key: 'account_tier', label: 'Tier', object: 'contact', type: 'select', required: true, options: ['Gold'] }
    const fresh = { key: 'size', label: 'Size', object: 'company', type: 'number', required: false, options: [] }
    const settings = found(await crm.ws.patch('/company/crm-settings', { custom_fields: [fresh, entry] }))
    expect(settings.custom_fields).toEqual([fresh, entry])
    expect(found(await crm.ws.get(`/custom-fields/${kept.id}`))).toMatchObject({
      label: 'Tier',
      help_text: 'Kept',
      required: true,
      options: ['Gold'],
    })
    expect(await crm.ws.get(`/custom-fields/${gone.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await crm.ws.patch('/company/crm-settings', { custom_fields: [{ ...entry, type: 'text' }] })).toMatchObject(
      refused('custom_fields.0.type'),
    )
    const other = { ...fresh, type: 'text' }
    for (const custom_fields of [
      [other, { ...entry, type: 'text' }],
      [{ ...entry, type: 'text' }, other],
    ])
      expect(await crm.ws.patch('/company/crm-settings', { custom_fields })).toMatchObject(
        refused('custom_fields.0.type', 'custom_fields.1.type'),
      )
  })
})

describe('renaming an option', () => {
  const tiers = { object: 'contact', key: 'tier', label: 'Tier', type: 'multi_select', options: ['Gold', 'gold', 'Silver'] }

  test('renames it in every record, in the index and in the history', async () => {
    const { id } = await define({ ...tiers, indexed: true })
    const likes = await define({ object: 'product', key: 'tier', label: 'Tier', type: 'select', options: ['Gold'] })
    const records = [['Gold', 'Silver'], ['gold'], ['Silver', 'Gold', 'gold']].map((tier) => ({ first_name: 'x', metadata: { tier } }))
    const [first, second, third] = ids(found(await crm.ws.post('/contacts/bulk-create', { records })).results)
    const { id: product } = created(await crm.ws.post('/products', { name: 'GTX', metadata: { tier: 'Gold' } }))
    const rename = (from: string, to: string, field = id) => crm.ws.post(`/custom-fields/${field}/rename-option`, { from, to })
    const tierOf = async (contact: unknown) => found(await crm.ws.get(`/contacts/${contact}`)).metadata.tier

    expect(found(await rename('Gold', 'Platinum'))).toEqual({ name: 'Platinum', changed: 2, more: false, version: 2 })
    expect(found(await crm.ws.get(`/custom-fields/${id}`)).options).toEqual(['Platinum', 'gold', 'Silver'])
    expect([await tierOf(first), await tierOf(second), await tierOf(third)]).toEqual([
      ['Platinum', 'Silver'],
      ['gold'],
      ['Silver', 'Platinum', 'gold'],
    ])
    expect(await rows()).toEqual(['gold', 'gold', 'platinum', 'platinum', 'silver', 'silver'])
    const [change] = found(await crm.ws.get(`/contacts/${first}/history`))
    expect(change?.fields.metadata).toEqual({ before: { tier: ['Gold', 'Silver'] }, after: { tier: ['Platinum', 'Silver'] } })
    found(await rename('Gold', 'Best', likes.id))
    expect(found(await crm.ws.get(`/products/${product}`)).metadata).toEqual({ tier: 'Best' })

    // Two options are combined when the old one is no longer offered.
    expect(await rename('gold', 'Platinum')).toMatchObject(failed(409, 'CONFLICT'))
    found(await crm.ws.patch(`/custom-fields/${id}`, { options: ['Platinum', 'Silver'] }))
    expect(await rename('gold', 'Bronze')).toMatchObject(refused('to'))
    expect(found(await rename('gold', 'Platinum'))).toMatchObject({ changed: 2, more: false })
    expect(await tierOf(third)).toEqual(['Silver', 'Platinum'])
    expect(await rename('gold', 'Platinum')).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await (await crm.app.workspace()).post(`/custom-fields/${id}/rename-option`, { from: 'Silver', to: 'x' })).toMatchObject(
      failed(404, 'NOT_FOUND'),
    )
  })

  test('names the filters, conditions and steps that still have the old one', async () => {
    const { id } = await define({ ...tiers, type: 'select', options: ['Gold', 'Silver', 'Bronze'] })
    const rename = (from: string, to: string, ws = crm.ws) => ws.post(`/custom-fields/${id}/rename-option`, { from, to })
    const filter = (value: unknown, op = 'eq', field = 'metadata.tier') => ({ field, op, value })
    const list = async (name: string, where: Row) =>
      created(await crm.ws.post('/lists', { name, object: 'contacts', kind: 'live', filter: where })).id as string
    const golden = await list('Golden', { any: [filter('x', 'eq', 'first_name'), { not: filter(['Silver', 'gold'], 'in') }] })
    await list('Silver', filter('Silver'))
    await list('People called Gold', filter('Gold', 'eq', 'first_name'))
    const template = { name: 'Gold only', root_entity: 'contacts', columns: [{ path: 'first_name' }], filters: filter('Gold') }
    const exported = created(await crm.ws.post('/exports/templates', template)).id
    const steps = [{ type: 'update_contact', fields: { metadata: { tier: 'Gold' } } }]
    const automation = created(await crm.ws.post('/automations', { name: 'Promote', trigger: { type: 'contact_created' }, steps })).id

    const expected = [
      { type: 'automation', id: automation, name: 'Promote' },
      { type: 'export_template', id: exported, name: 'Gold only' },
      { type: 'list', id: golden, name: 'Golden' },
    ]
    const { body } = await rename('Gold', 'Platinum')
    expect(body).toMatchObject({ data: { changed: 0 }, _warnings: [{ code: 'STILL_NAMED', field: 'from' }] })
    expect(body._warnings[0].details).toEqual({ named_by: expected, more: false })
    expect(body._warnings[0].message).toContain('Gold')
    found(await crm.ws.patch(`/lists/${golden}`, { filter: filter('Platinum') }))
    const others = [
      ['Bronze', 'BRONZE'],
      ['BRONZE', 'Copper'],
      ['Silver', 'SILVER'],
    ] as const
    for (const [from, to] of others) expect((await rename(from, to)).body._warnings).toBeUndefined()
    expect((await rename('Platinum', 'Gold')).body._warnings[0].details.named_by).toEqual([expected[2]])
    found(await crm.ws.patch(`/lists/${golden}`, { filter: filter('Gold') }))
    const narrow = await crm.ws.key({ scopes: ['company:write', 'lists:read'] })
    expect((await rename('Gold', 'Best', narrow)).body._warnings[0].details.named_by).toEqual([expected[2]])
  })

  test('is repeated while there are more records', async () => {
    const { id } = await define(tiers)
    await crm.app.owner.query(
      `insert into contacts (workspace_id, first_name, metadata) select $1, 'x', '{"tier": ["Gold"]}' from generate_series(1, 600)`,
      [crm.ws.id],
    )
    let renamed = 0
    for (let more = true; more; ) {
      const answer = found(await crm.ws.post(`/custom-fields/${id}/rename-option`, { from: 'Gold', to: 'Best' }))
      renamed += answer.changed
      more = answer.more
    }
    expect(renamed).toBe(600)
  })
})
