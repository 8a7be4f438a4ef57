import { expect, test } from 'vitest'
import { created, found, type Row, useCrm } from '../crm.ts'
import { messaging } from '../messaging.ts'
import { audit, book, eventType, sydney } from './scheduling.ts'
import { day, formAt, hiddenFields, links, openPage, visitor } from './visitor.ts'

const crm = useCrm({ own: true })
const { emailsTo } = messaging(crm)

let people = 0
const address = () => `person-${++people}@example.com`
const at = (time: string) => sydney(day, time)
const entries = async (): Promise<Row[]> => found(await crm.ws.get('/scheduling-waiting-list?sort=created_at'))
const states = async () => (await entries()).map(({ state }) => state)
/** The cron job, and what follows from it. */
async function tick() {
  await crm.app.cron('* * * * *', new Date())
  await crm.app.drain()
}
const pathTo = (address: string) =>
  new URL(/http\S+\/waiting\/\S+/.exec(emailsTo(address).at(-1)?.TextBody)?.[0] ?? 'http://no.link/').pathname

/** Fills every seat of a time. */
async function fill(time: string, seats: number): Promise<Row[]> {
  const bookings: Row[] = []
  for (let n = 0; n < seats; n++) bookings.push(created(await book(crm.ws, { starts_at: at(time), email: address() })))
  return bookings
}
const group = (fields: Row = {}) =>
  eventType(crm.ws, { seats: 2, waiting_list: true, notices: [{ kind: 'reminder', is_enabled: false }], ...fields })
const waits = (time: string, fields: Row = {}) =>
  crm.ws.post('/scheduling-waiting-list', { event_type: 'first-meeting', starts_at: at(time), name: 'Wil Wu', email: address(), ...fields })
const cancel = async ({ id }: Row) => found(await crm.ws.post(`/scheduling-bookings/${id}/cancel`, {}))
const isFree = async (time: string) =>
  found(await crm.ws.post('/scheduling-bookings/check-availability', { event_type: 'first-meeting', starts_at: at(time) })).available
/** As if the time of every offer were over. */
async function offersEnd() {
  await crm.app.owner.query("update booking_holds set expires_at = now() - interval '1 second' where workspace_id = $1", [crm.ws.id])
  await tick()
}

test('a visitor waits for a full time, is offered the seat of a cancelled booking, and takes it once', async () => {
  const { app, ws } = crm
  await group()
  const page = await openPage(ws)
  const [first] = await fill('09:00', 2)
  const times = await visitor(app).get(`${page}/first-meeting?tz=Australia/Sydney&from=${day}&day=${day}`)
  expect(times.text).toMatch(/aria-current="date">[^<]*<small>15 free times/)
  expect(times.text).toContain('9:00 am<small>full: join the waiting list</small>')
  const form = await visitor(app).get(formAt(page, '09:00'))
  expect([form.status, form.text.includes('<button type="submit">Join the waiting list</button>')]).toEqual([200, true])
  const email = address()
  const fields = { ...hiddenFields(form), name: 'Wil Wu', email, phone: '', notes: 'By the window' }
  const refused = await visitor(app).post(`${page}/first-meeting`, { ...fields, email: '' })
  expect([refused.status, refused.text.includes('Join the waiting list</button>')]).toEqual([422, true])
  for (const { status, location } of await Promise.all([1, 2].map(() => visitor(app).post(`${page}/first-meeting`, fields)))) {
    expect([status, location]).toEqual([303, `${page}/first-meeting?tz=Australia%2FSydney&duration=30&done=waiting`])
    expect((await visitor(app).get(location as string)).text).toContain('<h1>You are on the waiting list: First meeting</h1>')
  }
  const [entry, ...others] = await entries()
  expect(others).toEqual([])
  expect(entry).toMatchObject({ state: 'waiting', email, name: 'Wil Wu', notes: 'By the window', source: 'page', starts_at: at('09:00') })
  expect(found(await ws.get(`/contacts/${entry?.contact_id}`))).toMatchObject({ email, last_name: 'Wu', source: 'form_submission' })
  await tick()
  await tick()
  expect(emailsTo(email).map(({ Subject }) => Subject.split(':')[0])).toEqual(['On the waiting list'])
  const link = pathTo(email)
  expect((await visitor(app).get(link)).text).toContain('<h1>You are on the waiting list</h1>')
  expect((await visitor(app).post(`${link}/accept`, {})).status).toBe(303)
  expect(await states()).toEqual(['waiting'])

  await cancel(first as Row)
  expect([await states(), await isFree('09:00')]).toEqual([['offered'], false])
  await audit(crm)
  await tick()
  const mail = emailsTo(email).at(-1) as Row
  expect(mail.Subject).toMatch(/^A seat is free: First meeting/)
  expect(mail.TextBody).toMatch(/kept for you until .*\(Australia\/Sydney\)/)
  const shown = await visitor(app).get(pathTo(email))
  expect(shown.text).toContain('<h1>A seat is free for you</h1>')
  expect(await states()).toEqual(['offered'])
  const taken = await Promise.all([1, 2].map(() => visitor(app).post(`${link}/accept`, {})))
  taken.push(await visitor(app).get(link))
  const booked = found(await ws.get('/scheduling-bookings?sort=-created_at'))[0] as Row
  expect(taken.map(({ location }) => location)).toEqual(taken.map(() => `${page}/manage/${booked.management_token}?done=booked`))
  expect(booked).toMatchObject({ email, status: 'confirmed', contact_id: entry?.contact_id, notes: 'By the window', source: 'page' })
  expect((await entries())[0]).toMatchObject({ state: 'booked', booking_id: booked.id })
  expect(found(await ws.get('/scheduling-bookings'))).toHaveLength(3)
  await audit(crm)
  const { rows } = await app.owner.query('select 1 from messages t where workspace_id = $1 and t::text like $2', [
    ws.id,
    `%${link.split('/').at(-1)}%`,
  ])
  expect(rows).toEqual([])
})

