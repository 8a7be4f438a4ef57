import { expect, test } from 'vitest'
import { consentFieldsOf, isClearConsent, looksLikeConsent, readConsent } from '../../src/features/imports/rules/consent.ts'
import { ALL, EMAIL, LANGUAGES, NAMES } from '../import/consent-names.ts'

test.each([
  ['Unsubscribed from all email', ['email_unsubscribed'], true],
  ['Email Opt Out', ['email_unsubscribed'], true],
  ['HasOptedOutOfEmail', ['email_unsubscribed'], true],
  ['Person - Marketing status', ['email_unsubscribed'], false],
  ['UNSUB_TIME', ['email_unsubscribed'], false],
  ['DND', ALL, true],
  ['DND SMS', ['sms_unsubscribed'], true],
  ['Do not contact', ALL, true],
  ['Do Not Call', ['voice_unsubscribed'], true],
  ['DoNotCall', ['voice_unsubscribed'], true],
  ['SMS opt-out', ['sms_unsubscribed'], true],
  ['WhatsApp opted out', ['whatsapp_unsubscribed'], true],
  ['Accepts Email Marketing', ['email_unsubscribed'], true],
  ['Opted out of email: One to One', ['email_unsubscribed'], false],
  ['Enrichment opt out', ['email_unsubscribed'], false],
  ['GDPR consent given', ['email_unsubscribed'], false],
])('the column %j is about consent', (name, fields, clear) => {
  expect([looksLikeConsent({ name }), consentFieldsOf(name), isClearConsent({ name })]).toEqual([true, fields, clear])
})

test.each([
  'Email',
  'Status',
  'Call Status',
  'Fax Opt Out',
  'HasOptedOutOfFax',
  'Notes',
  'Donor',
  'Subscription plan',
  'Brand new date',
  'Textile',
  'Country',
  'Do Notes exist',
  // For whom HubSpot bills.
  'Marketing contact status',
  'Phone No.',
  'No. of calls',
  'N.º de teléfono',
  'Contact No',
  'Notes text',
  'Notification email',
  'Nonprofit contact',
  'Not called yet',
  'Never contacted',
  'Mailing Street',
  'Do not send by post',
  'DoNotFax',
  'Telefonnummer',
  'Nom du contact',
  'Stop date',
  'Passport',
  'Contact owner',
  'Adoption',
])('the column %j is not', (name) => {
  expect(looksLikeConsent({ name })).toBe(false)
})

test.each(Object.keys(LANGUAGES))('a refusal in %s is recognised in every spelling, by itself, and its channel with it', (language) => {
  const names = NAMES.filter((one) => one.language === language)
  expect(names.length).toBeGreaterThan(400)
  const wrong = names.flatMap(({ name, fields: expected }) => {
    const fields: string[] = consentFieldsOf(name)
    const isRight =
      isClearConsent({ name }) &&
      expected.every((one) => fields.includes(one)) &&
      (expected.length > 1 || fields.length === 1 || expected[0] === EMAIL) &&
      ['yes', 'TRUE', '1', 'x', '2024-03-14'].every((text) => readConsent(fields[0]!, name, text).toString() && isOut(name, text)) &&
      ['no', 'FALSE', '0'].every((text) => !isOut(name, text))
    return isRight ? [] : [`${name} → ${isClearConsent({ name })} ${fields}`]
  })
  expect(wrong).toEqual([])
})
const isOut = (name: string, text: string) => {
  const cell = readConsent(EMAIL, name, text)
  return 'value' in cell && cell.value === true
}

test('a name that denies an opt-out, or has both, is asked about: its values must say what they mean', () => {
  for (const name of ['Not unsubscribed', 'Never opted out', 'Opt in / opt out', 'Nicht abgemeldet']) {
    expect([name, looksLikeConsent({ name })]).toEqual([name, true])
    for (const text of ['yes', 'no']) expect([name, read(name, text)]).toEqual([name, { message: expect.stringContaining('must say') }])
    expect(read(name, 'unsubscribed')).toEqual({ value: true })
  }
})

test('a column with answers, or dates, is asked about if its name has a word for contacting people, and others are not', () => {
  const asks = (name: string, ...samples: string[]) => looksLikeConsent({ name, samples })
  for (const name of ['Email ok', 'May we call', 'Kontakt erlaubt', 'Téléphone autorisé', 'Werbung', 'WhatsApp'])
    for (const values of [['yes', 'no'], ['1'], ['ja'], ['oui', 'non'], ['2024-03-14']])
      expect([name, asks(name, ...values)]).toEqual([name, true])
  for (const name of ['Newsletter date', 'Keine Anrufe vor 9', 'Reason to opt out']) expect([name, asks(name)]).toEqual([name, true])
  expect([asks('Active', 'yes'), asks('Email', 'ana@example.com'), asks('Contact type', 'Press'), asks('Birthday', '2000-01-01')]).toEqual([
    ...[false, false, false, false],
  ])
  expect(asks('No. telephone', '0412 345 678')).toBe(false)
  for (const value of ['Do not email', 'Bitte nicht anrufen', 'DNC', 'Ne pas contacter', 'VIP; no calls', 'Geen e-mail', 'Dado de baja'])
    expect([value, asks('Group', 'A', value)]).toEqual([value, true])
  for (const value of ['Confirmed', 'No', 'None', 'Newsletter', 'Not started', 'Stop', 'Contacted', 'Nordic mail'])
    expect(asks('Group', value)).toBe(false)
})

test('a column of whatever name is about consent if its values are', () => {
  expect(looksLikeConsent({ name: 'Email Status', samples: ['Verified', 'Unsubscribed'] })).toBe(true)
  expect(looksLikeConsent({ name: 'Email Status', samples: ['Verified'] })).toBe(false)
})

const read = (column: string, text: string, field = 'email_unsubscribed') => readConsent(field, column, text)

test.each([
  ['Email Opt Out', 'true'],
  ['Email Opt Out', 'YES'],
  ['Email Opt Out', '1'],
  ['HasOptedOutOfEmail', 'TRUE'],
  ['Unsubscribed from all email', 'Yes'],
  ['Person - Marketing status', 'Not subscribed'],
  ['Person - Marketing status', 'No consent'],
  ['Person - Marketing status', 'Unsubscribed'],
  ['Status', 'cleaned'],
  ['Status', 'Opted-out'],
  ['UNSUB_TIME', '2024-03-14 09:12:31'],
  ['Email Opt In', 'No'],
  ['Accepts Email Marketing', 'false'],
  ['Subscribed', '0'],
  ['DND', 'Email, SMS'],
  ['Column 4', 'x'],
])('%s: %j is a person who has unsubscribed', (column, text) => {
  expect(read(column, text)).toEqual({ value: true })
})

test.each([
  ['Email Opt Out', 'false'],
  ['Email Opt Out', 'Subscribed'],
  ['Marketing contact status', 'Marketing contact'],
  ['Person - Marketing status', 'Subscribed'],
  ['Email Opt In', 'yes'],
  ['OPTIN_TIME', '2024-03-14 09:12:31'],
  ['DND', 'SMS'],
])('%s: %j is one who has not', (column, text) => {
  expect(read(column, text)).toEqual({ value: false })
})

test.each([
  ['Email Opt Out', 'maybe'],
  ['Marketing status', 'yes'],
  ['Marketing status', '1'],
  ['Email Opt Out', 'Email, fax'],
  ['DND', '-'],
])('%s: %j says neither', (column, text) => {
  expect(read(column, text)).toEqual({ message: expect.stringContaining('must say') })
})
