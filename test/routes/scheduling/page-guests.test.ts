import { expect, test } from 'vitest'
import { found, refused, useCrm } from '../crm.ts'
import { notifying } from './notices.ts'
import { eventType } from './scheduling.ts'
import { formAt, links, openPage, visitor, visits } from './visitor.ts'

const crm = useCrm()
const { emailsTo } = notifying(crm)
const { filled, booked, bookings } = visits(crm)
const guest = (n: number) => `page-guest-${n}@example.com`

test('a visitor names guests, who are attendees and hear of the booking, as many as the event type allows', async () => {
  const { id } = await eventType(crm.ws)
  const page = await openPage(crm.ws)
  const ana = visitor(crm.app)
  expect((await ana.get(formAt(page, '09:00'))).text).not.toContain('id="guests"')
  const unasked = await ana.post(`${page}/first-meeting`, await filled(page, '09:00', { guests: guest(1) }))
  expect([unasked.status, unasked.text]).toEqual([422, expect.stringContaining('Guests: name at most 0')])

  found(await crm.ws.patch(`/scheduled-event-types/${id}`, { max_guests: 2 }))
  expect((await ana.get(formAt(page, '09:00'))).text).toContain('Their email addresses, at most 2,')
  const send = async (guests: string) => ana.post(`${page}/first-meeting`, await filled(page, '09:00', { guests }))
  const many = await send([1, 2, 3].map(guest).join('\n'))
  expect([many.status, many.text]).toEqual([422, expect.stringContaining('Guests: name at most 2')])
  const wrong = await send(`${guest(1)}\nben@`)
  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('Guests: ben@ is not an email address')])
  expect(wrong.text).toContain(`>${guest(1)}\nben@</textarea>`)
  expect(await bookings()).toEqual([])

  // The booker's own address, one address twice, and other separators.
  await booked(page, '09:00', {
    email: 'page-booker@example.com',
    guests: ` ${guest(1)}, ${guest(2)};${guest(1)} page-booker@example.com `,
  })
  expect(await bookings()).toMatchObject([{ email: 'page-booker@example.com', attendees: [guest(1), guest(2)] }])
  await crm.app.drain()
  expect([1, 2].map((n) => emailsTo(guest(n)).map(({ Subject }) => Subject))).toEqual(
    [1, 2].map(() => [expect.stringMatching(/^Confirmed: First meeting/)]),
  )
})

test('guests wait for the confirmation of the booker, and hear of nothing before it', async () => {
  await eventType(crm.ws, { confirm_email: true, max_guests: 1 })
  const page = await openPage(crm.ws)
  const email = 'page-confirming@example.com'
  const { status } = await visitor(crm.app).post(`${page}/first-meeting`, await filled(page, '10:00', { email, guests: guest(4) }))
  expect(status).toBe(303)
  await crm.app.drain()
  expect(emailsTo(guest(4))).toEqual([])
  const link = /\S+\/(book\/\S+\/confirm\/[\w-]+)/.exec(emailsTo(email)[0]!.TextBody)?.[1]
  expect((await visitor(crm.app).post(`/${link}`, {})).status).toBe(303)
  expect(await bookings()).toMatchObject([{ email, attendees: [guest(4)] }])
})

test('after a booking its page leads on to the address of the event type, once', async () => {
  const type = { redirect_url: 'https://www.example.com/thanks?from=crm' }
  expect(await crm.ws.post('/scheduled-event-types', { name: 'Call', redirect_url: 'http://www.example.com/' })).toMatchObject(
    refused('redirect_url'),
  )
  await eventType(crm.ws, type)
  const page = await openPage(crm.ws)
  const address = await booked(page, '11:00')
  const ana = visitor(crm.app)
  const after = await ana.get(`${address}?done=booked`)
  expect(links(after)).toContain(type.redirect_url)
  expect(after.text).toContain('Continue to www.example.com</a>')
  expect(links(await ana.get(address))).not.toContain(type.redirect_url)
})
