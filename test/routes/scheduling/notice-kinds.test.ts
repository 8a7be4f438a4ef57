import { expect, test } from 'vitest'
import { created, failed, found, held, type Row, refused, useCrm } from '../crm.ts'
import { notifying } from './notices.ts'
import { book, eventType, monday } from './scheduling.ts'

const crm = useCrm({ own: true })
const { booked, change, emailsTo, inviteOf, noticesOf, statesOf, subjectsTo, tick } = notifying(crm)
const enabled = (kind: string, fields: Row = {}) => ({ kind, is_enabled: true, ...fields })
const set = async (type: Row, ...notices: Row[]) => found(await crm.ws.patch(`/scheduled-event-types/${type.id}`, { notices }))

test('the booker gets a notice that we wait, one that the meeting was missed, and an invitation to book again', async () => {
  // At night the last two would wait for the morning.
  found(await crm.ws.patch('/company/crm-settings', { quiet_hours: null }))
  await eventType(crm.ws, { notices: [enabled('late'), enabled('no_show'), enabled('rebooking', { offsets_minutes: [30, 60] })] })
  const booking = await booked('09:00', { attendees: ['ben@example.com'] })
  await change(booking, 'mark-late')
  await change(booking, 'mark-no-show')
  const subjects = () => subjectsTo(booking.email).map((subject) => subject.split(':')[0])
  expect(subjects()).toEqual(['Confirmed', 'We are waiting for you', 'We missed you'])
  expect(subjectsTo('ben@example.com')).toHaveLength(3)
  expect(emailsTo(booking.email).at(-1)!.TextBody).toMatch(/Book another time: http\S+\/book\/\S+\/first-meeting/)
  const at = (minutes: number) => crm.app.cron('* * * * *', new Date(Date.now() + minutes * 60_000))
  await at(29)
  expect(subjects()).toHaveLength(3)
  await at(31)
  await crm.app.drain()
  expect(subjects().at(-1)).toBe('Find another time')
  // Whoever has found another time is not asked again.
  created(await book(crm.ws, { email: booking.email, starts_at: `${monday(3)} 09:00` }))
  await at(61)
  await crm.app.drain()
  expect(subjects().filter((subject) => subject === 'Find another time')).toHaveLength(1)
  expect(await statesOf(booking)).toContain('rebooking 60 skipped booked_again')
})

test('a pending booking and one that waits for approval send nothing until they are confirmed', async () => {
  await eventType(crm.ws, { requires_confirmation: true })
  const pending = await booked('09:00')
  expect(await statesOf(pending)).toEqual([])
  expect(emailsTo(pending.email)).toEqual([])
  await change(pending, 'confirm')
  expect(subjectsTo(pending.email)).toEqual([expect.stringContaining('Confirmed')])
  const request = { email: 'held@example.com', starts_at: `${monday()} 11:00`, require_approval: true }
  expect(await book(crm.ws, request)).toMatchObject(held)
  await crm.app.drain()
  expect(emailsTo('held@example.com')).toEqual([])
  // A request that is declined was in no calendar.
  const declined = await booked('10:00')
  await change(declined, 'decline')
  const [email] = emailsTo(declined.email)
  expect(email!.Subject).toContain('Cancelled')
  expect(inviteOf(email!)).toBe('')
})

test('each seat has reminders of its own, and an attendee who is added gets the invitation and what is still to come', async () => {
  const type = await eventType(crm.ws, { seats: 3 })
  const [ana, ben] = [await booked('09:00'), await booked('09:00')]
  found(await crm.ws.put(`/scheduling-bookings/${ana!.id}/attendees`, { attendees: ['dan@example.com'] }))
  await crm.app.drain()
  expect(subjectsTo('dan@example.com')).toEqual([expect.stringContaining('Confirmed')])
  await change(ben!, 'cancel')
  await tick(ana!, 60)
  expect(subjectsTo(ana!.email).filter((subject) => subject.startsWith('Reminder'))).toHaveLength(2)
  expect(subjectsTo('dan@example.com')).toHaveLength(3)
  expect(subjectsTo(ben!.email)).toEqual([expect.stringContaining('Confirmed'), expect.stringContaining('Cancelled')])
  // One who is taken off the list gets none, and a notice that is switched off is not sent.
  const eve = await booked('10:00', { attendees: ['eve@example.com'] })
  found(await crm.ws.put(`/scheduling-bookings/${eve.id}/attendees`, { attendees: [] }))
  await crm.app.drain()
  await set(type, { kind: 'reminder', is_enabled: false })
  await tick(eve, 60)
  expect(subjectsTo('eve@example.com')).toHaveLength(1)
  expect((await statesOf(eve)).sort()).toEqual([
    'confirmation sent',
    'confirmation sent',
    'reminder 1440 cancelled not_an_attendee',
    'reminder 1440 skipped disabled',
    'reminder 60 cancelled not_an_attendee',
    'reminder 60 skipped disabled',
  ])
})

