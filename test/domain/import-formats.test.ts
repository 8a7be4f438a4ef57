import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readRecords } from '../../src/domain/csv/read.ts'
import { undecidedColumns } from '../../src/features/imports/rules/consent.ts'
import { FIELDS } from '../../src/features/imports/rules/fields.ts'
import { FORMATS, formatSettings, recogniseFormat } from '../../src/features/imports/rules/formats/index.ts'
import { missingSettings, settingsIssues } from '../../src/features/imports/rules/settings.ts'
import { automaticMapping, suggestMapping } from '../../src/features/imports/rules/suggest.ts'

const FOLDER = join(import.meta.dirname, '../import/fixtures')
const columnsOf = (file: string) => {
  const { records } = readRecords(readFileSync(join(FOLDER, file), 'utf8'), { delimiter: ',', line: 1, atEnd: true })
  return (records[0]?.cells ?? []).map((name) => ({ name, samples: [] }))
}
function settingsOf(file: string) {
  const columns = columnsOf(file)
  const names = columns.map(({ name }) => name)
  const format = recogniseFormat(names, file)
  if (!format) throw new Error(`${file} has no known format`)
  const mapping = automaticMapping(suggestMapping(format.object, columns, [], format))
  return {
    columns,
    names,
    format,
    mapping,
    settings: { object: format.object, mapping, mode: 'upsert' as const, match_by: 'best', ...formatSettings(format, columns) },
  }
}
/** The fields of the columns, by the first letters of the format: `field: columns`. */
const filled = (file: string) =>
  Object.fromEntries(
    Map.groupBy(settingsOf(file).mapping, ({ field }) => field)
      .entries()
      .map(([field, list]) => [field, list.map(({ column }) => column).join(', ')]),
  )

const files = readdirSync(FOLDER).filter((file) => file.endsWith('.csv'))

describe('an export file', () => {
  test.each([
    ['hubspot-contacts.csv', 'hubspot_contacts'],
    ['hubspot-companies.csv', 'hubspot_companies'],
    ['hubspot-deals.csv', 'hubspot_deals'],
    ['salesforce-contacts.csv', 'salesforce_contacts'],
    ['salesforce-contacts-report.csv', 'salesforce_contacts_report'],
    ['salesforce-leads.csv', 'salesforce_leads'],
    ['salesforce-leads-report.csv', 'salesforce_leads_report'],
    ['salesforce-accounts.csv', 'salesforce_accounts'],
    ['salesforce-opportunities.csv', 'salesforce_opportunities'],
    ['salesforce-opportunities-report.csv', 'salesforce_opportunities_report'],
    ['pipedrive-persons.csv', 'pipedrive_persons'],
    ['pipedrive-organizations.csv', 'pipedrive_organizations'],
    ['pipedrive-deals.csv', 'pipedrive_deals'],
    ['zoho-contacts.csv', 'zoho_contacts'],
    ['zoho-accounts.csv', 'zoho_accounts'],
    ['zoho-deals.csv', 'zoho_deals'],
    ['google-contacts.csv', 'google_contacts'],
    ['google-contacts-old.csv', 'google_contacts_old'],
    ['outlook.csv', 'outlook'],
    ['mailchimp-subscribed.csv', 'mailchimp_audience'],
    ['unsubscribed_members_export.csv', 'mailchimp_unsubscribed'],
    ['cleaned_members_export.csv', 'mailchimp_unsubscribed'],
    ['nonsubscribed_members_export.csv', 'mailchimp_unsubscribed'],
    ['attio-people.csv', 'attio_people'],
    ['attio-companies.csv', 'attio_companies'],
    ['attio-deals.csv', 'attio_deals'],
    ['highlevel-contacts.csv', 'highlevel_contacts'],
    ['highlevel-opportunities.csv', 'highlevel_opportunities'],
  ])('%s is %s', (file, name) => {
    expect(files).toContain(file)
    expect(settingsOf(file).format.name).toBe(name)
  })

  test.each(files)('%s can be imported without a decision', (file) => {
    const { settings, names, columns } = settingsOf(file)
    expect(settingsIssues(settings, names)).toEqual([])
    expect(missingSettings(settings, columns)).toEqual([])
    expect(undecidedColumns(columns, settings.mapping, settings.ignored_columns)).toEqual([])
  })
})

