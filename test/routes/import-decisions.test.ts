import { describe, expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { upload, uploaded, imported, act, rows } = useImports(crm)
const contacts = async () => found(await crm.ws.get('/contacts?sort=created_at'))
const companies = async () => found(await crm.ws.get('/companies?sort=created_at'))

describe('consent', () => {
  test('an import does not start before a column that looks like an opt-out is decided', async () => {
    const file = 'First Name,Email,Enrichment opt out\nAna,a@example.com,yes\n'
    const { id } = await uploaded(file)
    for (const action of ['check', 'start']) {
      const answer = await crm.ws.post(`/imports/${id}/${action}`)
      expect(answer).toMatchObject(refused('mapping'))
      expect(JSON.stringify(answer.body)).toContain('Enrichment opt out')
      expect(JSON.stringify(answer.body)).toContain('ignored_columns')
    }
    found(await crm.ws.patch(`/imports/${id}`, { ignored_columns: ['Enrichment opt out'] }))
    await act(id, 'start')
    expect(await contacts()).toMatchObject([{ email_unsubscribed: false }])
  })

  test('a cell that cannot be read fails its line; an import never subscribes anyone again', async () => {
    const ana = await crm.contact({ first_name: 'Ana', email: 'a@example.com', email_unsubscribed: true })
    const run = await imported('First Name,Email,Email Opt Out\nAna,a@example.com,no\nBo,b@example.com,perhaps\nCy,c@example.com,yes\n')
    expect((await rows(run.id)).map(({ status, errors }) => [status, errors[0]?.field])).toEqual([
      ['updated', undefined],
      ['failed', 'email_unsubscribed'],
      ['created', undefined],
    ])
    expect(await contacts()).toMatchObject([
      { id: ana.id, email_unsubscribed: true },
      { first_name: 'Cy', email_unsubscribed: true },
    ])
  })
})

describe('references', () => {
  test('to unknown lead sources are created, replaced or ignored, and no person is lost', async () => {
    await crm.leadSource('Trade fair')
    const file = 'First Name,Email,Lead Source\nAna,a@example.com,Tradeshow\nBo,b@example.com,Web\nCy,c@example.com,tradeshow\n'
    const sources = async () => (await contacts()).map(({ first_name, source_id }) => [first_name, source_id !== null])
    const first = await imported(file)
    expect(first.progress).toMatchObject({ created: 3, warned: 3 })
    expect((await rows(first.id))[0]?.warnings[0]).toMatchObject({
      value: 'Tradeshow',
      message: expect.stringContaining('unknown_lead_sources'),
    })
    const replacements = [{ field: 'lead_source', from: 'tradeshow', to: 'Trade fair' }]
    expect((await imported(file, { replacements })).progress).toMatchObject({ updated: 3, warned: 1 })
    expect(await sources()).toEqual([
      ['Ana', true],
      ['Bo', false],
      ['Cy', true],
    ])
    expect(
      (await imported(file, { replacements: [{ field: 'lead_source', from: 'Tradeshow', to: '' }], unknown_lead_sources: 'create' }))
        .progress,
    ).toMatchObject({ updated: 3, warned: 0 })
    expect(
      found(await crm.ws.get('/lead-sources'))
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['Trade fair', 'Web'])
    expect(await sources()).toContainEqual(['Bo', true])
  })

  test('to unknown companies are created, reported or refused; a check creates none; an undo removes them', async () => {
    const file = 'First Name,Email,Company\nAna,a@example.com,Beta  Ltd\nBo,b@example.com,BETA LTD\nCy,,Bad\nDi,d@,Never\n'
    const { id } = await uploaded(file)
    expect((await act(id, 'check')).progress).toMatchObject({ created: 3, failed: 1 })
    expect(await crm.count('companies')).toBe(0)
    expect((await act(id, 'start')).progress).toMatchObject({ created: 3, failed: 1 })
    expect((await companies()).map(({ name }) => name).sort()).toEqual(['Bad', 'Beta Ltd'])
    const names = new Map((await companies()).map(({ id, name }) => [id, name]))
    const linked = (await contacts()).map(({ customer_id }) => names.get(customer_id))
    expect(linked).toEqual(['Beta Ltd', 'Beta Ltd', 'Bad'])
    await act(id, 'undo')
    expect([await crm.count('companies'), await crm.count('contacts')]).toEqual([0, 0])
    expect((await imported(file, { unknown_companies: 'report' })).progress).toMatchObject({ created: 3, warned: 3 })
    expect((await imported(file, { unknown_companies: 'fail', mode: 'create', match_by: null })).progress).toMatchObject({
      created: 0,
      failed: 4,
    })
    expect(await crm.count('companies')).toBe(0)
  })

  test('creating companies takes the right to', async () => {
    const { id } = await uploaded('First Name,Company\nAna,Acme\n')
    const limited = await crm.ws.key({ scopes: ['imports:*', 'contacts:*'] })
    expect(await limited.post(`/imports/${id}/start`)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
    found(await limited.patch(`/imports/${id}`, { unknown_companies: 'report' }))
    expect(await limited.post(`/imports/${id}/start`)).toMatchObject({ status: 200 })
  })
})

test('a line is matched by the best identifier that it has; a record without an external id is taken over', async () => {
  const ana = await crm.contact({ first_name: 'Ana', email: 'a@example.com' })
  const bo = await crm.contact({ first_name: 'Bo', email: 'b@example.com', external_id: '2' })
  const cy = await crm.contact({ first_name: 'Cy', phone: '0412 345 678' })
  const run = await imported(
    'External ID,First Name,Email,Phone\n1,Anna,a@example.com,\n2,Bob,new@example.com,\n3,Other,b@example.com,\n,Cyd,,0412345678\n,Dan,' +
      'd@example.com,0412 345 678\n',
  )
  expect((await rows(run.id)).map(({ status, record_id }) => [status, record_id])).toEqual([
    ['updated', ana.id],
    ['updated', bo.id],
    ['created', expect.any(String)],
    ['updated', cy.id],
    ['created', expect.any(String)],
  ])
})

test('an address that several records without an external id share takes none of them over, and stops nothing', async () => {
  for (const first_name of ['Ana', 'Anna']) await crm.contact({ first_name, email: 'a@example.com' })
  const run = await imported('External ID,First Name,Email\n1,Ana,a@example.com\n2,Bo,b@example.com\n')
  expect(run).toMatchObject({ state: 'finished', progress: { created: 2, updated: 0, failed: 0 } })
  expect((await contacts()).map(({ external_id, email }) => [external_id, email])).toEqual([
    [null, 'a@example.com'],
    [null, 'a@example.com'],
    ['1', 'a@example.com'],
    ['2', 'b@example.com'],
  ])
  expect((await imported('External ID,First Name,Email\n1,Ana,a@example.com\n')).progress).toMatchObject({ created: 0, updated: 1 })
})

test.each([
  ['contacts', 'First Name,Email,Phone\nAna,a@example.com,0412 345 678\nAna,,0412 345 678\n'],
  ['companies', 'Company name,Website URL,Email,External ID\nAcme,acme.example,a@acme.example,1\nAcme,,a@acme.example,\n'],
  ['products', 'SKU,Product Name,Unit price\nD-1,Desk,80\n,Desk,85\n'],
])('of %s a line finds the record of an earlier one by another identifier, and so does a repetition', async (object, file) => {
  const [first, again] = [await imported(file, { object }), await imported(file, { object })]
  expect(first.progress).toMatchObject({ created: 1, updated: 1, failed: 0 })
  expect(again.progress).toMatchObject({ created: 0, updated: 2, failed: 0 })
})

test('lines that find one record by different identifiers update it one after the other', async () => {
  const { id } = await crm.contact({ first_name: 'Ana', email: 'a@example.com', phone: '0412 345 678', external_id: '7' })
  const lines = [
    'External ID,First Name,Last Name,City,Email,Phone',
    ',,,,b@example.com,',
    ',,Lee,,,0412 345 678',
    ',Anna,,,a@example.com,',
  ]
  const { id: run } = await uploaded([...lines, '7,,,Perth,,', ''].join('\n'))
  const outcomes = ['created', 'updated', 'updated', 'updated']
  await act(run, 'check')
  expect((await rows(run)).map(({ status }) => status)).toEqual(outcomes)
  await act(run, 'start')
  expect((await rows(run)).map(({ status, errors }) => [status, errors])).toEqual(outcomes.map((status) => [status, []]))
  expect(found(await crm.ws.get(`/contacts/${id}`))).toMatchObject({ first_name: 'Anna', last_name: 'Lee', city: 'Perth' })
})

test('addresses with the names of their owners are addresses', async () => {
  const run = await imported('First Name,Email,Other emails\nAna,Ana Lee <a@example.com>,Ana <b@example.com>; c@example.com\n')
  expect(run.progress).toMatchObject({ created: 1, failed: 0, warned: 0 })
  expect(await contacts()).toMatchObject([{ email: 'a@example.com', alternate_emails: ['b@example.com', 'c@example.com'] }])
})

test('an address in a cell is added to the stored ones', async () => {
  await crm.contact({ first_name: 'Ana', email: 'a@example.com', alternate_emails: ['old@example.com'] })
  await imported('First Name,Email\nAna,a@example.com; new@example.com\n')
  expect(await contacts()).toMatchObject([{ email: 'a@example.com', alternate_emails: ['old@example.com', 'new@example.com'] }])
})

test('a file that was imported before is reported before it starts, until that import is undone', async () => {
  const file = 'First Name,Email\nAna,a@example.com\n'
  const first = await imported(file)
  const { id, earlier_imports } = await uploaded(file)
  expect(earlier_imports).toMatchObject([{ id: first.id, state: 'finished', file_name: first.file_name }])
  expect(await crm.ws.post(`/imports/${id}/start`)).toMatchObject({
    status: 200,
    body: { _warnings: [{ code: 'FILE_IMPORTED_BEFORE', details: { import_ids: [first.id] } }] },
  })
  await crm.app.drain()
  await act(id, 'undo')
  await act(first.id, 'undo')
  expect((await uploaded(file)).earlier_imports).toEqual([])
  expect(await uploaded('First Name,Email\nBo,b@example.com\n')).toMatchObject({ earlier_imports: [] })
})

test('the preview shows what each cell becomes, and why one is dropped, for the settings in force', async () => {
  const file =
    'First Name,Email,Mobile,DOB,Zork,Email Opt Out\nAna,A@Example.com; b@example.com,0412 345 678,05/17,x,yes\nBo,b@,,soon,,perhaps\n'
  const made = await uploaded(file)
  const cell = (line: number, column: string, preview = made.preview) => preview[line].cells.filter((one: Row) => one.column === column)
  expect(cell(0, 'Email')).toMatchObject([
    { field: 'email', value: 'a@example.com', problem: null },
    { field: 'alternate_emails', value: 'b@example.com' },
  ])
  expect(cell(0, 'Mobile')).toMatchObject([{ text: '0412 345 678', field: 'phone', value: '+61412345678' }])
  expect(cell(0, 'DOB')).toMatchObject([{ field: 'date_of_birth', value: null, problem: expect.stringContaining('no year') }])
  expect(cell(0, 'Zork')).toMatchObject([{ field: null, value: null, problem: expect.stringContaining('No field') }])
  expect(cell(0, 'Email Opt Out')).toMatchObject([{ field: 'email_unsubscribed', value: true }])
  expect(made.preview[1]).toMatchObject({ line: 3, errors: expect.arrayContaining([expect.objectContaining({ field: 'date_of_birth' })]) })
  expect(cell(1, 'Email Opt Out')).toMatchObject([{ value: null, problem: expect.stringContaining('yes or no') }])
  const changed = found(await crm.ws.patch(`/imports/${made.id}`, { country: 'New Zealand', ignored_columns: ['Zork'] }))
  expect(cell(0, 'Mobile', changed.preview)).toMatchObject([{ value: '+64412345678' }])
  expect(cell(0, 'Zork', changed.preview)).toMatchObject([{ problem: expect.stringContaining('ignored') }])
  const limited = await crm.ws.key({ scopes: ['imports:read'] })
  expect(found(await limited.get(`/imports/${made.id}`)).preview).toEqual([])
})

test('the warnings about a person are erased with the person', async () => {
  const run = await imported('First Name,Email,DOB\nAna,a@example.com,05/17\nBo,b@example.com,06/18\n')
  const [ana] = await contacts()
  expect(run.progress.warned).toBe(2)
  found(await crm.ws.delete(`/contacts/${ana?.id}?purge=true`))
  expect((await rows(run.id)).map(({ warnings }) => warnings.map(({ value }: Row) => value))).toEqual([[], ['06/18']])
})

describe('a vCard file', () => {
  const CARDS = `BEGIN:VCARD
VERSION:2.1
N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;Zo=C3=AB;;;
TEL;CELL:0412 345 678
TEL;WORK:02 4900 1000
EMAIL;INTERNET:zoe@example.com
EMAIL;INTERNET:zoe.m@example.com
ORG:Lund Boats
BDAY:--0517
END:VCARD
BEGIN:VCARD
VERSION:3.0
FN:Bo Lee
EMAIL:bo@
END:VCARD
`
  test('is imported like a table, and its report names the line of each card', async () => {
    const made = created(await upload(CARDS, '?file_name=contacts.vcf', crm.ws, { 'content-type': 'text/vcard' }))
    expect(made).toMatchObject({
      file_name: 'contacts.vcf',
      object: 'contacts',
      file: { type: 'vcard', format: 'vcard' },
      progress: { total: 2 },
    })
    expect(made.preview).toMatchObject([{ line: 1 }, { line: 11, errors: [{ field: 'email' }] }])
    const run = await act(made.id, 'start')
    expect(run.progress).toMatchObject({ created: 1, failed: 1, warned: 1 })
    const [company] = await companies()
    expect(await contacts()).toMatchObject([
      {
        first_name: 'Zoë',
        last_name: 'Müller',
        phone: '+61412345678',
        email: 'zoe@example.com',
        alternate_emails: ['zoe.m@example.com'],
        customer_id: company?.id,
      },
    ])
    expect((await rows(run.id)).map(({ line, status }) => [line, status])).toEqual([
      [1, 'created'],
      [11, 'failed'],
    ])
    const [{ warnings }] = (await rows(run.id, '&warnings=true')) as [Row]
    expect(warnings.map(({ field }: Row) => field)).toContain('date_of_birth')
  })
})

test('files can be imported in any order: later lines complete the companies that earlier ones refer to', async () => {
  const settings = { unknown_companies: 'placeholder', external_id_prefix: 'hub-' }
  const people = await imported(
    'First Name,Email,Company\nAna,a@example.com,1042\nBo,b@example.com,Beta\nCy,c@example.com,1042\n',
    settings,
  )
  expect(people.progress).toMatchObject({ created: 3, warned: 0 })
  expect(await companies()).toMatchObject([
    { name: 'hub-1042', external_id: 'hub-1042' },
    { name: 'Beta', external_id: null },
  ])
  const deals = await imported('Deal,Company,Amount\nDeck,1042,5\nRoof,Gamma,7\n', { ...settings, object: 'opportunities' })
  expect(deals.progress).toMatchObject({ created: 2 })
  const before = await companies()
  const file = 'External ID,Company Name,Parent company\n1042,Acme,Delta\n7,Beta,1042\n8,Gamma,Delta\n9,Delta,\n'
  const { progress } = await imported(file, { ...settings, object: 'companies' })
  expect(progress).toMatchObject({ updated: 4, created: 0, failed: 0 })
  const after = await companies()
  const nameOf = (id: string) => after.find((company) => company.id === id)?.name
  expect(after.map(({ name, external_id, parent_company_id }) => [name, external_id, nameOf(parent_company_id)])).toEqual([
    ['Acme', 'hub-1042', 'Delta'],
    ['Beta', 'hub-7', 'Acme'],
    ['Gamma', 'hub-8', 'Delta'],
    ['Delta', 'hub-9', undefined],
  ])
  expect(before.map(({ id }) => id)).toEqual(after.slice(0, 3).map(({ id }) => id))
  expect((await contacts()).map(({ customer_id }) => nameOf(customer_id))).toEqual(['Acme', 'Beta', 'Acme'])
})
