import { expect, test } from 'vitest'
import { created, failed, found, ids, nobody, type Row, refused, useCrm, uuid } from '../crm.ts'
import { component, soldProduct } from './delivering.ts'

const crm = useCrm()

const order = async (deal_product_id: string, fields: Row = {}) =>
  created(await crm.ws.post('/work-orders', { deal_product_id, ...fields }))
const statuses = async () => found(await crm.ws.get('/work-order-statuses'))
const statusId = async (label: string) => (await statuses()).find((status) => status.label === label)?.id as string
const list = async (query: string) => ids(found(await crm.ws.get(`/work-orders?sort=created_at&${query}`)))
const inZone = async (timezone: string) => found(await crm.ws.patch('/company', { timezone }))

test('a work order needs a line item; its title, opportunity and status have defaults', async () => {
  const { deal, item } = await soldProduct(crm)
  const made = await order(item)
  expect(made).toMatchObject({
    id: uuid,
    deal_product_id: item,
    deal_id: deal,
    component_id: null,
    title: 'Solar roof',
    status: 'To do',
    schedule_date: null,
    schedule_time: null,
    assigned_to: null,
    completed_at: null,
    version: 1,
  })
  expect(found(await crm.ws.get(`/work-orders/${made.id}`))).toEqual(made)
  expect(await crm.ws.post('/work-orders', {})).toMatchObject(refused('deal_product_id'))
  expect(await crm.ws.post('/work-orders', { deal_product_id: nobody })).toMatchObject(refused('deal_product_id'))
  expect((await crm.events(made.id)).map(({ type }) => type)).toEqual(['work_order.created'])
})

test('a status is given by its label, in any case, or by its id; others are refused with the labels', async () => {
  const { item } = await soldProduct(crm)
  expect(await order(item, { status: 'in PROGRESS' })).toMatchObject({ status: 'In progress', status_id: await statusId('In progress') })
  const { id } = await order(item, { status_id: await statusId('Scheduled') })
  const patch = (fields: Row) => crm.ws.patch(`/work-orders/${id}`, fields)
  expect(found(await patch({ status: ' done ' }))).toMatchObject({ status: 'Done', completed_at: expect.any(String) })
  expect(found(await patch({ status: 'To do' }))).toMatchObject({ status: 'To do', completed_at: null })
  const unknown = await patch({ status: 'Paused' })
  expect(unknown).toMatchObject(refused('status'))
  expect(unknown.body.error.details.issues[0].message).toContain('To do, Scheduled, In progress, Done')
  expect(await patch({ status: 'Done', status_id: await statusId('To do') })).toMatchObject(refused('status'))
  expect(await patch({ status_id: nobody })).toMatchObject(refused('status_id'))
  found(await patch({ status: 'done', status_id: await statusId('Done') }))
})

test('a schedule has a day, and a time or all day; without a day there is no time', async () => {
  const { item } = await soldProduct(crm)
  const made = await order(item, { schedule_date: '2026-03-31', schedule_time: '9:05', assigned_to: crm.ws.userId })
  expect(made).toMatchObject({ schedule_date: '2026-03-31', schedule_time: '09:05:00', assigned_to: crm.ws.userId })
  const patch = (fields: Row) => crm.ws.patch(`/work-orders/${made.id}`, fields)
  expect(found(await patch({ schedule_time: null, assigned_to: null }))).toMatchObject({ schedule_time: null, assigned_to: null })
  expect(found(await patch({ schedule_time: '10:00:30' }))).toMatchObject({ schedule_date: '2026-03-31', schedule_time: '10:00:30' })
  expect(found(await patch({ schedule_date: null }))).toMatchObject({ schedule_date: null, schedule_time: null })
  expect(await patch({ schedule_time: '10:00' })).toMatchObject(refused('schedule_time'))
  for (const fields of [
    { schedule_date: '2026-02-30' },
    { schedule_time: '24:00' },
    { duration_minutes: 0 },
    { duration_minutes: 1441 },
    { assigned_to: nobody },
  ])
    expect(await patch({ schedule_date: '2026-03-31', ...fields })).toMatchObject(refused(Object.keys(fields)[0] as string))
  expect(await crm.ws.post('/work-orders', { deal_product_id: item, schedule_time: '10:00' })).toMatchObject(refused('schedule_time'))
})

