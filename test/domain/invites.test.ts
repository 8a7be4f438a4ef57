import ICAL from 'ical.js'
import { convertIcsCalendar } from 'ts-ics'
import { expect, test } from 'vitest'
import { inviteFile } from '../../src/features/scheduling/rules/invites.ts'
import type { NoticeFacts } from '../../src/features/scheduling/rules/notice-facts.ts'
import { FACTS as BOOKED } from './booking-facts.ts'

const FACTS: NoticeFacts = {
  ...BOOKED,
  sequence: 2,
  starts_at: Date.UTC(2027, 3, 3, 23, 30),
  ends_at: Date.UTC(2027, 3, 4, 0),
  updated_at: 0,
  duration_minutes: 30,
  attendees: ['ben@example.com'],
}
const NOW = Date.UTC(2027, 2, 1, 12, 0, 5)
const LINK = 'https://crm.example.com/book/acme/manage/0190'

/** What each of two parsers that are not ours reads. */
function read(file: string) {
  const root = new ICAL.Component(ICAL.parse(file))
  const event = new ICAL.Event(root.getFirstSubcomponent('vevent') as ICAL.Component)
  const value = (name: string) => root.getFirstSubcomponent('vevent')?.getFirstPropertyValue(name)?.toString()
  const attendees = event.attendees.map((attendee) => [attendee.getFirstValue(), attendee.getParameter('cn')])
  const first = {
    method: root.getFirstPropertyValue('method'),
    uid: event.uid,
    sequence: event.sequence,
    start: event.startDate.toJSDate().getTime(),
    end: event.endDate.toJSDate().getTime(),
    summary: event.summary,
    location: event.location ?? undefined,
    description: event.description ?? undefined,
    status: value('status'),
    organizer: event.organizer.replace('mailto:', ''),
    attendees: attendees.map(([address, name]) => [String(address).replace('mailto:', ''), name]),
  }
  const calendar = convertIcsCalendar(undefined, file)
  const [other] = calendar.events ?? []
  const second = {
    method: calendar.method,
    uid: other?.uid,
    sequence: other?.sequence,
    start: other?.start.date.getTime(),
    end: other?.end?.date.getTime(),
    summary: other?.summary,
    location: other?.location,
    description: other?.description,
    status: other?.status,
    organizer: other?.organizer?.email,
    attendees: other?.attendees?.map(({ email, name }) => [email, name]),
  }
  return { first, second }
}

test('two foreign parsers read the same invitation', () => {
  const file = inviteFile({ ...FACTS, location: '12 Bridge Street, Sydney; level 3' }, 'REQUEST', NOW, LINK)
  const { first, second } = read(file)
  expect(first).toEqual({
    method: 'REQUEST',
    uid: 'b@bookings',
    sequence: 2,
    start: FACTS.starts_at,
    end: FACTS.ends_at,
    status: 'CONFIRMED',
    summary: 'First meeting – Acme',
    location: '12 Bridge Street, Sydney; level 3',
    description: `Move or cancel: ${LINK}`,
    organizer: 'hana@example.com',
    attendees: [
      ['ana@example.com', 'Ana Lee'],
      ['ben@example.com', 'ben@example.com'],
    ],
  })
  expect(second).toEqual(first)
  expect(file).toContain('DTSTART:20270403T233000Z\r\n')
  expect(file).toContain('DTSTAMP:20270301T120005Z\r\n')
})

test('a cancellation has the UID of the invitation and a higher SEQUENCE, and no link', () => {
  const { first, second } = read(inviteFile({ ...FACTS, status: 'cancelled' }, 'CANCEL', NOW, LINK))
  expect(first).toMatchObject({ method: 'CANCEL', uid: 'b@bookings', sequence: 3, status: 'CANCELLED', description: undefined })
  expect(second).toEqual(first)
})

test('names and texts with line breaks, quotes, long and foreign characters change no structure, and lines are folded', () => {
  const hostile = 'Zoë "The\r\nATTENDEE:mailto:eve@example.com" 中文\\;,\u0007'
  const facts: NoticeFacts = {
    ...FACTS,
    name: hostile,
    host: { name: hostile.repeat(4), email: 'hana@example.com' },
    location: `${hostile}\nEND:VEVENT ${'東京'.repeat(60)}`,
    event_type: { ...FACTS.event_type, name: `Meeting; one, two\\n ${'é'.repeat(80)}` },
    video_meet_link: `https://meet.example.com/${'a'.repeat(300)}`,
  }
  const file = inviteFile(facts, 'REQUEST', NOW, LINK)
  for (const line of file.split('\r\n')) expect(new TextEncoder().encode(line).length).toBeLessThanOrEqual(75)
  expect(file.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  const { first, second } = read(file)
  expect(first.attendees.map(([address]) => address)).toEqual(['ana@example.com', 'ben@example.com'])
  expect(second.attendees?.map(([address]) => address)).toEqual(['ana@example.com', 'ben@example.com'])
  expect(first.location).toContain('END:VEVENT')
  expect([second.summary, second.location, second.description]).toEqual([first.summary, first.location, first.description])
  expect(first.summary).toBe(`Meeting; one, two\\n ${'é'.repeat(80)} – Acme`)
})
