import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { upload, uploaded, imported, act, rows } = useImports(crm)
const contacts = async () => found(await crm.ws.get('/contacts?sort=created_at'))
const companies = async () => found(await crm.ws.get('/companies?sort=created_at'))
const fixture = (file: string) => readFileSync(join(import.meta.dirname, '../import/fixtures', file), 'utf8')
const runFile = async (file: string): Promise<Row> => {
  const { id } = created(await upload(fixture(file), `?file_name=${file}`))
  return act(id, 'start')
}
const warningsOf = async (id: string) =>
  (await rows(id, '&warnings=true')).map(({ line, warnings }) => [line, warnings[0].field, warnings[0].column])

describe('an export of another product is imported without help', () => {
  test('people of HubSpot keep their consent, and their companies are created and linked once', async () => {
    const run = await runFile('hubspot-contacts.csv')
    expect(run).toMatchObject({
      file: { format: 'hubspot_contacts' },
      mode: 'upsert',
      match_by: 'best',
      progress: { created: 3, warned: 1 },
    })
    const [company, ...others] = await companies()
    expect([company?.name, others.length]).toEqual(['Bluebay Ltd', 0])
    expect(await contacts()).toMatchObject([
      { external_id: 'hubspot-7431', first_name: 'Ada', phone: '+61412345678', customer_id: company?.id, email_unsubscribed: false },
      { external_id: 'hubspot-7432', first_name: 'Ben', customer_id: company?.id, email_unsubscribed: true },
      { external_id: 'hubspot-7433', first_name: 'Chi', customer_id: null, email_unsubscribed: true },
    ])
    expect(await warningsOf(run.id)).toEqual([[2, 'lead_source', 'Lead Source']])
  })

  test('its companies take over those that the people named, and its deals find them', async () => {
    await runFile('hubspot-contacts.csv')
    expect((await runFile('hubspot-companies.csv')).progress).toMatchObject({ created: 0, updated: 1 })
    expect(await companies()).toMatchObject([
      { name: 'Bluebay Ltd', external_id: 'hubspot-9001', website_url: expect.stringContaining('bluebay.example'), employee_count: 40 },
    ])
    const run = await runFile('hubspot-deals.csv')
    expect(run.progress).toMatchObject({ created: 1, warned: 1 })
    const [company] = await companies()
    expect(found(await crm.ws.get('/opportunities'))).toMatchObject([
      { name: 'Bluebay workstations', status: 'won', value: 15_000, customer_id: company?.id },
    ])
    expect(await warningsOf(run.id)).toEqual([[2, 'owner', 'Deal owner']])
  })

  test('Salesforce: opt-outs of email and calls; a company that is known by its id only is reported', async () => {
    await runFile('salesforce-accounts.csv')
    await runFile('salesforce-contacts.csv')
    await runFile('salesforce-contacts-report.csv')
    const [kestrel] = await companies()
    expect(await contacts()).toMatchObject([
      {
        ...{
          first_name: 'Gia',
          external_id: 'salesforce-0035g00000AbCdEAAV',
          customer_id: kestrel?.id,
          phone: '+61412345670',
          landline: '+61249001000',
        },
        ...{ email_unsubscribed: true, voice_unsubscribed: true, sms_unsubscribed: false, date_of_birth: '1980-05-17' },
      },
      { first_name: 'Hal', customer_id: kestrel?.id, email_unsubscribed: true, voice_unsubscribed: false },
    ])
    const other = await crm.app.workspace()
    const { id } = created(await upload(fixture('salesforce-contacts.csv'), '', other))
    await act(id, 'start', other).catch(() => {})
    expect(found(await other.get(`/imports/${id}/rows`))).toMatchObject([
      { status: 'created', warnings: [{ field: 'company', column: 'AccountId' }, { field: 'lead_source' }] },
    ])
  })

  test('Pipedrive: two numbers and addresses in a cell, and a deal whose status is won', async () => {
    const run = await runFile('pipedrive-persons.csv')
    expect(await contacts()).toMatchObject([
      {
        first_name: 'Jo',
        last_name: 'Vega',
        email: 'jo@example.com',
        alternate_emails: ['jo.vega@example.com'],
        phone: '+61412345672',
        email_unsubscribed: true,
      },
    ])
    const [{ warnings }] = (await rows(run.id)) as [Row]
    const [contact] = await contacts()
    // Where contacts have a field for further numbers, they are there.
    if (contact && 'alternate_phones' in contact) expect(contact.alternate_phones).toEqual(['+61412345673'])
    else expect(warnings).toMatchObject([{ field: 'phone', column: 'Person - Phone', message: expect.stringContaining('0412 345 673') }])
    await runFile('pipedrive-deals.csv')
    expect(found(await crm.ws.get('/opportunities?sort=created_at'))).toMatchObject([
      { name: 'Acre Farms tractors', status: 'won', closed_at: '2026-02-01T04:00:00.000Z' },
      { name: 'Acre Farms ploughs', status: 'open' },
    ])
  })

  test('Mailchimp: those who are not subscribed, whatever the file says of them, also if they are known here', async () => {
    const known = await crm.contact({ first_name: 'Rae', email: 'rae@example.com' })
    for (const file of [
      'mailchimp-subscribed.csv',
      'unsubscribed_members_export.csv',
      'cleaned_members_export.csv',
      'nonsubscribed_members_export.csv',
    ])
      expect((await runFile(file)).progress, file).toMatchObject({ failed: 0 })
    expect((await contacts()).map(({ first_name, email_unsubscribed }) => [first_name, email_unsubscribed])).toEqual([
      ['Rae', true],
      ['Quin', false],
      ['Sol', true],
      ['Tia', true],
    ])
    expect((await contacts())[0]?.id).toBe(known.id)
  })

  test.each([
    [
      'zoho-contacts.csv',
      { email_unsubscribed: true, alternate_emails: ['ines.b@example.com'], phone: '+4915123456789', landline: '+4930901820' },
    ],
    ['google-contacts.csv', { alternate_emails: ['noor.h@example.com'], date_of_birth: null, job_title: 'Designer' }],
    ['google-contacts-old.csv', { first_name: 'Omar', phone: '+61412345676' }],
    ['outlook.csv', { date_of_birth: null, alternate_emails: ['pia.lund@example.com'], landline: '+61249002000', city: 'Hobart' }],
    [
      'attio-people.csv',
      { first_name: 'Uma', alternate_emails: ['uma.p@example.com'], external_id: '2b1c4e5f-1111-4222-8333-444455556666' },
    ],
    [
      'highlevel-contacts.csv',
      { email_unsubscribed: true, sms_unsubscribed: true, voice_unsubscribed: true, whatsapp_unsubscribed: true, country: 'Australia' },
    ],
    ['salesforce-leads.csv', { first_name: 'Leo', email_unsubscribed: false }],
    ['salesforce-leads-report.csv', { first_name: 'Mia', email_unsubscribed: true }],
  ])('%s', async (file, expected) => {
    const run = await runFile(file)
    expect(run.progress, JSON.stringify(await rows(run.id))).toMatchObject({ created: 1, failed: 0 })
    expect(await contacts()).toMatchObject([expected])
    expect((await companies()).length).toBe(1)
  })

  test.each([
    'pipedrive-organizations.csv',
    'zoho-accounts.csv',
    'zoho-deals.csv',
    'salesforce-opportunities.csv',
    'salesforce-opportunities-report.csv',
    'attio-companies.csv',
    'attio-deals.csv',
    'highlevel-opportunities.csv',
  ])('%s', async (file) => {
    const run = await runFile(file)
    expect(run.progress, JSON.stringify(await rows(run.id))).toMatchObject({ created: 1, failed: 0 })
  })
})

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
    'External ID,First Name,Email,Phone\n1,Anna,a@example.com,\n2,Bob,new@example.com,\n3,Other,b@example.com,\n,Cyd,,0412345678\n,Dan,d@example.com,0412 345 678\n',
  )
  expect((await rows(run.id)).map(({ status, record_id }) => [status, record_id])).toEqual([
    ['updated', ana.id],
    ['updated', bo.id],
    ['created', expect.any(String)],
    ['updated', cy.id],
    ['created', expect.any(String)],
  ])
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
    expect(await warningsOf(run.id)).toContainEqual([1, expect.stringMatching(/phone|date_of_birth/), expect.any(String)])
  })
})
