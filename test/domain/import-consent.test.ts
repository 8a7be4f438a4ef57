import { expect, test } from 'vitest'
import { consentFieldsOf, isClearConsent, looksLikeConsent, readConsent } from '../../src/domain/imports/consent.ts'

const ALL = ['email_unsubscribed', 'sms_unsubscribed', 'voice_unsubscribed', 'whatsapp_unsubscribed']

test.each([
  ['Unsubscribed from all email', ['email_unsubscribed'], true],
  ['Email Opt Out', ['email_unsubscribed'], true],
  ['HasOptedOutOfEmail', ['email_unsubscribed'], true],
  ['Marketing contact status', ['email_unsubscribed'], true],
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
  expect([looksLikeConsent({ name }), consentFieldsOf(name), isClearConsent(name)]).toEqual([true, fields, clear])
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
])('the column %j is not', (name) => {
  expect(looksLikeConsent({ name })).toBe(false)
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
  ['Marketing contact status', 'Non-marketing contact'],
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
