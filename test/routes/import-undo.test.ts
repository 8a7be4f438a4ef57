import { describe, expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { imported, act, rows } = useImports(crm)

const TABLES = ['contacts', 'companies', 'opportunities', 'employers', 'opportunity_contacts', 'opportunity_products', 'custom_values']
/** All rows of the tables as they are, but for what counts changes. */
async function state(): Promise<Record<string, unknown[]>> {
  const found = TABLES.map(async (table) => {
    const { rows } = await crm.app.owner.query(
      `select to_jsonb(t) - array['version', 'updated_at', 'id', 'local_zone', 'zone_basis'] || case
        when $2 then '{}' else jsonb_build_object('id', to_jsonb(t) -> 'id') end as row from ${table} t where workspace_id = $1 order by 1`,
      [crm.ws.id, table === 'employers'],
    )
    return [table, rows.map(({ row }) => row)] as const
  })
  return Object.fromEntries(await Promise.all(found))
}

describe('undoing an import', () => {
  test('of contacts gives back every row as it was: companies, links, primary contacts and custom values', async () => {
    await crm.ws.post('/custom-fields', { object: 'contact', key: 'tier', label: 'Tier', type: 'select', options: ['Gold', 'Silver'] })
    const [acme, beta] = [await crm.company('Acme'), await crm.company('Beta')]
    await crm.contact({
      first_name: 'Primary',
      email: 'p@example.com',
      customer_id: acme,
      is_primary: true,
      metadata: { tier: 'Gold', other: [1] },
    })
    await crm.contact({
      first_name: 'Second',
      email: 's@example.com',
      customer_id: beta,
      alternate_emails: ['x@example.com'],
      notes: 'As they were',
    })
    await crm.contact({ first_name: 'Third', email: 't@example.com', phone: '+61412345678' })
    const before = await state()
    const file = [
      'Email,First Name,Company,Primary contact,Tier,Notes,Phone',
      's@example.com,Changed,Acme,yes,Silver,New,0400 000 001',
      'n1@example.com,New,Acme,yes,Gold,,',
      't@example.com,Third too,Beta,,,,0400 000 002',
      'n2@example.com,Newer,Beta,yes,,,',
      'p@example.com,Primary,Beta,no,Silver,,',
      's@example.com,Twice,Beta,no,Gold,,',
    ].join('\n')
    const run = await imported(file, { mode: 'upsert', match_by: 'email' })
    expect(run.progress).toMatchObject({ created: 2, updated: 4, failed: 0 })
    expect(await state()).not.toEqual(before)
    expect(await act(run.id, 'undo')).toMatchObject({ state: 'undone', progress: { removed: 2, restored: 3, kept: 0 } })
    expect(await state()).toEqual(before)
  })

  test('of opportunities takes the people and the line items away that it added', async () => {
    const { id: ana } = await crm.contact({ first_name: 'Ana', email: 'ana@deals.test' })
    const { id: ben } = await crm.contact({ first_name: 'Ben', last_name: 'Same' })
    await crm.contact({ first_name: 'Ben', last_name: 'Same' })
    const { id: known } = await crm.opportunity({ name: 'Known', external_id: 'known', contacts: [{ contact_id: ben, is_primary: true }] })
    found(await crm.ws.post('/products', { name: 'Desk', sku: 'D1', price: 40 }))
    const before = await state()
    const items = '"[{""product"":""d1"",""quantity"":2},{""name"":""Delivery"",""product"":""unknown"",""unit_price"":5}]"'
    const file = [
      'Name,external_id,contact,line_items',
      `Known,known,ana@deals.test,${items}`,
      `Fresh,fresh,ana@deals.test; Ben Same; nobody@deals.test,${items.replace('d1', 'D1')}`,
      'Wrong,wrong,,Desk',
    ].join('\n')
    const run = await imported(file)
    expect(run).toMatchObject({ unknown_contacts: 'report', progress: { created: 1, updated: 1, failed: 1, warned: 2 } })
    const messages = (await rows(run.id)).flatMap(({ errors, warnings }) => [...errors, ...warnings].map(({ message }: Row) => message))
    const texts = [
      'existing opportunity keeps its line items',
      'Several contact records have this name',
      'No contact "nobody@deals.test" found',
      'No product "unknown" found',
      'must be a list of line items',
    ]
    for (const text of texts) expect(messages.join()).toContain(text)
    const [fresh] = found(await crm.ws.get('/opportunities?external_id=fresh&include=contacts,products'))
    expect(fresh?.contacts).toMatchObject([{ contact_id: ana, is_primary: true }])
    expect(fresh?.products.map(({ name, quantity, unit_price }: Row) => [name, quantity, unit_price])).toEqual([
      ['Desk', 2, 40],
      ['Delivery', 1, 5],
    ])
    const people = found(await crm.ws.get(`/opportunities/${known}/contacts`))
    expect(people.map(({ contact_id, is_primary }) => [contact_id, is_primary])).toEqual([
      [ben, true],
      [ana, false],
    ])
    expect(await act(run.id, 'undo')).toMatchObject({ state: 'undone', progress: { removed: 1, kept: 0 } })
    expect(await state()).toEqual(before)
  })

  test('of companies and of opportunities does too: parents, stages, times and reasons', async () => {
    const { stages } = await crm.firstPipeline()
    await crm.offerReasons(['Price', 'Timing'])
    await crm.company('Acme')
    await crm.ws.post('/companies', { name: 'Beta', external_id: 'b' })
    await crm.opportunity({
      name: 'One',
      external_id: 'o1',
      stage_id: stages.Lost,
      lost_reasons: ['Price'],
      closed_at: '2020-01-01',
      value: 10,
    })
    await crm.opportunity({ name: 'Two', external_id: 'o2', tags: [{ name: 'VIP', color: '#112233' }], opened_at: '2019-05-05' })
    await crm.app.owner.query("update opportunities set stage_entered_at = now() - interval '9 days' where workspace_id = $1", [crm.ws.id])
    const before = await state()
    const companies = await imported('name,external_id,parent company,industry\nGamma,g,Acme,Mining\nBeta,b,Gamma,Retail\n', {
      object: 'companies',
      mode: 'upsert',
      match_by: 'external_id',
    })
    expect(companies.progress).toMatchObject({ created: 1, updated: 1 })
    const deals = await imported(
      'external_id,name,stage,value,company,lost reason,close ' +
        'date,tags\no1,One,Won,99,Gamma,,2021-02-03,A;B\no2,Two,Lost,,Beta,Timing,,\no3,Three,Qualified,5,Acme,,,\n',
      { object: 'opportunities', mode: 'upsert', match_by: 'external_id' },
    )
    expect(deals.progress, JSON.stringify(await rows(deals.id))).toMatchObject({ created: 1, updated: 2 })
    expect(found(await crm.ws.get('/opportunities?external_id=o1'))[0]).toMatchObject({
      status: 'won',
      value: 99,
      closed_at: '2021-02-03T00:00:00.000Z',
      lost_reasons: null,
    })
    expect(found(await crm.ws.get('/opportunities?external_id=o2'))[0]).toMatchObject({ status: 'lost', lost_reasons: ['Timing'] })

    // What the other import made is in use by this one: it stays until that is undone.
    expect(await act(companies.id, 'undo')).toMatchObject({ progress: { removed: 0, restored: 1, kept: 1 } })
    expect((await rows(companies.id, '&undone=kept')).map(({ line, undo_reason }) => [line, undo_reason])).toEqual([
      [2, expect.stringContaining('In use')],
    ])
    expect(await act(deals.id, 'undo')).toMatchObject({ state: 'undone', progress: { removed: 1, restored: 2, kept: 0 } })
    const [gamma] = found(await crm.ws.get('/companies?external_id=g'))
    await crm.ws.delete(`/companies/${gamma?.id}`)
    expect(await state()).toEqual(before)
  })

  test('leaves what was changed or came into use since, and says so', async () => {
    await crm.contact({ first_name: 'Old', email: 'old@example.com' })
    const run = await imported(
      'Email,First Name\nold@example.com,Renamed\nchanged@example.com,Changed\nused@example.com,Used\nplain@example.com,Plain\n',
      { mode: 'upsert', match_by: 'email' },
    )
    const by = Object.fromEntries(found(await crm.ws.get('/contacts')).map((row: Row) => [row.email, row.id]))
    await crm.ws.patch(`/contacts/${by['old@example.com']}`, { notes: 'Called' })
    await crm.ws.patch(`/contacts/${by['changed@example.com']}`, { notes: 'Called' })
    await crm.opportunity({ contacts: [{ contact_id: by['used@example.com'] }] })
    expect(await act(run.id, 'undo')).toMatchObject({ state: 'undone', progress: { removed: 1, restored: 0, kept: 3 } })
    expect((await rows(run.id)).map(({ undone, undo_reason }) => [undone, undo_reason?.split(':')[0]])).toEqual([
      ['kept', 'Changed since the import'],
      ['kept', 'Changed since the import'],
      ['kept', 'In use since the import'],
      ['removed', undefined],
    ])
    expect(found(await crm.ws.get('/contacts?sort=name')).map(({ first_name }: Row) => first_name)).toEqual(['Changed', 'Renamed', 'Used'])
    expect(await crm.ws.post(`/imports/${run.id}/undo`)).toMatchObject(failed(409, 'INVALID_STATE'))
  })

  test('leaves a record that any kind of record refers to', async () => {
    const uses: [string, string, Row][] = [
      ['task', '/tasks', { title: 'Call' }],
      ['activity', '/activities', { activity_type: 'note', subject: 'Called' }],
      ['notepad', '/notepads', { title: 'Notes' }],
      ['document', '/documents', { name: 'Offer' }],
      ['memory', '/memory', { text: 'Prefers calls' }],
      ['draft', '/email/drafts', { subject: 'Hello' }],
    ]
    const run = await imported(
      `Email,First Name\n${uses.map(([name]) => `${name}@example.com,${name}`).join('\n')}\nfree@example.com,free\n`,
    )
    const by = Object.fromEntries(found(await crm.ws.get('/contacts')).map((row: Row) => [row.first_name, row.id]))
    for (const [name, path, body] of uses) created(await crm.ws.post(path, { ...body, contact_id: by[name] }))
    await act(run.id, 'undo')
    expect((await rows(run.id)).map(({ undone, undo_reason }) => [undone, undo_reason?.split(':')[0]])).toEqual([
      ...uses.map(() => ['kept', 'In use since the import']),
      ['removed', undefined],
    ])
  })

  test('of many lines takes many transactions, and goes on after an interruption', async () => {
    const run = await imported(`Email,First Name\n${Array.from({ length: 1000 }, (_, n) => `u${n}@example.com,U${n}`).join('\n')}\n`)
    expect(await crm.count('contacts')).toBe(1000)
    await crm.rewrite('imports', run.id, { state: 'undoing', undo_id: crypto.randomUUID() })
    await crm.app.owner.query("update import_files set phase = 'undo' where import_id = $1", [run.id])
    const message = { type: 'work.run', kind: 'import.run', workspace_id: crm.ws.id, item_id: run.id }
    await Promise.all([1, 2, 3].map(() => crm.app.deliver('imports', [message])))
    await crm.app.drain()
    expect(found(await crm.ws.get(`/imports/${run.id}`))).toMatchObject({ state: 'undone', progress: { removed: 1000, kept: 0 } })
    expect(await crm.count('contacts')).toBe(0)
  })

  test('ends when its key may no longer delete', async () => {
    const run = await imported('Email,First Name\nana@example.com,Ana\n')
    const key = await crm.ws.key({ scopes: ['imports:*', 'contacts:read', 'contacts:write'] })
    await crm.rewrite('imports', run.id, { state: 'undoing', undo_id: crypto.randomUUID(), run_key_id: key.keyId })
    await crm.app.owner.query("update import_files set phase = 'undo' where import_id = $1", [run.id])
    await crm.app.deliver('imports', [{ type: 'work.run', kind: 'import.run', workspace_id: crm.ws.id, item_id: run.id }])
    await crm.app.drain()
    expect(found(await crm.ws.get(`/imports/${run.id}`)).state).not.toBe('undone')
    expect(await crm.count('contacts')).toBe(1)
  })

  test('is for what has run', async () => {
    const run = await imported('Email,First Name\nbo,\n')
    expect(run.progress).toMatchObject({ created: 0, failed: 1 })
    expect(await act(run.id, 'undo')).toMatchObject({ state: 'undone', progress: { removed: 0 } })
  })
})
