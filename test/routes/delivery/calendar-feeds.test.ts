import ICAL from 'ical.js'
import { expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from '../crm.ts'
import { soldProduct } from './delivering.ts'

const crm = useCrm()

const feed = async (fields: Row = {}, key = crm.ws) => created(await key.post('/work-order-feeds', fields))
const read = (path: string) => crm.app.client(path, { method: 'GET', headers: { 'cf-connecting-ip': '203.0.113.77' } })
const eventsAt = async (path: string) => {
  const { status, text } = await read(path)
  expect(status).toBe(200)
  return new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent').map((one) => new ICAL.Event(one))
}
const dayFrom = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

test("a calendar reads a member's work orders at a secret address: timed ones in their zone, others all day", async () => {
  found(await crm.ws.patch('/company', { timezone: 'Europe/Berlin' }))
  const { item } = await soldProduct(crm)
  const order = async (fields: Row) =>
    created(await crm.ws.post('/work-orders', { deal_product_id: item, assigned_to: crm.ws.userId, ...fields })).id as string
  const day = dayFrom(3)
  const timed = await order({
    title: 'Roof; panels, rails',
    schedule_date: day,
    schedule_time: '09:30',
    duration_minutes: 90,
    address: '12 Bridge St',
  })
  const whole = await order({ schedule_date: day })
  await order({ schedule_date: day, assigned_to: null })
  await order({ schedule_date: dayFrom(-60) })
  await order({})
  const { calendar_path: path } = await feed()
  const events = await eventsAt(path)
  const [one, two] = [timed, whole].map((id) => events.find(({ uid }) => uid === `${id}@work-orders`))
  expect(events).toHaveLength(2)
  expect([one?.summary, one?.location, one?.duration.toSeconds()]).toEqual(['Roof; panels, rails', '12 Bridge St', 5400])
  const shown = new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Berlin', dateStyle: 'short', timeStyle: 'short' })
  expect(shown.format(one?.startDate.toJSDate())).toBe(`${day} 09:30`)
  expect([two?.startDate.isDate, two?.startDate.toString()]).toEqual([true, day])
  found(await crm.ws.patch(`/work-orders/${timed}`, { schedule_date: dayFrom(5) }))
  const moved = (await eventsAt(path)).find(({ uid }) => uid === `${timed}@work-orders`)
  expect(moved?.sequence).toBe(1)
  expect(found(await crm.ws.get('/work-order-feeds'))).toMatchObject([{ user_id: crm.ws.userId, last_read_at: expect.any(String) }])
})

test('a calendar has the first thousand work orders', async () => {
  const { item } = await soldProduct(crm)
  const order = created(
    await crm.ws.post('/work-orders', { deal_product_id: item, assigned_to: crm.ws.userId, title: 'Last', schedule_date: dayFrom(300) }),
  )
  await crm.app.owner.query(
    `insert into work_orders (workspace_id, deal_product_id, deal_id, status_id, assigned_to, title, schedule_date)
      select workspace_id, deal_product_id, deal_id, status_id, assigned_to, 'Earlier', current_date + n / 10
        from work_orders, generate_series(1, 1000) n where id = $1`,
    [order.id],
  )
  const { calendar_path: path } = await feed()
  const events = await eventsAt(path)
  expect(events).toHaveLength(1000)
  expect(events.map(({ summary }) => summary)).not.toContain('Last')
})

test('an address is replaced and revoked; an unknown one looks the same', async () => {
  const first = await feed()
  const second = await feed()
  expect(JSON.stringify((await crm.ws.get('/work-order-feeds')).body)).not.toContain(second.calendar_path)
  expect((await read(first.calendar_path)).status).toBe(404)
  expect((await read(second.calendar_path)).status).toBe(200)
  expect(found(await crm.ws.delete(`/work-order-feeds/${second.id}`))).toEqual({ id: second.id, deleted: true })
  expect((await read(second.calendar_path)).status).toBe(404)
  expect((await read(`/work-calendar/${'x'.repeat(43)}.ics`)).status).toBe(404)
  expect(await crm.ws.delete(`/work-order-feeds/${second.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test("only an admin makes another member's calendar, and it ends with the membership", async () => {
  const editor = await crm.ws.key({ role: 'client_editor' })
  expect(await editor.post('/work-order-feeds', { user_id: crm.ws.userId })).toMatchObject(failed(403, 'FORBIDDEN'))
  expect(await crm.ws.post('/work-order-feeds', { user_id: crypto.randomUUID() })).toMatchObject(refused('user_id'))
  const { calendar_path: path } = await feed({ user_id: editor.userId })
  expect((await read(path)).status).toBe(200)
  await crm.app.owner.query("update memberships set status = 'removed' where workspace_id = $1 and user_id = $2", [
    crm.ws.id,
    editor.userId,
  ])
  expect((await read(path)).status).toBe(404)
})

test('of creations of one member at the same time, one address is valid, and it answers 404 as soon as it is revoked', async () => {
  for (let round = 0; round < 3; round++) {
    const made = await Promise.all(Array.from({ length: 6 }, () => feed()))
    expect(new Set(made.map(({ calendar_path }) => calendar_path)).size).toBe(6)
    const statuses = await Promise.all(made.map(async ({ calendar_path }) => (await read(calendar_path)).status))
    expect(statuses.toSorted()).toEqual([200, 404, 404, 404, 404, 404])
    const valid = made[statuses.indexOf(200)] as Row
    expect(found(await crm.ws.get('/work-order-feeds'))).toMatchObject([{ id: valid.id, user_id: crm.ws.userId }])
    const revoked = await Promise.all([1, 2].map(() => crm.ws.delete(`/work-order-feeds/${valid.id}`)))
    expect(revoked.map(({ status }) => status).toSorted()).toEqual([200, 404])
    expect((await read(valid.calendar_path)).status).toBe(404)
  }
})

test('creations for two members at the same time give two independent addresses', async () => {
  const editor = await crm.ws.key({ role: 'client_editor' })
  const [own, other] = await Promise.all([feed(), feed({}, editor)])
  expect([own.user_id, other.user_id]).toEqual([crm.ws.userId, editor.userId])
  found(await crm.ws.delete(`/work-order-feeds/${own.id}`))
  expect([(await read(own.calendar_path)).status, (await read(other.calendar_path)).status]).toEqual([404, 200])
})
