import { expect, test } from 'vitest'
import { created, found, type Row, useCrm } from '../crm.ts'
import { messaging } from '../messaging.ts'
import { audit, eventType, sydney } from './scheduling.ts'
import { day, links, openPage, type Page, visitor, visits } from './visitor.ts'

const crm = useCrm({ own: true })
const { filled, bookings } = visits(crm)
const { emailsTo } = messaging(crm)

let people = 0
const newcomer = () => `newcomer-${++people}@example.com`
const contacts = async (): Promise<Row[]> => found(await crm.ws.get('/contacts'))
const isFree = async (time: string) =>
  found(await crm.ws.post('/scheduling-bookings/check-availability', { event_type: 'first-meeting', starts_at: sydney(day, time) }))
    .available

/** Sends the form for a time, and does what follows. */
async function asks(page: string, time: string, fields: Row): Promise<Page> {
  const sent = await visitor(crm.app).post(`${page}/first-meeting`, await filled(page, time, fields))
  await crm.app.drain()
  return sent
}

/** The path of the link in the latest email to an address. */
function linkTo(address: string): string {
  const { TextBody } = emailsTo(address).at(-1) as Row
  return new URL(/http\S+\/confirm\/\S+/.exec(TextBody)?.[0] ?? 'http://no.link/').pathname
}
/** As if the half hour of every held time were over. */
async function halfAnHourLater() {
  for (const table of ['booking_confirmations', 'booking_holds', 'host_claims'])
    await crm.app.owner.query(
      `update ${table} set expires_at = now() - interval '1 second' where workspace_id = $1 and expires_at is not null`,
      [crm.ws.id],
    )
}

test('an unknown address confirms by the link of an email: a GET changes nothing, the button books once', async () => {
  const { app, ws } = crm
  await eventType(ws, { confirm_email: true, minimum_notice_minutes: 60 })
  const page = await openPage(ws)
  const email = newcomer()
  const fields = await filled(page, '09:00', { email, notes: 'Ring twice' })
  const answers = await Promise.all([1, 2].map(() => visitor(app).post(`${page}/first-meeting`, fields)))
  await app.drain()
  expect(answers.map(({ status, location }) => [status, location])).toEqual(
    answers.map(() => [303, `${page}/first-meeting?tz=Australia%2FSydney&done=mail`]),
  )
  expect((await visitor(app).get(answers[0]?.location as string)).text).toContain('<h1>Check your email: First meeting</h1>')
  expect([await bookings(), await contacts(), await isFree('09:00')]).toEqual([[], [], false])
  const [mail, ...others] = emailsTo(email)
  expect(others).toEqual([])
  expect(mail?.Subject).toMatch(/^Please confirm: First meeting, Monday/)
  expect(mail?.TextBody).toContain('9:00 am (Australia/Sydney)')

  const link = linkTo(email)
  for (const _ of [1, 2]) {
    const { status, text } = await visitor(app).get(link)
    expect([status, text.includes('<h1>Confirm your booking</h1>'), text.includes('Ana Lee')]).toEqual([200, true, true])
  }
  expect(await bookings()).toEqual([])
  const pressed = await Promise.all([1, 2].map(() => visitor(app).post(link, {})))
  pressed.push(await visitor(app).post(link, {}), await visitor(app).get(link))
  const [booking, ...more] = await bookings()
  expect(more).toEqual([])
  expect(pressed.map(({ status, location }) => [status, location])).toEqual(
    pressed.map(() => [303, `${page}/manage/${booking?.management_token}?done=booked`]),
  )
  expect(booking).toMatchObject({ email, name: 'Ana Lee', notes: 'Ring twice', starts_at: sydney(day, '09:00'), source: 'page' })
  expect(found(await ws.get(`/contacts/${booking?.contact_id}`))).toMatchObject({ email, source: 'form_submission' })
  await audit(crm)

  // Neither what was typed nor the token is kept.
  const token = link.split('/').at(-1) as string
  for (const table of ['outbox', 'changes', 'requests', 'messages', 'booking_confirmations', 'voice_results', 'booking_holds'])
    expect(
      (await app.owner.query(`select 1 from ${table} t where workspace_id = $1 and t::text like $2`, [ws.id, `%${token}%`])).rows,
      table,
    ).toEqual([])
  expect((await app.owner.query('select form from booking_confirmations where workspace_id = $1', [ws.id])).rows).toEqual([{ form: null }])
  expect(app.logs.filter((line) => line.includes(token) && !/^(GET|POST) /.test(line))).toEqual([])
})

test('a held time is free again when it has expired, and a wrong link looks like an expired one', async () => {
  const { app, ws } = crm
  await eventType(ws, { confirm_email: true })
  const page = await openPage(ws)
  const email = newcomer()
  await asks(page, '10:00', { email })
  const link = linkTo(email)
  await halfAnHourLater()
  expect(await isFree('10:00')).toBe(true)
  const missing = await visitor(app).get('/book/nobody-here')
  const other = link.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))
  for (const path of [link, other, `${page}/confirm/xyz`, link.replace('/confirm/', '/manage/')]) {
    const shown = await visitor(app).get(path)
    expect(shown.status, path).toBe(404)
    expect(shown.text.replaceAll(path, ''), path).toBe(missing.text.replaceAll('/book/nobody-here', ''))
  }
  for (const path of [link, other]) expect((await visitor(app).post(path, {})).status).toBe(404)
  await app.cron('* * * * *', new Date())
  const { rows } = await app.owner.query(
    'select c.form, h.state from booking_confirmations c join booking_holds h using (workspace_id, id) where workspace_id = $1',
    [ws.id],
  )
  expect(rows).toEqual([{ form: null, state: 'expired' }])
  expect(await bookings()).toEqual([])
  await audit(crm)
})

