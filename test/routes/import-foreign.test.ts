import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { created, found, type Row, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { upload, act, rows } = useImports(crm)
const contacts = async () => found(await crm.ws.get('/contacts?sort=created_at'))
const companies = async () => found(await crm.ws.get('/companies?sort=created_at'))
const fixture = (file: string) => readFileSync(join(import.meta.dirname, '../import/fixtures', file), 'utf8')
const runFile = async (file: string): Promise<Row> => {
  const { id } = created(await upload(fixture(file), `?file_name=${file}`))
  return act(id, 'start')
}
const warningsOf = async (id: string) =>
  (await rows(id, '&warnings=true')).flatMap(({ line, warnings }) => warnings.map(({ field, column }: Row) => [line, field, column]))

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
      { external_id: 'hubspot-7433', first_name: 'Chi', customer_id: null, email_unsubscribed: false },
    ])
    expect((await warningsOf(run.id)).toSorted()).toEqual([
      [2, 'lead_source', 'Lead Source'],
      [2, 'owner', 'Contact owner'],
    ])
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
      { name: 'Bluebay workstations', status: 'won', closed_at: '2026-04-15T00:00:00.000Z', value: 15_000, customer_id: company?.id },
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
        first_name: 'Gia',
        external_id: 'salesforce-0035g00000AbCdEAAV',
        customer_id: kestrel?.id,
        phone: '+61412345670',
        landline: '+61249001000',
        email_unsubscribed: true,
        voice_unsubscribed: true,
        sms_unsubscribed: false,
        date_of_birth: '1980-05-17',
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
    else
      expect(warnings).toContainEqual(
        expect.objectContaining({ field: 'phone', column: 'Person - Phone', message: expect.stringContaining('0412 345 673') }),
      )
    await runFile('pipedrive-deals.csv')
    expect(found(await crm.ws.get('/opportunities?sort=created_at'))).toMatchObject([
      { name: 'Acre Farms tractors', status: 'won', closed_at: '2026-01-31T17:00:00.000Z' },
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
