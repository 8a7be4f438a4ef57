import { expect, test } from 'vitest'
import { unknownTags } from '../../src/domain/templates.ts'
import type { NoticeFacts } from '../../src/features/scheduling/rules/notice-facts.ts'
import { type DueNotice, decideNotice, planNotices } from '../../src/features/scheduling/rules/notice-plan.ts'
import { fillManagementUrl, renderNotice, withoutManagementLinks } from '../../src/features/scheduling/rules/notice-texts.ts'
import { defaultSetting, NOTICE_KINDS } from '../../src/features/scheduling/rules/notices.ts'
import { readChatMessage } from '../../src/features/whatsapp/rules/events.ts'
import { FACTS, HOUR, NOW } from './booking-facts.ts'

const BOOKER = { channel: 'email', recipient: 'ana@example.com', is_booker: true } as const
const reminder = (fields: Partial<DueNotice> = {}): DueNotice => ({
  ...BOOKER,
  kind: 'reminder',
  offset_minutes: 60,
  sequence: 0,
  send_at: FACTS.starts_at - HOUR,
  created_at: NOW,
  resend: 0,
  ...fields,
})
const decided = (facts: Partial<NoticeFacts>, notice = reminder(), at = FACTS.starts_at - HOUR) =>
  decideNotice(notice, { ...FACTS, ...facts }, at)

test('each status of a booking has its notices, and nobody gets one twice', () => {
  const kinds = (facts: Partial<NoticeFacts>) =>
    planNotices({ ...FACTS, ...facts }, NOW).map(({ kind, recipient }) => `${kind} ${recipient[0]}`)
  expect(kinds({})).toEqual(['confirmation a', 'confirmation b', 'reminder a', 'reminder a', 'reminder b', 'reminder b'])
  expect(kinds({ previous_starts_at: NOW }).slice(0, 2)).toEqual(['reschedule a', 'reschedule b'])
  expect(kinds({ status: 'cancelled' })).toEqual(['cancellation a', 'cancellation b'])
  for (const facts of [{ status: 'cancelled', is_moved: true }, { status: 'pending' }, { status: 'attended' }, { status: 'late' }] as const)
    expect(kinds(facts)).toEqual([])
})

test('a change is announced once, while it is fresh, to attendees and to hosts, of whom the former one is no attendee', () => {
  const change = { sequence: 2, noted_at: NOW - HOUR / 2, host: { name: 'Fay', email: 'former@example.com' }, location: null }
  const addressees = (facts: Partial<NoticeFacts>) =>
    planNotices({ ...FACTS, changes: [change], announced: 1, ...facts }, NOW).flatMap(({ kind, recipient }) =>
      kind === 'update' ? [recipient] : [],
    )
  expect(addressees({})).toEqual(['ana@example.com', 'ben@example.com', 'host@example.com', 'former@example.com'])
  expect(addressees({ announced: 2 })).toEqual([])
  expect(addressees({ changes: [{ ...change, noted_at: NOW - 2 * HOUR }] })).toEqual([])
  expect(addressees({ status: 'cancelled' })).toEqual([])
})

test('a reminder is decided about by the booking at the time of sending', () => {
  expect(decided({})).toMatchObject({ action: 'send', expires_at: FACTS.starts_at })
  expect(decided({ status: 'cancelled' })).toEqual({ action: 'cancel', reason: 'booking_cancelled' })
  expect(decided({ is_moved: true, status: 'cancelled' })).toEqual({ action: 'cancel', reason: 'booking_moved' })
  expect(decided({ email: 'other@example.com', attendees: [] })).toEqual({ action: 'cancel', reason: 'not_an_attendee' })
  expect(decided({}, reminder(), FACTS.starts_at)).toEqual({ action: 'skip', reason: 'past' })
  expect(decided({}, reminder({ created_at: FACTS.starts_at - HOUR / 2 }))).toEqual({ action: 'skip', reason: 'past' })
  expect(decided({}, reminder(), NOW)).toEqual({ action: 'wait', until: FACTS.starts_at - HOUR })
  expect(decided({ suppressed: [{ channel: 'email', address: 'ana@example.com' }] })).toEqual({ action: 'skip', reason: 'suppressed' })
})

test('default texts have known merge tags, no empty line of a missing value, and the link for the booker alone', () => {
  for (const kind of NOTICE_KINDS)
    for (const channel of ['email', 'sms'] as const)
      for (const to of [
        { ...BOOKER, channel },
        { channel, recipient: 'ben@example.com', is_booker: false },
      ]) {
        const { subject, text, html } = renderNotice(defaultSetting(kind), FACTS, { ...to, sequence: 0 }, 'https://crm.example.com')
        for (const part of [subject ?? '', text, html ?? '']) expect(unknownTags(part, ['management_url'])).toEqual([])
        expect(text).not.toMatch(/: *$|\n\n\n/m)
        if (!to.is_booker) expect(text).not.toContain('{management_url}')
      }
})

test('a link that a provider reports is stored as its tag, and a text without a link loses the line', () => {
  const link = 'https://crm.example.com/book/acme/manage/254c7c7e-1984-4f11-8697-608a60dfd742'
  const text = `Hello\nMove or cancel: ${link}\nAcme`
  expect(withoutManagementLinks(text)).toBe('Hello\nMove or cancel: {management_url}\nAcme')
  expect(fillManagementUrl(withoutManagementLinks(text), link)).toBe(text)
  expect(fillManagementUrl(withoutManagementLinks(text), null)).toBe('Hello\nAcme')
  const posted = { key: { id: 'A1', remoteJid: '61412000222@s.whatsapp.net', fromMe: true }, message: { conversation: text } }
  expect(readChatMessage(posted, new Date())?.text).not.toContain('254c7c7e')
})
