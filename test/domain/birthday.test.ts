import { expect, test } from 'vitest'
import { endOfContact, isQuiet, quietEnd } from '../../src/domain/quiet-hours.ts'
import { renderBodies, renderTemplate, unknownTags } from '../../src/domain/templates.ts'
import {
  birthdaysAround,
  birthdaysOn,
  openingOf,
  scheduleBirthdays,
  templateFor,
  yearsOfRelationship,
} from '../../src/features/birthdays/rules/birthday.ts'
import { canReach, type Recipient } from '../../src/features/messages/rules/reachability.ts'

const at = (text: string) => new Date(text)
const NIGHT = { from: '20:00', to: '08:00' }
const SYDNEY = 'Australia/Sydney'

test.each([
  ['2027-02-28', [228, 229]],
  ['2028-02-28', [228]],
  ['2028-02-29', [229]],
  ['2100-02-28', [228, 229]],
  ['2027-12-31', [1231]],
])('on %s there are the birthdays %j', (day, birthdays) => expect(birthdaysOn(day)).toEqual(birthdays))

test('the birthdays around an instant are those of every zone, over the turn of the year too', () => {
  expect(birthdaysAround(at('2027-12-31T11:00:00Z'))).toEqual([1230, 1231, 101])
  expect(birthdaysAround(at('2027-02-28T12:00:00Z'))).toEqual([228, 229, 301])
})

test.each([
  ['2027-06-01T09:59:59Z', false, '2027-06-01T09:59:59.000Z'],
  ['2027-06-01T10:00:00Z', true, '2027-06-01T22:00:00.000Z'],
  ['2027-06-01T21:59:59Z', true, '2027-06-01T22:00:00.000Z'],
  ['2027-06-01T22:00:00Z', false, '2027-06-01T22:00:00.000Z'],
  // The clocks go back, and forward, in the night.
  ['2027-04-03T15:00:00Z', true, '2027-04-03T22:00:00.000Z'],
  ['2027-10-02T15:00:00Z', true, '2027-10-02T21:00:00.000Z'],
])('quiet hours over midnight, at %s', (time, quiet, end) => {
  expect(isQuiet(NIGHT, at(time), SYDNEY)).toBe(quiet)
  expect(quietEnd(NIGHT, at(time), SYDNEY).toISOString()).toBe(end)
})

test('quiet hours that end when the clocks skip that time end as much later', () => {
  // In Sydney 02:00 becomes 03:00.
  expect(quietEnd({ from: '20:00', to: '02:30' }, at('2027-10-02T15:00:00Z'), SYDNEY).toISOString()).toBe('2027-10-02T16:30:00.000Z')
})

test('messages of a day may be sent from eight on, after the quiet hours, until they begin again or the day ends', () => {
  const opening = (quiet: Parameters<typeof openingOf>[2]) => openingOf('2027-06-02', SYDNEY, quiet)?.toISOString()
  expect(opening(NIGHT)).toBe('2027-06-01T22:00:00.000Z')
  expect(opening(null)).toBe('2027-06-01T22:00:00.000Z')
  expect(opening({ from: '22:00', to: '10:15' })).toBe('2027-06-02T00:15:00.000Z')
  expect(opening({ from: '07:00', to: '06:00' })).toBeUndefined()
  const end = (quiet: Parameters<typeof openingOf>[2]) => endOfContact(quiet, at('2027-06-02T00:00:00Z'), SYDNEY).toISOString()
  expect(end(NIGHT)).toBe('2027-06-02T10:00:00.000Z')
  expect(end(null)).toBe('2027-06-02T14:00:00.000Z')
  expect(end({ from: '02:00', to: '08:00' })).toBe('2027-06-02T14:00:00.000Z')
})

