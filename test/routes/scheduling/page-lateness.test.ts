import { beforeEach, expect, test } from 'vitest'
import { created, found, type Row, useCrm } from '../crm.ts'
import { messaging } from '../messaging.ts'
import { audit, beforeClaim, book, eventType, sydney } from './scheduling.ts'
import { day, links, openPage, visitor, visits } from './visitor.ts'

/** What changes while a visitor looks at a page, or while the form that was sent is decided about. */
const crm = useCrm({ own: true })
const { filled, bookings, booked } = visits(crm)
const { emailsTo } = messaging(crm)
let page: string
beforeEach(async () => {
  page = await openPage(crm.ws)
})

let people = 0
const newcomer = () => `late-visitor-${++people}@example.com`
const pathIn = (address: string, part: string) =>
  new URL(new RegExp(`http\\S+/${part}/\\S+`).exec(emailsTo(address).at(-1)?.TextBody)?.[0] ?? 'http://no.link/').pathname

test('a button that is pressed again while the first press books leads to the one booking', async () => {
  await eventType(crm.ws, { confirm_email: true })
  const email = newcomer()
  await visitor(crm.app).post(`${page}/first-meeting`, await filled(page, '09:00', { email }))
  await crm.app.drain()
  const link = pathIn(email, 'confirm')
  let first: string | null = null
  beforeClaim(crm.app, async () => {
    first = (await visitor(crm.app).post(link, {})).location
  })
  const second = await visitor(crm.app).post(link, {})
  const [booking, ...others] = await bookings()
  expect(others).toEqual([])
  expect([first, second.status, second.location]).toEqual([
    `${page}/manage/${booking?.management_token}?done=booked`,
    303,
    `${page}/manage/${booking?.management_token}?done=booked`,
  ])
  await audit(crm)
})

/** Somebody to whom one of the two seats of cancelled bookings is offered: the path of the link in the email. */
async function offered(time: string): Promise<string> {
  await eventType(crm.ws, { seats: 3, waiting_list: true })
  const starts_at = sydney(day, time)
  const booking = async () => created(await book(crm.ws, { starts_at, email: newcomer() }))
  const gone = [await booking(), await booking()]
  await booking()
  const email = newcomer()
  created(await crm.ws.post('/scheduling-waiting-list', { event_type: 'first-meeting', starts_at, name: 'Wil Wu', email }))
  for (const { id } of gone) found(await crm.ws.post(`/scheduling-bookings/${id}/cancel`, {}))
  await crm.app.cron('* * * * *', new Date())
  await crm.app.drain()
  return pathIn(email, 'waiting')
}
const ofPage = async (): Promise<Row[]> => (await bookings()).filter(({ source }) => source === 'page')
const placeState = async () => found(await crm.ws.get('/scheduling-waiting-list'))[0]?.state

test('a seat that is taken twice, the second time while the first press books it, is one booking', async () => {
  const link = await offered('10:00')
  let first: string | null = null
  beforeClaim(crm.app, async () => {
    first = (await visitor(crm.app).post(`${link}/accept`, {})).location
  })
  const second = await visitor(crm.app).post(`${link}/accept`, {})
  const [booking, ...others] = await ofPage()
  expect(others).toEqual([])
  expect([first, second.status, second.location]).toEqual([
    `${page}/manage/${booking?.management_token}?done=booked`,
    303,
    `${page}/manage/${booking?.management_token}?done=booked`,
  ])
  await audit(crm)
})

test('an offered seat that a new limit forbids, or whose time to answer is over, is not booked', async () => {
  const { app, ws } = crm
  const link = await offered('11:00')
  const [type] = found(await ws.get('/scheduled-event-types')) as Row[]
  found(await ws.patch(`/scheduled-event-types/${type?.id}`, { max_per_day: 1 }))
  const full = await visitor(app).post(`${link}/accept`, {})
  expect([full.status, links(full)[0]]).toEqual([409, `${page}/first-meeting`])
  expect(full.text).toContain('This time is no longer free')
  expect([await ofPage(), await placeState()]).toEqual([[], 'offered'])

  found(await ws.patch(`/scheduled-event-types/${type?.id}`, { max_per_day: null }))
  await app.owner.query('update waiting_list_entries set offer_expires_at = now() where workspace_id = $1', [ws.id])
  const late = await visitor(app).post(`${link}/accept?lang=de`, { lang: 'de' })
  expect([late.status, late.location]).toEqual([303, `${link}?lang=de`])
  expect([await ofPage(), await placeState()]).toEqual([[], 'offered'])
  expect((await visitor(app).get(link)).text).toContain('<h1>You are no longer on the waiting list</h1>')
})

test('a booking that has begun, or was cancelled or moved while the form was open, is not moved by it', async () => {
  const { app, ws } = crm
  await eventType(ws)
  const ana = visitor(app)
  const at = (time: string) => ({ at: sydney(day, time), tz: 'Australia/Sydney' })
  const times = async () => (await bookings()).filter(({ status }) => status === 'confirmed').map(({ starts_at }) => starts_at)

  const link = await booked(page, '09:00')
  for (const { fields, location } of [
    { fields: { ...at('15:00'), duration: '45' }, location: `${link}/move` },
    { fields: { at: 'tomorrow' }, location: `${link}/move` },
  ])
    expect((await ana.post(`${link}/move`, fields)).location).toBe(location)
  expect(await times()).toEqual([sydney(day, '09:00')])

  // Another press of the button moves it first: the same move is done, and another one is refused.
  beforeClaim(crm.app, () => ana.post(`${link}/move`, at('14:00')))
  expect((await ana.post(`${link}/move`, at('14:00'))).location).toBe(`${link}?done=moved`)
  expect(await times()).toEqual([sydney(day, '14:00')])
  beforeClaim(crm.app, () => ana.post(`${link}/move`, at('15:00')))
  const other = await ana.post(`${link}/move`, at('16:00'))
  expect([other.status, other.text.includes('This could not be done')]).toEqual([409, true])
  expect(await times()).toEqual([sydney(day, '15:00')])

  beforeClaim(crm.app, () => ana.post(`${link}/cancel`, {}))
  const gone = await ana.post(`${link}/move`, at('16:00'))
  expect([gone.status, gone.location]).toEqual([303, link])
  expect(await times()).toEqual([])

  const begun = await booked(page, '12:00', { email: newcomer() })
  const { id } = (await bookings()).find(({ status }) => status === 'confirmed') as Row
  await crm.rewrite('bookings', id, { starts_at: new Date(Date.now() - 60_000).toISOString() })
  expect((await ana.get(`${begun}/move`)).location).toBe(begun)
  expect((await ana.post(`${begun}/move`, at('16:00'))).location).toBe(begun)
  expect((await bookings()).filter(({ status }) => status === 'confirmed').map((one) => one.id)).toEqual([id])
  await audit(crm)
})
