import { describe, expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from '../routes/crm.ts'
import { day, task, useQueues } from './queue.ts'

const crm = useCrm({ ownServer: true })
const { settle, elapse, queueOf, enrol, enrolment, emit, titles, counts } = useQueues(crm)

describe('what ends an enrolment', () => {
  test('an event with a condition, a stage, a tag or a list; nothing from before, and no other record', async () => {
    const { stages } = await crm.firstPipeline()
    const list = created(await crm.ws.post('/lists', { name: 'Out', object: 'contacts', kind: 'static', tracks_membership: true }))
    const where = { field: 'payload.subject', op: 'contains', value: 'reply' }
    const queue = await queueOf([task('Never')], {
      exits: [
        { type: 'event', event_types: ['activity.created'], where },
        { type: 'stage_entered', stage_id: stages.Won },
        { type: 'tag_added', record: 'contact', tag: 'Stop' },
        { type: 'list_entered', list_id: list.id },
      ],
    })
    const people = await Promise.all(Array.from({ length: 6 }, () => crm.contact()))
    const [replied, won, tagged, listed, early, stays] = people as [Row, Row, Row, Row, Row, Row]
    const deal = await crm.opportunity()
    created(await crm.ws.post(`/opportunities/${deal.id}/contacts`, { contact_id: won.id }))
    found(await crm.ws.post(`/contacts/${early.id}/tags`, { name: 'Stop' }))
    const enrolled = await Promise.all(people.map(({ id }) => enrol(queue, { contact_id: id })))
    const ofDeal = await enrol(queue, { opportunity_id: deal.id })
    for (const [subject, { id }] of [
      ['quiet', stays],
      ['A REPLY', replied],
    ] as const)
      created(await crm.ws.post('/activities', { activity_type: 'note', subject, contact_id: id }))
    found(await crm.ws.post(`/contacts/${stays.id}/tags`, { name: 'Other' }))
    found(await crm.ws.post(`/contacts/${tagged.id}/tags`, { name: 'stop' }))
    found(await crm.ws.post(`/lists/${list.id}/members`, { ids: [listed.id] }))
    found(await crm.ws.post(`/opportunities/${deal.id}/move`, { stage_id: stages.Won, skip_automations: true }))
    await settle()
    const now = await Promise.all([...enrolled, ofDeal].map((one) => enrolment(queue, one)))
    expect(now.map(({ state, exit }) => exit?.type ?? state)).toEqual([
      ...['event', 'stage_entered', 'tag_added', 'list_entered', 'active', 'active', 'stage_entered'],
    ])
    expect(now[0]).toMatchObject({ state: 'exited', exit: { event_type: 'activity.created' }, next_due_at: null })
    // Nor does an event from before that is read only after the enrolment.
    const late = await crm.contact()
    await crm.app.capture(true)
    found(await crm.ws.post(`/contacts/${late.id}/tags`, { name: 'Stop' }))
    const { id: enrolledLate } = created(await crm.ws.post(`/auto-queues/${queue.id}/enrolments`, { contact_id: late.id }))
    await crm.app.capture(false)
    await crm.app.cron('* * * * *')
    await settle()
    expect(await enrolment(queue, { id: enrolledLate })).toMatchObject({ state: 'active' })
    found(await crm.ws.post(`/auto-queues/${queue.id}/enrolments/${enrolledLate}/remove`))
    await elapse()
    expect(await titles(tagged)).toEqual([])
    expect(await titles(stays)).toContain('Never')
    expect(await counts(queue)).toMatchObject({ enrolments: { exited: 5, completed: 2, active: 0 } })
    // The deletion of the record that was enrolled ends its enrolment, too, before its next step.
    const [gone, lost] = [await crm.contact(), await crm.opportunity()]
    const left = [await enrol(queue, { contact_id: gone.id }), await enrol(queue, { opportunity_id: lost.id })]
    for (const path of [`/contacts/${gone.id}`, `/opportunities/${lost.id}`]) found(await crm.ws.delete(path))
    await elapse()
    for (const one of left) expect(await enrolment(queue, one)).toMatchObject({ state: 'removed' })
    // A change of the exits applies to those inside.
    const next = await enrol(await queueOf([task('X')]), { contact_id: stays.id })
    found(await crm.ws.patch(`/auto-queues/${next.auto_queue_id}`, { exits: [{ type: 'record_archived', record: 'contact' }] }))
    found(await crm.ws.patch(`/contacts/${stays.id}`, { archived: true }))
    await settle()
    expect(await enrolment({ id: next.auto_queue_id }, next)).toMatchObject({ state: 'exited', exit: { type: 'record_archived' } })
  })

  test('a booking or a reply that meets the condition, by the contact or about the opportunity', async () => {
    const [demo, other] = [crypto.randomUUID(), crypto.randomUUID()]
    const queue = await queueOf([task('Chase')], {
      exits: [
        { type: 'event', event_types: ['booking.confirmed'], where: { field: 'payload.event_type_id', op: 'eq', value: demo } },
        { type: 'event', event_types: ['activity.created'], where: { field: 'payload.direction', op: 'eq', value: 'inbound' } },
      ],
    })
    const people = (await Promise.all(Array.from({ length: 4 }, () => crm.contact()))) as [Row, Row, Row, Row]
    const [booked, bookedOther, replied, sent] = people.map(({ id }) => id)
    const deal = await crm.opportunity()
    const records = [...people.map(({ id }) => ({ contact_id: id })), { opportunity_id: deal.id }]
    const enrolled = await Promise.all(records.map((record) => enrol(queue, record)))
    await emit('booking.confirmed', { event_type_id: demo, contact_id: booked, deal_id: null })
    await emit('booking.confirmed', { event_type_id: demo, contact_id: (await crm.contact()).id, deal_id: deal.id })
    await emit('booking.confirmed', { event_type_id: other, contact_id: bookedOther, deal_id: null })
    await emit('activity.created', { activity_type: 'email', direction: 'inbound', contact_id: replied })
    await emit('activity.created', { activity_type: 'email', direction: 'outbound', contact_id: sent })
    await crm.app.cron('* * * * *')
    await settle()
    const now = await Promise.all(enrolled.map((one) => enrolment(queue, one)))
    expect(now.map(({ exit, state }) => exit?.event_type ?? state)).toEqual([
      ...['booking.confirmed', 'active', 'activity.created', 'active', 'booking.confirmed'],
    ])
    await elapse()
    expect(await Promise.all(people.map(titles))).toEqual([[], ['Chase'], [], ['Chase']])
  })
})

describe('a change of a queue that people are in', () => {
  test('new steps, delays and orders apply to what has not begun, and those at a removed step go to the next one', async () => {
    const queue = await queueOf([task('A'), task('B'), task('C')])
    const [a, b, c] = queue.steps as [Row, Row, Row]
    const path = `/auto-queues/${queue.id}/steps`
    const [first, second] = [await crm.contact(), await crm.contact()]
    await enrol(queue, { contact_id: first.id })
    await elapse()
    const behind = await enrol(queue, { contact_id: second.id })
    const due = (await enrolment(queue, behind)).next_due_at
    // The first contact waits for B, `behind` for A.
    const week = { amount: 1, unit: 'weeks' }
    const edit = found(await crm.ws.patch(`${path}/${b.id}`, { delay: week, action: { type: 'create_task', fields: { title: 'B2' } } }))
    expect(edit).toMatchObject({
      delay: week,
      inside: { enrolments: 2, at_step: 1, effect: expect.stringContaining('keep the end of their wait') },
    })
    expect((await enrolment(queue, behind)).next_due_at).toBe(due)
    const added = created(await crm.ws.post(path, task('New', { position: 0 })))
    expect(added).toMatchObject({ position: 0, inside: { enrolments: 2, at_step: 0 } })
    const removal = found(await crm.ws.delete(`${path}/${a.id}`))
    expect(removal).toMatchObject({
      id: a.id,
      deleted: true,
      inside: { at_step: 1, effect: expect.stringContaining('go to the next one') },
    })
    await elapse()
    expect([await titles(first), await titles(second)]).toEqual([['A', 'B2'], []])
    const atB = await enrolment(queue, behind)
    expect(atB.next_step_id).toBe(b.id)
    expect((Date.parse(atB.next_due_at) - Date.now()) / 86_400_000).toBeGreaterThan(6.9)
    // The first contact waits for C, `behind` for B: in the new order, B comes last.
    const order = [c.id, added.id, b.id]
    expect(found(await crm.ws.post(`${path}/reorder`, { step_ids: order }))).toMatchObject({
      steps: order.map((id) => ({ id })),
      inside: { enrolments: 2 },
    })
    await elapse()
    expect(await enrolment(queue, behind)).toMatchObject({ state: 'completed' })
    expect([await titles(first), await titles(second)]).toEqual([['A', 'B2', 'C'], ['B2']])
    await elapse()
    expect(await titles(first)).toEqual(['A', 'B2', 'C', 'New'])
    expect(await crm.ws.post(`${path}/reorder`, { step_ids: [c.id] })).toMatchObject(refused('step_ids'))
  })

  test('an inactive queue takes nobody and no step, and its states and bad input are refused', async () => {
    const { id } = created(await crm.ws.post('/auto-queues', { name: 'Empty' }))
    expect(await crm.ws.post(`/auto-queues/${id}/activate`)).toMatchObject(failed(409, 'CONFLICT'))
    const contact = await crm.contact()
    expect(await crm.ws.post(`/auto-queues/${id}/enrolments`, { contact_id: contact.id })).toMatchObject(failed(409, 'INVALID_STATE'))
    const queue = await queueOf([task('A')])
    expect(await crm.ws.post(`/auto-queues/${queue.id}/activate`)).toMatchObject(failed(409, 'INVALID_STATE'))
    const enrolled = await enrol(queue, { contact_id: contact.id })
    const leaving = await crm.contact()
    const left = await enrol(queue, { contact_id: leaving.id })
    expect(found(await crm.ws.post(`/event-queues/${queue.id}/deactivate`))).toMatchObject({ state: 'inactive', inactive_reason: null })
    await elapse()
    expect(await titles(contact)).toEqual([])
    found(await crm.ws.patch(`/auto-queues/${queue.id}`, { exits: [{ type: 'tag_added', record: 'contact', tag: 'Bye' }] }))
    found(await crm.ws.post(`/contacts/${leaving.id}/tags`, { name: 'Bye' }))
    await settle()
    expect(await enrolment(queue, left)).toMatchObject({ state: 'exited', exit: { type: 'tag_added' } })
    found(await crm.ws.post(`/auto-queues/${queue.id}/activate`))
    await settle()
    await crm.app.cron('* * * * *')
    await settle()
    expect(await enrolment(queue, enrolled)).toMatchObject({ state: 'completed' })
    expect(await titles(contact)).toEqual(['A'])
    const path = `/auto-queues/${queue.id}/steps`
    const bad = (step: Row) => crm.ws.post(path, { ...task('A'), ...step })
    expect(await bad({ automation_id: crypto.randomUUID() })).toMatchObject(refused('action'))
    expect(await bad({ action: undefined, automation_id: queue.id })).toMatchObject(refused('automation_id'))
    expect(await bad({ action: { type: 'wait', for: day } })).toMatchObject(refused('action.type'))
    expect(await bad({ action: { type: 'create_task', fields: { title: '{{ contact.nope }}' } } })).toMatchObject(
      refused('action.fields.title'),
    )
    expect(await bad({ action: { type: 'create_task', fields: { title: 'A', titel: 'A' } } })).toMatchObject(refused('action.fields.titel'))
    expect(await bad({ send_window: { from: '17:00', to: '09:00' } })).toMatchObject(refused('send_window.to'))
    expect(await bad({ delay: { amount: 53, unit: 'weeks' } })).toMatchObject(refused('delay'))
    expect(await crm.ws.post('/auto-queues', { name: 'X', exits: [{ type: 'manual' }] })).toMatchObject({ status: 400 })
    expect(await crm.ws.post('/auto-queues', { name: 'X', re_enrolment: { mode: 'after_days' } })).toMatchObject(
      refused('re_enrolment.days'),
    )
    found(await crm.ws.delete(`/auto-queues/${queue.id}`))
    expect(await crm.ws.get(`/automation-runs/${enrolled.id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    // Its steps come back, its enrolments do not.
    expect(found(await crm.ws.post(`/auto-queues/${queue.id}/restore`))).toMatchObject({ state: 'inactive' })
    found(await crm.ws.post(`/auto-queues/${queue.id}/activate`))
    await enrol(queue, { contact_id: contact.id })
    await elapse()
    expect(await titles(contact)).toEqual(['A', 'A'])
  })
})

test('the members of static and live lists are enrolled in the background, each once', async () => {
  const queue = await queueOf([task('A')])
  const people = await Promise.all([1, 2, 3].map(() => crm.contact({ city: 'Perth' })))
  await crm.contact({ city: 'Sydney' })
  const former = await crm.contact({ city: 'Perth' })
  found(await crm.ws.patch(`/contacts/${former.id}`, { archived: true }))
  const fixed = created(await crm.ws.post('/lists', { name: 'Fixed', object: 'contacts', kind: 'static' }))
  found(await crm.ws.post(`/lists/${fixed.id}/members`, { ids: people.slice(0, 2).map(({ id }) => id) }))
  const filter = { field: 'city', op: 'eq', value: 'Perth' }
  const live = created(await crm.ws.post('/lists', { name: 'Live', object: 'contacts', kind: 'live', filter }))
  const path = `/auto-queues/${queue.id}/list-enrolments`
  const jobs: Row[] = []
  for (const { id } of [fixed, live]) {
    jobs.push(created(await crm.ws.post(path, { list_id: id })))
    await settle()
  }
  expect(jobs[0]).toMatchObject({ state: 'running', enrolled: 0 })
  expect(found(await crm.ws.get(path))).toMatchObject([
    { id: jobs[1]?.id, list_id: live.id, state: 'completed', enrolled: 1, skipped: { enrolled_before: 2 } },
    { id: jobs[0]?.id, list_id: fixed.id, state: 'completed', enrolled: 2, skipped: {} },
  ])
  expect((await counts(queue)).steps).toMatchObject([{ waiting: 3 }])
  expect((await crm.events(queue.id)).map(({ type }) => type).filter((type) => type.includes('list_'))).toEqual(
    [1, 2].flatMap(() => ['auto_queue.list_enrolment_started', 'auto_queue.list_enrolment_ended']),
  )
  // A list whose filter mentions archived records has them as members.
  const isArchived = { all: [filter, { field: 'archived', op: 'eq', value: true }] }
  const gone = created(await crm.ws.post('/lists', { name: 'Gone', object: 'contacts', kind: 'live', filter: isArchived }))
  const other = await queueOf([task('B')])
  const enrolment = created(await crm.ws.post(`/auto-queues/${other.id}/list-enrolments`, { list_id: gone.id }))
  await settle()
  expect(found(await crm.ws.get(`/auto-queues/${other.id}/list-enrolments/${enrolment.id}`))).toMatchObject({ enrolled: 1 })
  // While the database cannot be reached, the enrolment of a list waits.
  let refusals = 0
  crm.app.proxy.onRequest = (request) => {
    if (refusals > 0 || !JSON.stringify(request).includes('enrol_list_part')) return
    refusals += 1
    throw new Error('The connection broke')
  }
  const late = created(await crm.ws.post(path, { list_id: live.id }))
  await settle()
  crm.app.proxy.onRequest = undefined
  await crm.app.cron('* * * * *')
  await settle()
  expect(refusals).toBe(1)
  expect(found(await crm.ws.get(`${path}/${late.id}`))).toMatchObject({ state: 'completed', error: null })
  // The enrolment of a list that is deleted ends, and shows the list again when it is restored.
  await crm.app.capture(true)
  const third = created(await crm.ws.post(path, { list_id: fixed.id }))
  found(await crm.ws.delete(`/lists/${fixed.id}`))
  await crm.app.capture(false)
  await crm.app.cron('* * * * *')
  await settle()
  expect(found(await crm.ws.get(`${path}/${third.id}`))).toMatchObject({ list_id: null, state: 'failed', error: 'The list was deleted' })
  found(await crm.ws.post(`/lists/${fixed.id}/restore`))
  expect(found(await crm.ws.get(path))).toMatchObject([fixed.id, live.id, live.id, fixed.id].map((list_id) => ({ list_id })))
  const companies = created(await crm.ws.post('/lists', { name: 'Firms', object: 'companies', kind: 'static' }))
  expect(await crm.ws.post(path, { list_id: companies.id })).toMatchObject(refused('list_id'))
})