test('contacts who opted out, were archived or are suppressed get no notice, and the reason is listed', async () => {
  await eventType(crm.ws)
  const gone = await crm.contact({ email: 'gone@example.com', email_unsubscribed: true })
  created(await crm.ws.post('/suppressions', { channel: 'email', address: 'bounced@example.com', reason: 'manual' }))
  const booking = await booked('09:00', { email: gone.email, attendees: ['bounced@example.com'] })
  expect(emailsTo(gone.email)).toEqual([])
  expect(await statesOf(booking)).toEqual(
    expect.arrayContaining(['confirmation skipped unsubscribed', 'confirmation skipped suppressed', 'reminder 60 due']),
  )
  const phoned = await booked('10:00', { email: undefined, phone: '+61412345678' })
  expect((await noticesOf(phoned))[0]).toMatchObject({ state: 'skipped', reason: 'no_address', recipient: null })
})

test('templates of the event type replace the texts, and an unknown merge tag is refused with its field', async () => {
  const type = await eventType(crm.ws)
  const path = `/scheduled-event-types/${type.id}`
  const refusedNotices = (...notices: Row[]) => crm.ws.patch(path, { notices })
  expect(await refusedNotices(enabled('late'), enabled('reminder', { email_body: 'Hi {firstname}' }))).toMatchObject(
    refused('notices.1.email_body'),
  )
  expect(await refusedNotices(enabled('late', { email_subject: 'See {management_url}' }))).toMatchObject(refused('notices.0.email_subject'))
  expect(await refusedNotices(enabled('late', { offsets_minutes: [10] }))).toMatchObject(refused('notices.0.offsets_minutes'))
  expect(await refusedNotices(enabled('reminder', { offsets_minutes: [5, 10, 15, 20, 25, 30] }))).toMatchObject(
    refused('notices.0.offsets_minutes'),
  )
  expect(await refusedNotices(enabled('late'), enabled('late'))).toMatchObject(refused('notices'))
  const body = '<p>Dear {name}, {event_type} is at {time}.</p>\n<p>Room: {location}</p>\n<p><a href="{management_url}">Change</a></p>'
  await set(type, enabled('confirmation', { email_subject: 'Welcome {first_name}', email_body: body }))
  const all = found(await crm.ws.get(`${path}/notices`))
  expect(all.notices).toHaveLength(11)
  expect(all.notices.find(({ kind }: Row) => kind === 'reminder')).toMatchObject({ is_enabled: true, offsets_minutes: [1440, 60] })
  const booking = await booked('09:00', { name: 'Zoë <b>{management_url}</b>' })
  const [email] = emailsTo(booking.email)
  expect(email!.Subject).toBe('Welcome Zoë')
  expect(email!.HtmlBody).toContain('Dear Zoë &lt;b&gt;management_url&lt;/b&gt;, First meeting is at 9:00 am (Australia/Sydney).')
  expect(email!.HtmlBody).not.toContain('Room')
  expect(email!.HtmlBody).toMatch(/<a href="http\S+\/manage\/[0-9a-f-]{36}">Change<\/a>/)
})