test('a time that the clocks skip becomes the next one, with a warning, however it is sent', async () => {
  await inZone('Europe/Berlin')
  const { item } = await soldProduct(crm)
  const skipped = { schedule_date: '2027-03-28', schedule_time: '03:00:00' }
  const answer = await crm.ws.post('/work-orders', { deal_product_id: item, schedule_date: '2027-03-28', schedule_time: '02:30' })
  expect(created(answer)).toMatchObject(skipped)
  expect(answer.body._warnings).toMatchObject([{ code: 'TIME_SKIPPED', field: 'schedule_time' }])
  const other = await order(item, { schedule_date: '2027-03-27', schedule_time: '02:30' })
  const moved = await crm.ws.patch(`/work-orders/${other.id}`, { schedule_date: '2027-03-28' })
  expect([found(moved), moved.body._warnings]).toMatchObject([skipped, [{ code: 'TIME_SKIPPED' }]])
  const third = await order(item, { schedule_date: '2027-03-28' })
  const timed = await crm.ws.patch(`/work-orders/${third.id}`, { schedule_time: '02:15' })
  expect([found(timed), timed.body._warnings]).toMatchObject([skipped, [{ code: 'TIME_SKIPPED' }]])
  expect((await crm.ws.patch(`/work-orders/${third.id}`, { schedule_time: '01:59' })).body._warnings).toBeUndefined()
})

test('lists are filtered by line item, deal, status, member, day, range, without a day and overdue, and sorted by day', async () => {
  const [one, two] = [await soldProduct(crm), await soldProduct(crm)]
  const past = await order(one.item, { schedule_date: '2020-01-10', title: 'Measure the roof', assigned_to: crm.ws.userId })
  const done = await order(one.item, { schedule_date: '2020-01-12', status: 'Done' })
  const later = await order(two.item, { schedule_date: '2999-01-10', schedule_time: '10:00' })
  const open = await order(two.item, {})
  expect(await list(`deal_product_id=${one.item}`)).toEqual([past.id, done.id])
  expect(await list(`deal_id=${two.deal}`)).toEqual([later.id, open.id])
  expect(await list(`status_id=${await statusId('Done')}`)).toEqual([done.id])
  expect(await list(`assigned_to=${crm.ws.userId}`)).toEqual([past.id])
  expect(await list('schedule_date=2020-01-10')).toEqual([past.id])
  expect(await list('scheduled_from=2020-01-11&scheduled_to=2020-12-31')).toEqual([done.id])
  expect(await list('scheduled_from=2020-01-12')).toEqual([done.id, later.id])
  expect(await list('scheduled_to=2020-01-11')).toEqual([past.id])
  expect(await list('unscheduled=true')).toEqual([open.id])
  expect(await list('unscheduled=false')).toEqual([past.id, done.id, later.id])
  expect(await list('overdue=true')).toEqual([past.id])
  expect(await list('overdue=false')).toEqual([done.id, later.id, open.id])
  expect(await list('search=measure')).toEqual([past.id])
  const byDay = await crm.walk('/work-orders?sort=schedule_date&limit=1')
  expect(ids(byDay)).toEqual([past.id, done.id, later.id, open.id])
  expect(ids(await crm.walk('/work-orders?sort=-schedule_date&limit=3'))).toEqual([open.id, later.id, done.id, past.id])
  expect(ids(await crm.walk('/work-orders?scheduled_from=2020-01-01&limit=1'))).toEqual([past.id, done.id, later.id])
  expect(ids(await crm.walk('/work-orders?scheduled_to=2020-12-31&sort=-created_at&limit=1'))).toEqual([done.id, past.id])
})