test('concurrent cancellations make one offer for each free seat, to those who came first; what lapses or is left goes on', async () => {
  const { app } = crm
  await group({ seats: 3 })
  const bookings = await fill('10:00', 3)
  const emails: string[] = []
  for (let n = 0; n < 5; n++) emails.push(created(await waits('10:00')).email)
  await Promise.all(bookings.slice(1).map(cancel))
  expect(await states()).toEqual(['offered', 'offered', 'waiting', 'waiting', 'waiting'])
  await audit(crm)
  await tick()
  await visitor(app).post(`${pathTo(emails[0] as string)}/leave`, {})
  expect(await states()).toEqual(['left', 'offered', 'offered', 'waiting', 'waiting'])
  expect((await visitor(app).get(pathTo(emails[0] as string))).text).toContain('<h1>You are no longer on the waiting list</h1>')
  const [, , , fourth] = await entries()
  found(await crm.ws.post(`/scheduling-waiting-list/${fourth?.id}/cancel`))
  await offersEnd()
  expect(await states()).toEqual(['left', 'lapsed', 'lapsed', 'left', 'offered'])
  expect(await isFree('10:00')).toBe(true)
  await audit(crm)
  // The last offer lapses as well, and with the last booking the time has no seats taken at all.
  await cancel(bookings[0] as Row)
  await offersEnd()
  expect((await app.owner.query('select 1 from seat_sessions where workspace_id = $1', [crm.ws.id])).rows).toEqual([])
  expect((await states()).at(-1)).toBe('lapsed')
  await audit(crm)
})

test('an email whose worker has died is sent once, and a time that has begun ends the waiting', async () => {
  const { app, ws } = crm
  await group()
  const [first] = await fill('11:00', 2)
  const { email } = created(await waits('11:00'))
  await tick()
  await cancel(first as Row)
  // A worker claims the entry, and dies.
  await app.owner.query('select claim_waiting_list(now(), 50, 300)')
  await tick()
  expect(emailsTo(email)).toHaveLength(1)
  for (const minutes of [6, 12]) {
    await app.cron('* * * * *', new Date(Date.now() + minutes * 60_000))
    await app.drain()
  }
  expect(emailsTo(email).map(({ Subject }) => Subject.split(':')[0])).toEqual(['On the waiting list', 'A seat is free'])

  await fill('12:00', 2)
  const late = created(await waits('12:00'))
  await tick()
  await app.cron('* * * * *', new Date(Date.parse(at('12:00')) + 60_000))
  expect(found(await ws.get(`/scheduling-waiting-list/${late.id}`)).state).toBe('expired')
  // A seat that becomes free after the time has begun is offered to nobody.
  const [left] = await fill('13:00', 2)
  const tooLate = created(await waits('13:00'))
  const begun = new Date(Date.now() - 60_000).toISOString()
  for (const table of ['bookings', 'seat_sessions', 'waiting_list_entries'])
    await app.owner.query(
      `update ${table} set starts_at = $3, ends_at = $3::timestamptz + interval '30 minutes' where workspace_id = $1 and starts_at = $2`,
      [ws.id, at('13:00'), begun],
    )
  await cancel(left as Row)
  expect(found(await ws.get(`/scheduling-waiting-list/${tooLate.id}`)).state).toBe('waiting')
})

