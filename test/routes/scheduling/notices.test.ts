import { expect, test } from 'vitest'
import { found, useCrm } from '../crm.ts'
import { notifying } from './notices.ts'
import { eventType, monday } from './scheduling.ts'

const crm = useCrm({ own: true })
const { booked, change, emailsTo, inviteOf, noticesOf, start, statesOf, subjectsTo, tick } = notifying(crm)

test('a booking is confirmed, announced before it begins, and its time names the zone', async () => {
  await eventType(crm.ws, { location: '12 Bridge Street' })
  const booking = await booked('09:00', { attendees: ['ben@example.com'] })
  const [email] = emailsTo(booking.email)
  expect(email).toMatchObject({ Tag: 'booking', Subject: expect.stringContaining('Confirmed: First meeting') })
  expect(email!.TextBody).toContain('9:00 am (Australia/Sydney)')
  expect(email!.TextBody).toContain('Where: 12 Bridge Street')
  expect(email!.TextBody).not.toContain('Video meeting')
  expect(inviteOf(email!)).toContain('METHOD:REQUEST')
  expect(email!.TextBody).toMatch(/\/book\/[^/]+\/manage\/[0-9a-f-]{36}/)
  expect(emailsTo('ben@example.com')[0]!.TextBody).not.toContain('/manage/')
  expect(await statesOf(booking)).toEqual(expect.arrayContaining(['confirmation sent', 'reminder 1440 due', 'reminder 60 due']))
  await tick(booking, 1_441)
  expect(subjectsTo(booking.email)).toHaveLength(1)
  for (const minutes of [1_440, 1_439, 61, 60, 59, 0]) await tick(booking, minutes)
  expect(subjectsTo(booking.email).map((subject) => subject.split(':')[0])).toEqual(['Confirmed', 'Reminder', 'Reminder'])
  expect((await noticesOf(booking)).every(({ state }) => state === 'sent')).toBe(true)
})

test('a booking that moves gets new reminders, and one that is cancelled gets none', async () => {
  await eventType(crm.ws)
  const old = await booked('09:00')
  const moved = await change(old, 'reschedule', { starts_at: `${monday()} 14:00`, timezone: 'Australia/Sydney' })
  expect(moved.starts_at).toBe(start('14:00'))
  expect(await statesOf(old)).toEqual(['confirmation sent', 'reminder 1440 cancelled booking_moved', 'reminder 60 cancelled booking_moved'])
  for (const minutes of [1_440, 60]) await tick(old, minutes)
  await change(moved, 'cancel', { reason: 'Ill' })
  for (const minutes of [60, 0]) await tick(moved, minutes)
  expect(subjectsTo(old.email).map((subject) => subject.split(':')[0])).toEqual(['Confirmed', 'Moved', 'Reminder', 'Cancelled'])
  const [first, second, , last] = emailsTo(old.email).map((email) => inviteOf(email))
  expect(second).toContain('SEQUENCE:1')
  expect(last).toContain('METHOD:CANCEL')
  expect(last).toContain('SEQUENCE:2')
  const uid = (invite?: string) => /UID:(.*)/.exec(invite ?? '')?.[1]
  expect([uid(second), uid(last)]).toEqual([uid(first), uid(first)])
  expect(found(await crm.ws.get(`/scheduling-bookings/${moved.id}`)).uid).toBe(uid(first)?.trim())
})
