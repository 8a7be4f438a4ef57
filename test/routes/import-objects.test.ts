import { expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { upload, uploaded, imported, act, rows } = useImports(crm)

test('products are created, found again by their SKU, and undone', async () => {
  const file = 'Product Name,Product Code,List Price,Active,Tax rate\nGTX Pro,GTX-1,"4,821.50",yes,10\nGTX Mini,,99,no,\n'
  const first = await imported(file)
  expect(first).toMatchObject({ object: 'products', progress: { created: 2, failed: 0 } })
  expect(found(await crm.ws.get('/products?sort=created_at'))).toMatchObject([
    { name: 'GTX Pro', sku: 'GTX-1', price: 4821.5, is_active: true, tax_percent: 10 },
    { name: 'GTX Mini', sku: null, price: 99, is_active: false },
  ])
  const again = await imported(file.replace('"4,821.50"', '5000').replace('GTX Mini', 'gtx mini'))
  expect(again.progress).toMatchObject({ updated: 2, created: 0 })
  expect(await act(again.id, 'undo')).toMatchObject({ progress: { restored: 2 } })
  expect(found(await crm.ws.get('/products?sort=created_at'))[0]).toMatchObject({ name: 'GTX Pro', price: 4821.5 })
  // The other import has changed them since.
  expect(await act(first.id, 'undo')).toMatchObject({ progress: { removed: 0, kept: 2 } })
  const other = await imported('Product Name,Product Code\nDesk,D-1\n')
  expect(await act(other.id, 'undo')).toMatchObject({ progress: { removed: 1, kept: 0 } })
})

test('tasks are linked by email address, external id, name or id; unknown contacts fail the line, or are left out', async () => {
  const ana = await crm.contact({ first_name: 'Ana', last_name: 'Lee', email: 'ana@example.com', external_id: 'hub-7' })
  const acme = await crm.company('Acme')
  const deal = await crm.opportunity({ name: 'Deck', external_id: 'D1' })
  const file = `Task,Due Date,Status,Priority,Contact,Company,Deal,External ID
Call,31/3/2026,Not started,High,ANA@example.com,acme,D1,t1
Write,31/3/2026 09:30,In Progress,low,hub-7,,deck,t2
Send,,Completed,,ana lee,,${deal.id},t3
Lost,,,,nobody@example.com,,,t4
`
  const made = await uploaded(file, { replacements: [{ field: 'status', from: 'Not started', to: 'open' }] })
  expect(made).toMatchObject({ object: 'tasks', preview: [{ errors: [] }, { errors: [] }, { errors: [] }, { errors: [] }] })
  const checked = await act(made.id, 'check')
  expect(checked.progress).toMatchObject({ created: 3, failed: 1 })
  expect(await crm.count('tasks')).toBe(0)
  const run = await act(made.id, 'start')
  expect(run.progress).toMatchObject({ created: 3, failed: 1 })
  const link = { contact_id: ana.id, opportunity_id: deal.id }
  expect(found(await crm.ws.get('/tasks?sort=created_at'))).toMatchObject([
    { ...link, title: 'Call', customer_id: acme, status: 'open', priority: 'high', due_at: '2026-03-31T00:00:00.000Z', all_day: true },
    { ...link, title: 'Write', status: 'in_progress', due_at: '2026-03-30T22:30:00.000Z', all_day: false },
    { ...link, title: 'Send', status: 'completed', due_at: null, completed_at: expect.any(String) },
  ])
  expect(await rows(run.id, '&status=failed')).toMatchObject([
    {
      errors: [{ field: 'contact', column: 'Contact', value: 'nobody@example.com', message: expect.stringContaining('import them first') }],
    },
  ])
  const more = await imported(file, { replacements: [{ field: 'status', from: 'Not started', to: '' }], unknown_contacts: 'report' })
  expect(more.progress).toMatchObject({ updated: 3, created: 1, warned: 1 })
  expect(await act(run.id, 'undo')).toMatchObject({ progress: { removed: 3, kept: 0 } })
  expect(await crm.ws.patch(`/imports/${(await uploaded(file)).id}`, { mapping: [{ column: 'Task', field: 'metadata.' }] })).toMatchObject(
    failed(400, 'VALIDATION_ERROR'),
  )
})

test('activities and notes are linked to at least one record, keep the rules of the API, and are undone', async () => {
  const ana = await crm.contact({ first_name: 'Ana', email: 'ana@example.com' })
  const run = await imported(`Type,Date,Subject,Contact,Direction,Duration,metadata.ref
Call,2026-03-31 09:30,Quote,ana@example.com,Outbound,420,7
meeting,2026-03-30,Walk,Ana,inbound,,
note,2026-03-29,Alone,,,,
`)
  expect(run).toMatchObject({ object: 'activities', progress: { created: 1, failed: 2 } })
  expect((await rows(run.id, '&status=failed')).map(({ errors }: Row) => errors.map(({ field }: Row) => field))).toEqual([
    ['direction'],
    ['contact'],
  ])
  const [call] = found(await crm.ws.get('/activities'))
  expect(call).toMatchObject({
    activity_type: 'call',
    contact_id: ana.id,
    direction: 'outbound',
    duration_seconds: 420,
    occurred_at: '2026-03-30T22:30:00.000Z',
  })
  const update = await uploaded(`id,activity_type,contact\n${call?.id},note,\n${call?.id},meeting,\n`, {
    object: 'activities',
    mode: 'update',
    match_by: 'id',
    clear_empty: true,
  })
  for (const action of ['check', 'start'] as const) expect((await act(update.id, action)).progress).toMatchObject({ failed: 2 })

  const notes = created(await upload('Note,Contact,Created at\n"two\nlines",ana@example.com,2024-02-01\n', '?object=notes'))
  expect(await act(notes.id, 'start')).toMatchObject({ object: 'notes', progress: { created: 1 } })
  expect(found(await crm.ws.get('/activities?activity_type=note'))).toMatchObject([
    { body: 'two\nlines', contact_id: ana.id, occurred_at: '2024-02-01T00:00:00.000Z' },
  ])
  const writer = await crm.ws.key({ scopes: ['imports:*', 'activities:read'] })
  expect(await writer.post(`/imports/${notes.id}/undo`)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  const undoer = await crm.ws.key({ scopes: ['imports:*', 'activities:read', 'activities:write'] })
  expect(await act(notes.id, 'undo', undoer)).toMatchObject({ state: 'undone', progress: { removed: 1 } })
  expect(await act(run.id, 'undo')).toMatchObject({ progress: { removed: 1 } })
  expect(await crm.count('activities')).toBe(0)
})

test('archived records stay archived, apart from active ones with the same name or address', async () => {
  const people = 'First Name,Email,Archived\nEva,eva@example.com,no\nEva before,eva@example.com,yes\n'
  expect((await imported(people)).progress).toMatchObject({ created: 2, failed: 0 })
  expect((await imported(people)).progress).toMatchObject({ created: 0, updated: 2 })
  const named = async (query: string) =>
    found(await crm.ws.get(`/contacts?email=eva@example.com${query}`)).map(({ first_name }: Row) => first_name)
  expect([await named(''), await named('&archived=true')]).toEqual([['Eva'], ['Eva before']])
  // A company that its subsidiary has named before is archived with its own line, and not there twice.
  await imported('Company Name,Parent company,Archived\nChild,Old parent,no\nOld parent,,yes\n', { unknown_companies: 'placeholder' })
  const [old] = found(await crm.ws.get('/companies?archived=true'))
  expect(found(await crm.ws.get('/companies'))).toMatchObject([{ name: 'Child', parent_company_id: old?.id }])
  await crm.ws.delete(`/companies/${old?.id}`)
  // A name stands for the archived company only while no active one has it.
  const [, retired] = [await imported('Company Name,Archived\nRetired Ltd,yes\n'), found(await crm.ws.get('/companies?archived=true'))[0]]
  await imported('First Name,Email,Company\nRia,ria@example.com,retired ltd\n')
  expect(found(await crm.ws.get('/contacts?email=ria@example.com'))).toMatchObject([{ customer_id: retired?.id }])
  const active = await crm.company('Retired Ltd')
  await imported('First Name,Email,Company\nSam,sam@example.com,Retired Ltd\n')
  expect(found(await crm.ws.get('/contacts?email=sam@example.com'))).toMatchObject([{ customer_id: active }])
  // Only a placeholder becomes archived, no company that somebody has made.
  const made = await crm.company('Made by hand')
  await imported('Company Name,Archived\nMade by hand,yes\n')
  expect(found(await crm.ws.get(`/companies/${made}`))).toMatchObject({ archived: false })
})