test('a seat also becomes free by a move and by more seats, and not by a no-show', async () => {
  const { ws } = crm
  const type = await group()
  const [gone, moved] = await fill('13:00', 2)
  for (let n = 0; n < 4; n++) created(await waits('13:00'))
  found(await ws.post(`/scheduling-bookings/${gone?.id}/mark-no-show`))
  expect(await states()).toEqual(['waiting', 'waiting', 'waiting', 'waiting'])
  created(await ws.post(`/scheduling-bookings/${moved?.id}/reschedule`, { starts_at: at('14:00') }))
  expect(await states()).toEqual(['offered', 'waiting', 'waiting', 'waiting'])
  found(await ws.patch(`/scheduled-event-types/${type.id}`, { seats: 4 }))
  await tick()
  expect(await states()).toEqual(['offered', 'offered', 'offered', 'waiting'])
  expect(await isFree('13:00')).toBe(false)
  await audit(crm)
})

test('an entry needs a full time and an event type with a waiting list; a person waits for a time once', async () => {
  const { ws } = crm
  const issues = async (sent: Promise<{ status: number; body: Row }>) => {
    const { status, body } = await sent
    return [status, body.error?.details?.issues?.map(({ path }: Row) => path)]
  }
  expect(await issues(ws.post('/scheduled-event-types', { name: 'Alone', waiting_list: true }))).toEqual([400, ['waiting_list']])
  const type = await group()
  expect(await issues(ws.patch(`/scheduled-event-types/${type.id}`, { seats: 1 }))).toEqual([400, ['waiting_list']])
  expect(await issues(waits('15:00'))).toEqual([400, ['starts_at']])
  const [first] = await fill('15:00', 2)
  expect((await waits('15:00', { email: 'nobody' })).body.error.code).toBe('INVALID_EMAIL')
  const entry = created(await waits('15:00', { email: 'ana.waits@example.com' }))
  const again = await waits('15:00', { email: 'ana.waits@example.com' })
  expect([again.status, again.body.data.id]).toEqual([200, entry.id])
  expect(found(await ws.get('/scheduling-waiting-list?state=waiting&starts_after=2030-01-01T00:00:00Z'))).toEqual([])
  expect(found(await ws.get(`/scheduling-waiting-list?contact_id=${entry.contact_id}`))).toMatchObject([{ id: entry.id }])
  await cancel(first as Row)
  const offered = await waits('15:00', { email: 'ana.waits@example.com' })
  expect([offered.status, offered.body.data], 'also while a seat is kept for the person').toMatchObject([
    200,
    { id: entry.id, state: 'offered' },
  ])
  found(await ws.post(`/scheduling-waiting-list/${entry.id}/cancel`))
  const refused = await ws.post(`/scheduling-waiting-list/${entry.id}/cancel`)
  expect([refused.status, refused.body.error.code]).toEqual([409, 'INVALID_STATE'])
  const history = found(await ws.get(`/scheduling-waiting-list/${entry.id}/history`))
  expect(history.map(({ action }: Row) => action)).toEqual(['updated', 'updated', 'created'])
  found(await ws.patch(`/scheduled-event-types/${type.id}`, { waiting_list: false }))
  expect(await issues(waits('15:00'))).toEqual([400, ['event_type']])
  const page = await openPage(ws)
  expect(links(await visitor(crm.app).get(`${page}/first-meeting?tz=Australia/Sydney&from=${day}&day=${day}`)).join()).not.toContain(
    encodeURIComponent(at('15:00')),
  )
})

test('a network joins ten waiting lists of an event type within an hour, so that nobody has emails sent to strangers', async () => {
  const { app, ws } = crm
  await group()
  const page = await openPage(ws)
  await fill('09:00', 2)
  const joins = async (visitorAddress: string, email = address()) => {
    const form = await visitor(app).get(formAt(page, '09:00'))
    const fields = { ...hiddenFields(form), name: 'Wil Wu', email, phone: '', notes: '' }
    return { fields, ...(await visitor(app, { address: visitorAddress }).post(`${page}/first-meeting`, fields)) }
  }
  let last = await joins('2001:db8:5:1::1')
  for (let n = 2; n <= 10; n++) last = await joins(`2001:db8:5:1::${n}`)
  expect([last.status, (await entries()).length]).toEqual([303, 10])
  // Whoever is in line already stays there.
  expect((await visitor(app, { address: '2001:db8:5:1::1' }).post(`${page}/first-meeting`, last.fields)).status).toBe(303)
  expect((await joins('2001:db8:5:1::1')).status).toBe(429)
  expect((await joins('2001:db8:5:2::1')).status).toBe(303)
  expect(await entries()).toHaveLength(11)
  expect(await crm.count('contacts')).toBe(13)
})