test('a clash of one member is reported with the write, and listed', async () => {
  const { item } = await soldProduct(crm)
  const at = (schedule_time: string | null, fields: Row = {}) => ({
    deal_product_id: item,
    assigned_to: crm.ws.userId,
    schedule_date: '2026-05-04',
    schedule_time,
    ...fields,
  })
  const first = created(await crm.ws.post('/work-orders', at('09:00', { duration_minutes: 90, title: 'Roof' })))
  const clashing = await crm.ws.post('/work-orders', at('10:00', { title: 'Cellar' }))
  expect(clashing.body._warnings).toMatchObject([
    { code: 'SCHEDULE_CLASH', message: expect.stringContaining('Roof'), details: { clashes: [{ id: first.id }] } },
  ])
  for (const free of [at('11:00'), at('08:00'), at(null), at('09:30', { assigned_to: null }), at('09:30', { status: 'Done' })])
    expect((await crm.ws.post('/work-orders', free)).body._warnings).toBeUndefined()
  const night = created(await crm.ws.post('/work-orders', at('23:30', { duration_minutes: 120 })))
  const early = await crm.ws.post('/work-orders', at('00:30', { schedule_date: '2026-05-05' }))
  expect(early.body._warnings).toMatchObject([{ details: { clashes: [{ id: night.id }] } }])
  const query = (from: string, to: string) => crm.ws.get(`/work-orders/clashes?assigned_to=${crm.ws.userId}&from=${from}&to=${to}`)
  const { clashes } = found(await query('2026-05-04', '2026-05-04'))
  expect(ids(clashes)).toEqual([first.id, created(clashing).id, night.id])
  expect(clashes[0].clashes).toMatchObject([{ title: 'Cellar', schedule_time: '10:00:00' }])
  expect(await query('2026-05-04', '2026-09-04')).toMatchObject(refused('to'))
  expect(await query('2026-05-04', '2026-05-03')).toMatchObject(refused('to'))
})

test('100 work orders are rescheduled in one call, each judged by itself', async () => {
  await inZone('Europe/Berlin')
  const { item } = await soldProduct(crm)
  const made = await Promise.all(Array.from({ length: 4 }, () => order(item, { schedule_date: '2026-05-04', schedule_time: '02:30' })))
  const [one, two, three, four] = made.map(({ id }) => id)
  const answer = await crm.ws.post('/work-orders/bulk-reschedule', {
    records: [
      { id: one, schedule_date: '2026-06-01' },
      { id: two, schedule_date: '2027-03-28' },
      { id: three, schedule_date: null },
      { id: nobody, schedule_date: '2026-06-01' },
      { id: four, schedule_date: '2026-06-01', assigned_to: nobody },
    ],
  })
  const { results, errors } = found(answer) as Row
  expect(results).toMatchObject([
    { id: one, schedule_date: '2026-06-01', schedule_time: '02:30:00', status: 'To do' },
    { id: two, schedule_date: '2027-03-28', schedule_time: '03:00:00' },
    { id: three, schedule_date: null, schedule_time: null },
  ])
  expect(errors).toMatchObject([{ index: 3 }, { index: 4 }])
  expect(answer.body._warnings).toMatchObject([{ code: 'TIME_SKIPPED', field: 'records.1.schedule_time' }])
  const many = Array.from({ length: 101 }, () => ({ id: one, schedule_date: null }))
  expect(await crm.ws.post('/work-orders/bulk-reschedule', { records: many })).toMatchObject(refused('records'))
})