test('a contact confirms as everybody does, so that nobody books in its name: the page is the same, and both get few emails', async () => {
  const { app, ws } = crm
  await eventType(ws, { confirm_email: true })
  const page = await openPage(ws)
  const [known, unknown] = ['ana@example.com', newcomer()]
  await crm.contact({ email: known })
  const [first, second] = [await asks(page, '09:00', { email: known }), await asks(page, '09:30', { email: unknown })]
  expect([first.status, first.text, first.location]).toEqual([second.status, second.text, second.location])
  expect(await bookings()).toEqual([])
  for (const address of [known, unknown]) expect(emailsTo(address).map(({ Subject }) => Subject.split(':')[0])).toEqual(['Please confirm'])
  expect((await visitor(app).post(linkTo(known), {})).status).toBe(303)
  expect(await bookings()).toMatchObject([{ email: known, starts_at: sydney(day, '09:00') }])
  const phone = await asks(page, '11:00', { email: '', phone: '+61412345678' })
  expect([phone.status, links(phone).filter((link) => link.startsWith('#'))]).toEqual([422, ['#email']])

  await app.owner.query(
    `insert into booking_confirmations (workspace_id, event_type_id, email_hash, starts_at, expires_at)
      select workspace_id, event_type_id, email_hash, starts_at, expires_at from booking_confirmations, generate_series(1, 4)
        where workspace_id = $1`,
    [ws.id],
  )
  const [third, fourth] = [await asks(page, '13:00', { email: known }), await asks(page, '13:30', { email: unknown })]
  expect([third.status, third.text]).toEqual([409, fourth.text])
  expect(emailsTo(unknown)).toHaveLength(1)
  // A program with a key decides for itself.
  created(
    await ws.post('/scheduling-bookings', { event_type: 'first-meeting', starts_at: sydney(day, '16:30'), name: 'Bo', email: newcomer() }),
  )
  await audit(crm)
})

test('a network books ten times within an hour of an event type, whatever its address says, and refused forms do not count', async () => {
  const { app, ws } = crm
  await eventType(ws)
  const page = await openPage(ws)
  const books = async (address: string, time: string, fields: Row = {}) => {
    const form = await filled(page, time, { email: newcomer(), ...fields })
    return (await visitor(app, { address }).post(`${page}/first-meeting`, form)).status
  }
  const times = ['09:00', '09:30', '10:00', '10:30', '11:00', '11:30', '12:00', '12:30', '13:00', '13:30']
  expect(await books('2001:db8:1:2::1', '15:00', { name: '' })).toBe(422)
  for (const [n, time] of times.entries()) expect(await books(`2001:db8:1:2:${n}::${n}`, time), time).toBe(303)
  expect(await books('2001:db8:1:2:ffff::1', '14:00')).toBe(429)
  expect(await bookings()).toHaveLength(10)
  for (const [address, time] of [
    ['2001:db8:1:3::1', '14:00'],
    ['192.0.2.77', '14:30'],
  ] as const)
    expect(await books(address, time)).toBe(303)
  await eventType(ws, { name: 'Other', slug: 'other' })
  const other = { ...(await filled(page, '15:00', { email: newcomer() })) }
  expect((await visitor(app, { address: '2001:db8:1:2::1' }).post(`${page}/other`, other)).status).toBe(303)
  await app.owner.query("update voice_results set created_at = created_at - interval '61 minutes' where workspace_id = $1", [ws.id])
  expect(await books('2001:db8:1:2::1', '16:00')).toBe(303)
})

test('a contact with too many bookings learns so by the link only, because a refusal would show that the address is known', async () => {
  const { app, ws } = crm
  const { id } = await eventType(ws)
  const page = await openPage(ws)
  const [known, unknown] = ['ana@example.com', newcomer()]
  await crm.contact({ email: known })
  for (const hour of ['09', '10', '11', '12', '13'])
    for (const minute of ['00', '30']) await asks(page, `${hour}:${minute}`, { email: known })
  found(await ws.patch(`/scheduled-event-types/${id}`, { confirm_email: true }))
  const [first, second] = [await asks(page, '14:00', { email: known }), await asks(page, '14:30', { email: unknown })]
  expect([first.status, first.text, first.location]).toEqual([second.status, second.text, second.location])
  expect(await bookings()).toHaveLength(10)
  expect((await visitor(app).post(linkTo(known), {})).status).toBe(409)
  expect(await bookings()).toHaveLength(10)
})

test('a seat of a group is held, too, and a time that is lost meanwhile says so', async () => {
  const { app, ws } = crm
  await eventType(ws, { confirm_email: true, seats: 2 })
  const page = await openPage(ws)
  const [one, two] = [newcomer(), newcomer()]
  await asks(page, '09:00', { email: one })
  await asks(page, '09:00', { email: two })
  expect(await isFree('09:00')).toBe(false)
  await audit(crm)
  expect((await visitor(app).post(linkTo(one), {})).status).toBe(303)
  await halfAnHourLater()
  await app.cron('* * * * *', new Date())
  expect(await isFree('09:00')).toBe(true)
  await audit(crm)

  const three = newcomer()
  await asks(page, '10:00', { email: three })
  const [type] = found(await ws.get('/scheduled-event-types')) as Row[]
  found(await ws.post(`/scheduled-event-types/${type?.id}/disable`))
  const lost = await visitor(app).post(linkTo(three), {})
  expect([lost.status, links(lost)[0]]).toEqual([409, `${page}/first-meeting`])
})