test('the next look is when the next zone opens, after a minute for an unknown zone, and within the hour', () => {
  const next = (now: string, ...groups: [number, string | null][]) =>
    scheduleBirthdays(
      groups.map(([birthday, zone]) => ({ birthday, zone })),
      NIGHT,
      at(now),
    )
  const before = next('2027-06-01T21:40:00Z', [602, SYDNEY], [602, 'Pacific/Auckland'])
  expect([before.next.toISOString(), before.open.map(({ zone }) => zone)]).toEqual(['2027-06-01T22:00:00.000Z', ['Pacific/Auckland']])
  expect(next('2027-06-01T21:40:00Z', [602, null]).next.toISOString()).toBe('2027-06-01T21:41:00.000Z')
  expect(next('2027-06-01T12:00:00Z').next.toISOString()).toBe('2027-06-01T13:00:00.000Z')
  expect(next('2027-06-02T09:00:00Z', [602, SYDNEY]).open).toMatchObject([{ day: '2027-06-02', expires_at: '2027-06-02T10:00:00.000Z' }])
  expect(next('2027-06-02T10:00:00Z', [602, SYDNEY]).open).toEqual([])
})

test('years of a relationship are complete years in the zone of the contact', () => {
  expect(yearsOfRelationship('2024-06-01T20:00:00Z', SYDNEY, '2027-06-01')).toBe(2)
  expect(yearsOfRelationship('2024-06-01T20:00:00Z', 'America/New_York', '2027-06-01')).toBe(3)
  expect(yearsOfRelationship(null, SYDNEY, '2027-06-01')).toBe(0)
  expect(yearsOfRelationship('2028-01-01T00:00:00Z', SYDNEY, '2027-06-01')).toBe(0)
  const templates = [3, 1].map((year) => ({ year, email_subject: null, email_body: null, sms_body: null }))
  expect([0, 1, 2, 3, 40].map((years) => templateFor(templates, years)?.year)).toEqual([1, 1, 1, 3, 3])
  expect(templateFor([], 1)).toBeUndefined()
})

test('a template replaces its own tags once, and nothing else', () => {
  const values = { name: '{age} $& {name}', age: '7' }
  expect(renderTemplate('{name} {age} { age } {toString} {__proto__} {constructor} {}', values)).toBe(
    '{age} $& {name} 7 { age } {toString} {__proto__} {constructor} {}',
  )
  expect(unknownTags('{name} { age } {toString} p {color: red}', ['name', 'age'])).toEqual(['{ age }', '{toString}'])
  expect(renderBodies('a < b & {name}\nc', { name: '<i>' })).toEqual({ text: 'a < b & <i>\nc', html: 'a &lt; b &amp; &lt;i&gt;<br>\nc' })
  expect(renderBodies('<style>p {x: y}</style><p>A&amp;B<br>{name}</p>', { name: '&lt;' })).toEqual({
    text: 'A&B\n&lt;',
    html: '<style>p {x: y}</style><p>A&amp;B<br>&amp;lt;</p>',
  })
})

test('the first reason that applies is why a contact cannot be reached', () => {
  const contact: Recipient = {
    archived: false,
    email: 'ana@example.com',
    phone: null,
    zone: SYDNEY,
    quiet_hours: NIGHT,
    suppressed: [],
    configured: ['email'],
    email_unsubscribed: false,
    sms_unsubscribed: false,
    whatsapp_unsubscribed: false,
  }
  const night = at('2027-06-01T12:00:00Z')
  const reason = (more: Partial<Recipient>, time = night) => {
    const reach = canReach({ ...contact, ...more }, 'email', time)
    return reach.reachable ? 'reachable' : reach.reason
  }
  const all: [Partial<Recipient>, string][] = [
    [{}, 'quiet_hours'],
    [{ suppressed: ['email'] }, 'suppressed'],
    [{ email_unsubscribed: true }, 'unsubscribed'],
    [{ email: null }, 'no_address'],
    [{ archived: true }, 'archived'],
  ]
  let so_far: Partial<Recipient> = {}
  for (const [more, expected] of all) {
    so_far = { ...so_far, ...more }
    expect(reason(so_far)).toBe(expected)
  }
  expect(reason({ suppressed: ['sms'], sms_unsubscribed: true }, at('2027-06-01T22:00:00Z'))).toBe('reachable')
  expect(canReach({ ...contact, phone: '+61412345678' }, 'sms', night)).toMatchObject({ reason: 'channel_not_configured' })
})