test("work orders are made of a line item's components once, also by two calls at the same time", async () => {
  const { product, item } = await soldProduct(crm)
  expect(await crm.ws.post('/work-orders/from-components', { deal_product_id: item })).toMatchObject(refused('deal_product_id'))
  const panel = await component(crm, product, { label: 'Panel' })
  await component(crm, product, { label: 'Inverter' })
  const make = () => crm.ws.post('/work-orders/from-components', { deal_product_id: item, schedule_date: '2026-05-04' })
  const answers = (await Promise.all([make(), make()])).map((answer) => found(answer) as Row)
  expect(answers.map(({ made, existing }) => [made.length, existing]).sort()).toEqual([
    [0, 2],
    [2, 0],
  ])
  const { made } = answers.find(({ existing }) => existing === 0) as Row
  expect(made).toMatchObject([
    { title: 'Solar roof: Panel', component_id: panel.id, schedule_date: '2026-05-04', status: 'To do' },
    { title: 'Solar roof: Inverter' },
  ])
  found(await crm.ws.delete(`/work-orders/${made[0].id}`))
  expect((found(await make()) as Row).made).toMatchObject([{ title: 'Solar roof: Panel' }])
})

test("a change of status is on the opportunity's timeline, and an event with both labels", async () => {
  const { deal, item } = await soldProduct(crm)
  const { id } = await order(item)
  found(await crm.ws.patch(`/work-orders/${id}`, { status: 'Done' }))
  const entries = found(await crm.ws.get(`/opportunities/${deal}/timeline`)).filter(({ data }) => data.entity === 'work_order')
  expect(entries.map(({ data }) => data.action)).toEqual(['updated', 'created'])
  expect(entries[0]?.data.fields.status_id).toEqual({ before: await statusId('To do'), after: await statusId('Done') })
  const [event] = (await crm.events(id)).filter(({ type }) => type === 'work_order.status_changed')
  expect(event?.payload).toMatchObject({ deal_id: deal, from_status: 'To do', to_status: 'Done', is_done: true })
  const reader = await crm.ws.key({ scopes: ['opportunities:read'] })
  const shown = found(await reader.get(`/opportunities/${deal}/timeline`)).filter(({ data }) => data.entity === 'work_order')
  expect(shown).toEqual([])
})

test('deleting needs work-orders:write; what is deleted can be restored', async () => {
  const { item } = await soldProduct(crm)
  const { id } = await order(item, { schedule_date: '2026-05-04', status: 'Done' })
  const writer = await crm.ws.key({ scopes: ['work-orders:write', 'work-orders:read'] })
  expect(found(await writer.delete(`/work-orders/${id}`))).toEqual({ id, deleted: true })
  expect(await crm.ws.get(`/work-orders/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(found(await crm.ws.post(`/work-orders/${id}/restore`))).toMatchObject({ id, schedule_date: '2026-05-04', status: 'Done' })
  const stranger = await crm.app.workspace()
  expect(await stranger.get(`/work-orders/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await stranger.post('/work-orders', { deal_product_id: item })).toMatchObject(refused('deal_product_id'))
})

test('a clash that a call over many makes is reported for each of its records', async () => {
  const { item } = await soldProduct(crm)
  const plan = { schedule_date: '2026-05-04', assigned_to: crm.ws.userId, duration_minutes: 60 }
  const one = await order(item, { ...plan, schedule_time: '09:00' })
  const two = await order(item, { ...plan, schedule_time: '11:00' })
  const records = [one, two].map(({ id }) => ({ id, schedule_date: '2026-06-01', schedule_time: '09:30' }))
  const answer = await crm.ws.post('/work-orders/bulk-reschedule', { records })
  expect(found(answer).results).toHaveLength(2)
  expect(answer.body._warnings).toMatchObject([
    { code: 'SCHEDULE_CLASH', field: 'records.0.schedule_time', details: { clashes: [{ id: two.id }] } },
    { code: 'SCHEDULE_CLASH', field: 'records.1.schedule_time', details: { clashes: [{ id: one.id }] } },
  ])
})

test('the setting enable_work_orders changes no endpoint', async () => {
  const { item } = await soldProduct(crm)
  found(await crm.ws.patch('/company/crm-settings', { enable_work_orders: false }))
  const { id } = await order(item)
  expect(await list(`deal_product_id=${item}`)).toEqual([id])
})