test('the columns of each product fill the fields that they mean', () => {
  expect(filled('hubspot-contacts.csv')).toMatchObject({
    external_id: 'Record ID',
    email: 'Email',
    phone: 'Phone Number',
    company: 'Associated Company',
    contact_type: 'Lifecycle Stage',
    lead_source: 'Lead Source',
    email_unsubscribed: 'Unsubscribed from all email',
  })
  expect(filled('salesforce-contacts.csv')).toMatchObject({
    company: 'AccountId',
    phone: 'MobilePhone, HomePhone, OtherPhone',
    landline: 'Phone',
    email_unsubscribed: 'HasOptedOutOfEmail',
    voice_unsubscribed: 'DoNotCall',
    date_of_birth: 'Birthdate',
    job_title: 'Title',
  })
  expect(settingsOf('salesforce-contacts.csv').settings.ignored_columns).toEqual([])
  expect(filled('pipedrive-deals.csv')).toMatchObject({
    stage: 'Deal - Status, Deal - Stage',
    closed_at: 'Deal - Won time, Deal - Lost time',
    contact: 'Deal - Contact person',
  })
  expect(filled('hubspot-deals.csv')).toMatchObject({ contact: 'Associated Contact' })
  expect(filled('zoho-deals.csv')).toMatchObject({ contact: 'Contact Name.id' })
  expect(filled('highlevel-opportunities.csv')).toMatchObject({ contact: 'email' })
  expect(filled('attio-deals.csv')).toMatchObject({ contact: 'Associated people' })
  expect(filled('google-contacts.csv')).toMatchObject({ email: 'E-mail 1 - Value, E-mail 2 - Value', company: 'Organization Name' })
  expect(filled('outlook.csv')).toMatchObject({
    phone: 'Mobile Phone, Primary Phone, Business Phone 2, Home Phone, Home Phone 2, Other Phone',
    landline: 'Business Phone',
    job_title: 'Job Title',
  })
  expect(filled('highlevel-contacts.csv')).toMatchObject({
    email_unsubscribed: 'DND',
    sms_unsubscribed: 'DND',
    voice_unsubscribed: 'DND',
    whatsapp_unsubscribed: 'DND',
  })
  expect(settingsOf('unsubscribed_members_export.csv').settings.ignored_columns).toContain('UNSUB_REASON')
})

test('a column that a format does not know is matched by its name, and a HubSpot subscription is consent', () => {
  const columns = [
    'Record ID',
    'First Name',
    'Last Name',
    'Email',
    'Lead Status',
    'Opted out of email: One to One',
    'Tier',
    'Date of birth',
  ].map((name) => ({ name, samples: [] }))
  const format = recogniseFormat(
    columns.map(({ name }) => name),
    'x.csv',
  )
  const mapping = suggestMapping('contacts', columns, [{ key: 'tier', label: 'Tier', type: 'text', options: [] }], format)
  expect(mapping.map(({ column, field }) => [column, field])).toEqual(
    expect.arrayContaining([
      ['Opted out of email: One to One', 'email_unsubscribed'],
      ['Tier', 'metadata.tier'],
      ['Date of birth', 'date_of_birth'],
    ]),
  )
})

test('an ordinary file has no format', () => {
  expect(recogniseFormat(['First Name', 'Last Name', 'Email', 'Company'], 'people.csv')).toBeUndefined()
  expect(recogniseFormat([], 'cleaned_members_export.csv')).toBeUndefined()
})

/** Fields that the formats know, and that this object may not have. */
const LATER = ['owner', 'tags']
test('every format has its own name, and fields of its object', () => {
  expect(new Set(FORMATS.map(({ name }) => name)).size).toBe(FORMATS.length)
  for (const { name, object, columns } of FORMATS) {
    const fields = [...FIELDS[object].map((field) => field.name), ...LATER]
    const used = Object.values(columns).flatMap((rule) => rule?.split(/[ |]/) ?? [])
    expect(
      used.filter((field) => !fields.includes(field)),
      name,
    ).toEqual([])
  }
})
