import { expect, test } from 'vitest'
import { found, useCrm } from '../crm.ts'
import { notifying } from './notices.ts'
import { eventType } from './scheduling.ts'

const crm = useCrm()
const { booked, change, emailsTo, inviteOf, statesOf, subjectsTo } = notifying(crm)

test('a host who has left the workspace learns nothing more of the booking', async () => {
  const emailOf = async (id: string) => (await crm.app.owner.query('select email from users where id = $1', [id])).rows[0].email as string
  const [leaving, staying] = [await crm.ws.key(), await crm.ws.key()]
  await eventType(crm.ws, { assignment: 'collective' }, [leaving.userId, staying.userId])
  const booking = await booked('09:00')
  found(await crm.ws.delete(`/company/users/${leaving.userId}`))
  found(await crm.ws.patch(`/scheduling-bookings/${booking.id}`, { location: '8 Harbour Road' }))
  await crm.app.drain()
  expect([emailsTo(await emailOf(leaving.userId)).length, emailsTo(await emailOf(staying.userId)).length]).toEqual([0, 1])
})

test('attendees and hosts get a notice of each change, once, and the calendar entry has another version', async () => {
  const other = await crm.ws.key()
  const emailOf = async (id: string) => (await crm.app.owner.query('select email from users where id = $1', [id])).rows[0].email as string
  const [former, next] = [await emailOf(crm.ws.userId), await emailOf(other.userId)]
  await eventType(crm.ws, { location: '12 Bridge Street' }, [crm.ws.userId, other.userId])
  const booking = await booked('09:00', { attendees: ['ben@example.com'], host_id: crm.ws.userId })
  expect(booking.host_id).toBe(crm.ws.userId)

  found(await crm.ws.patch(`/scheduling-bookings/${booking.id}`, { location: '8 Harbour Road' }))
  await crm.app.drain()
  const [, moved] = emailsTo(booking.email)
  expect(moved).toMatchObject({ Subject: expect.stringContaining('Changed: First meeting') })
  expect(moved!.TextBody).toMatch(/Where: 8 Harbour Road[\s\S]*Place before: 12 Bridge Street/)
  expect(moved!.TextBody).not.toContain('Host before')
  expect(inviteOf(moved!)).toMatch(/METHOD:REQUEST[\s\S]*SEQUENCE:1[\s\S]*LOCATION:8 Harbour Road/)
  expect(emailsTo(former)).toMatchObject([{ Subject: expect.stringContaining('Changed') }])

  await change(booking, 'reassign', { host_id: other.userId })
  const [, , given] = emailsTo(booking.email)
  expect(given!.TextBody).toMatch(/With: .+[\s\S]*Host before: .+/)
  expect(given!.TextBody).not.toContain('Place before')
  expect(inviteOf(given!)).toMatch(/SEQUENCE:2/)
  expect(inviteOf(given!).replace(/\r\n /g, '')).toContain(next)
  expect([emailsTo(former).length, emailsTo(next).length]).toEqual([2, 1])
  // A host has the booking as an event of the calendar, and no link of the booker.
  for (const email of [...emailsTo(former), ...emailsTo(next)]) {
    expect(inviteOf(email)).toBe('')
    expect(email.TextBody).not.toContain('/manage/')
  }
  expect(subjectsTo('ben@example.com').map((subject) => subject.split(':')[0])).toEqual(['Confirmed', 'Changed', 'Changed'])

  found(
    await crm.ws.patch(`/scheduling-bookings/${booking.id}`, {
      notes: 'Bring the plans',
      location: '8 Harbour Road',
    }),
  )
  await crm.app.drain()
  expect(subjectsTo(booking.email)).toHaveLength(3)
  await change(booking, 'cancel')
  expect(inviteOf(emailsTo(booking.email).at(-1)!)).toMatch(/METHOD:CANCEL[\s\S]*SEQUENCE:3/)
  expect((await statesOf(booking)).filter((state) => state.startsWith('update'))).toEqual(Array(7).fill('update sent'))
})