test('the email shows what was booked in a table, and what to do next as a button in the colour of the workspace', async () => {
  found(await crm.ws.patch('/company', { primary_color: '#ffd500' }))
  await eventType(crm.ws, { location: '1 <Harbour> Street' })
  const booking = await booked('10:00', { attendees: ['guest-of-table@example.com'] })
  const { management_url } = found(await crm.ws.get(`/scheduling-bookings/${booking.id}`))
  const html = emailsTo(booking.email)[0]!.HtmlBody as string
  const rows = [...html.matchAll(/<tr><td[^>]*>(.*?)<\/td><td[^>]*><strong>(.*?)<\/strong><\/td><\/tr>/g)].map(([, label, value]) => [
    label,
    value,
  ])
  expect(rows).toEqual([
    ['When', expect.stringContaining('10:00')],
    ['Where', '1 &lt;Harbour&gt; Street'],
    ['With', expect.any(String)],
  ])
  const button = /<a href="([^"]*)" style="([^"]*)">Move or cancel<\/a>/.exec(html)
  expect(button?.[1]).toBe(management_url)
  expect(button?.[2]).toContain('background:#ffd500;color:#000')
  expect(html).toMatch(/<a href="https:\/\/calendar\.google\.com\/[^"]*">Google Calendar<\/a>/)
  expect(html).toContain(`<a href="${management_url}/booking.ics">Calendar file</a>`)
  const guest = emailsTo('guest-of-table@example.com')[0]!.HtmlBody as string
  expect(guest).toContain('Google Calendar')
  expect(guest).not.toMatch(/Move or cancel|Calendar file|management_url/)
  for (const tag of ['table', 'tr', 'td', 'p', 'a', 'div', 'strong'])
    for (const one of [html, guest]) expect(one.split(`</${tag}>`).length, tag).toBe(one.split(new RegExp(`<${tag}[ >]`)).length)
})

test('a preview renders a notice for a booking or a sample, and sends nothing', async () => {
  const type = await eventType(crm.ws)
  const preview = (body: Row) => crm.ws.post(`/scheduled-event-types/${type.id}/notices/preview`, body)
  const sample = found(
    await preview({ kind: 'reminder', email_subject: 'Soon: {event_type}', email_body: 'Hello {name}: {management_url}' }),
  )
  expect(sample).toMatchObject({ subject: 'Soon: First meeting', recipient: 'ana@example.com', calendar: null })
  expect(sample.text).toMatch(/^Hello Ana Lee: http\S+\/manage\/token-of-the-booking$/)
  expect(await preview({ kind: 'reminder', email_body: '{nobody}' })).toMatchObject(refused('email_body'))
  const booking = await booked('09:00')
  const sent = crm.app.email.sent.length
  const shown = found(await preview({ kind: 'confirmation', booking_id: booking.id }))
  expect(shown).toMatchObject({ recipient: booking.email, calendar: expect.stringContaining('METHOD:REQUEST') })
  const token = found(await crm.ws.get(`/scheduling-bookings/${booking.id}`)).management_token
  expect(JSON.stringify(shown)).not.toContain(token)
  expect(await preview({ kind: 'confirmation', booking_id: crypto.randomUUID() })).toMatchObject(refused('booking_id'))
  await crm.app.drain()
  expect(crm.app.email.sent).toHaveLength(sent)
})

test('a notice is sent again on request, up to five times, while it is true', async () => {
  await eventType(crm.ws)
  const booking = await booked('09:00')
  const [confirmation, reminder] = await noticesOf(booking)
  const resend = (notice?: Row) => crm.ws.post(`/scheduling-bookings/${booking.id}/notices/${notice!.id}/resend`)
  const [first, second] = await Promise.all([resend(confirmation), resend(confirmation)])
  expect([created(first!).resend, created(second!).resend].sort()).toEqual([1, 2])
  await crm.app.drain()
  expect(emailsTo(booking.email)).toHaveLength(3)
  expect(await resend(reminder)).toMatchObject(failed(409, 'INVALID_STATE'))
  for (let n = 3; n <= 5; n++) created(await resend(confirmation))
  expect(await resend(confirmation)).toMatchObject(failed(409, 'INVALID_STATE'))
  await change(booking, 'cancel')
  expect(await resend(confirmation)).toMatchObject(failed(409, 'INVALID_STATE'))
  const other = await booked('10:00')
  expect(await crm.ws.post(`/scheduling-bookings/${other.id}/notices/${confirmation!.id}/resend`)).toMatchObject(failed(404, 'NOT_FOUND'))
})
