import { Temporal } from 'temporal-polyfill'
import { describe, expect, test } from 'vitest'
import { created, failed, found, type Row, refused, useCrm } from '../routes/crm.ts'
import { day, task, useQueues } from './queue.ts'

const crm = useCrm({ ownServer: true })
const { published, settle, elapse, queueOf, enrol, enrolment, change, titles, counts } = useQueues(crm)

describe('an enrolment', () => {
  test('takes the steps in order after their delays, starts automations, and is counted', async () => {
    const auto = await published({ trigger: { type: 'manual' }, steps: [{ type: 'add_tags', record: 'contact', tags: ['Called'] }] })
    const queue = await queueOf([
      task('A {{ contact.first_name }}', { delay: { amount: 0, unit: 'minutes' } }),
      { delay: day, automation_id: auto.id },
      task('C'),
    ])
    const contact = await crm.contact()
    const enrolled = await enrol(queue, { contact_id: contact.id })
    expect(enrolled).toMatchObject({
      auto_queue_id: queue.id,
      contact_id: contact.id,
      opportunity_id: null,
      state: 'active',
      next_step_id: queue.steps[0]?.id,
    })
    expect(await titles(contact)).toEqual(['A Ana'])
    expect(await enrolment(queue, enrolled)).toMatchObject({ state: 'active', next_step_id: queue.steps[1]?.id })
    expect((await counts(queue)).steps).toMatchObject([
      { waiting: 0, done: 1 },
      { waiting: 1, done: 0 },
      { waiting: 0, done: 0 },
    ])
    await elapse()
    expect(found(await crm.ws.get(`/automation-runs?automation_id=${auto.id}`))).toMatchObject([
      { source: 'queue', source_id: enrolled.id, state: 'completed', contact_id: contact.id },
    ])
    expect(await titles(contact)).toEqual(['A Ana'])
    await elapse()
    expect(await titles(contact)).toEqual(['A Ana', 'C'])
    expect(await enrolment(queue, enrolled)).toMatchObject({
      state: 'completed',
      next_step_id: null,
      next_due_at: null,
      next_due_local: null,
    })
    expect(await counts(queue)).toMatchObject({ enrolments: { active: 0, completed: 1 }, steps: [{ done: 1 }, { done: 1 }, { done: 1 }] })
    const steps = found(await crm.ws.get(`/auto-queues/${queue.id}/enrolments/${enrolled.id}/steps`)) as Row[]
    expect(steps.map(({ type, state }) => `${type} ${state}`)).toEqual(
      ['create_task', 'start_automation', 'create_task'].flatMap((type) => ['wait done', `${type} done`]),
    )
    // The automation that a queue is compiled into is not one of the API.
    expect(found(await crm.ws.get('/automations')).map(({ id }) => id)).toEqual([auto.id])
    for (const path of ['', '/versions', '/funnel', `/explain?contact_id=${contact.id}`])
      expect(await crm.ws.get(`/automations/${queue.id}${path}`)).toMatchObject({ status: 404 })
    expect(await crm.ws.post(`/automations/${queue.id}/start`, { contact_id: contact.id })).toMatchObject(failed(404, 'NOT_FOUND'))
    expect((await crm.events(queue.id)).map(({ type }) => type)).toEqual([
      ...['auto_queue.created', 'auto_queue.updated', 'auto_queue.enrolled', 'auto_queue.enrolment_ended'],
    ])
  })

  test('waits in the zone of its contact, across a change of the clocks and into the window', async () => {
    const window = { days: [1, 2, 3, 4, 5], from: '09:00', to: '09:01' }
    for (const timezone of ['Australia/Sydney', 'Europe/Berlin']) {
      const today = Temporal.Now.zonedDateTimeISO(timezone)
      const change = today.getTimeZoneTransition('next') as Temporal.ZonedDateTime
      const days = Math.ceil(today.until(change, { largestUnit: 'days' }).days) + 3
      const delay = { amount: days, unit: 'days' }
      const [queue, narrow] = [await queueOf([task('Plain', { delay })]), await queueOf([task('Narrow', { delay, send_window: window })])]
      const contact = await crm.contact({ timezone })
      const enrolled = await enrol(queue, { contact_id: contact.id })
      const before = Temporal.Instant.from(enrolled.created_at).toZonedDateTimeISO(timezone)
      const { next_due_local, next_due_at, time_zone } = await enrolment(queue, enrolled)
      expect(time_zone).toBe(timezone)
      const due = Temporal.Instant.from(next_due_at).toZonedDateTimeISO(timezone)
      expect(due.offset).not.toBe(before.offset)
      expect(next_due_local).toBe(due.toString({ timeZoneName: 'never', smallestUnit: 'second' }))
      // The same time of day, within the seconds that the worker needed.
      expect(Math.abs(due.since(before.add({ days })).total('seconds'))).toBeLessThan(60)
      const inWindow = await enrolment(narrow, await enrol(narrow, { contact_id: contact.id }))
      expect(inWindow.next_due_local.slice(10)).toBe(`T09:00:00${due.offset}`)
      expect(Temporal.PlainDate.from(inWindow.next_due_local.slice(0, 10)).dayOfWeek).toBeLessThan(6)
    }
  })

  test('is one, however often and however concurrently it is requested, and again only as the rule allows', async () => {
    const queue = await queueOf([task('A')], { re_enrolment: { mode: 'after_end' } })
    const contact = await crm.contact()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => crm.ws.post(`/auto-queues/${queue.id}/enrolments`, { contact_id: contact.id })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, ...Array(7).fill(409)])
    expect(answers.find(({ status }) => status === 409)?.body.error.details).toEqual({
      reason: 'already_enrolled',
      id: answers.find(({ status }) => status === 201)?.body.data.id,
    })
    await settle()
    await elapse()
    expect(await titles(contact)).toEqual(['A'])
    await enrol(queue, { contact_id: contact.id })
    const never = await queueOf([task('B')])
    const days = await queueOf([task('C')], { re_enrolment: { mode: 'after_days', days: 10 } })
    for (const one of [never, days]) {
      const first = await enrol(one, { contact_id: contact.id })
      found(await change(one, first, 'remove'))
      const again = await crm.ws.post(`/auto-queues/${one.id}/enrolments`, { contact_id: contact.id })
      expect(again).toMatchObject(failed(409, 'CONFLICT'))
      expect(again.body.error.details).toEqual({ reason: 'enrolled_before', id: first.id })
      await crm.app.owner.query("update automation_runs set created_at = created_at - interval '11 days' where id = $1", [first.id])
    }
    expect(await crm.ws.post(`/auto-queues/${never.id}/enrolments`, { contact_id: contact.id })).toMatchObject(failed(409, 'CONFLICT'))
    await enrol(days, { contact_id: contact.id })
    expect(await crm.ws.post(`/auto-queues/${days.id}/enrolments`, { contact_id: crypto.randomUUID() })).toMatchObject(
      refused('contact_id'),
    )
    expect(await crm.ws.post(`/auto-queues/${days.id}/enrolments`, {})).toMatchObject(refused('contact_id'))
  })

  test('in bulk: each record is enrolled, skipped or reported; an opportunity is enrolled with its contact', async () => {
    const queue = await queueOf([task('Deal {{ opportunity.name }} of {{ contact.first_name }}')])
    const [contact, deal] = [await crm.contact(), await crm.opportunity()]
    created(await crm.ws.post(`/opportunities/${deal.id}/contacts`, { contact_id: contact.id }))
    const other = await crm.contact()
    const missing = crypto.randomUUID()
    const records = [
      { opportunity_id: deal.id },
      { contact_id: other.id },
      { contact_id: other.id },
      { contact_id: missing },
      { contact_id: 'x' },
      {},
    ]
    const bulk = found(await crm.ws.post(`/auto-queues/${queue.id}/enrolments/bulk-create`, { records }))
    expect(bulk).toMatchObject({
      results: [
        { opportunity_id: deal.id, contact_id: contact.id },
        { contact_id: other.id, opportunity_id: null },
      ],
      skipped: [{ index: 2, id: other.id }],
      errors: [
        { index: 3, error: { code: 'VALIDATION_ERROR', details: { issues: [{ path: 'contact_id' }] } } },
        { index: 4 },
        { index: 5 },
      ],
    })
    await settle()
    const list = async (query: string) => found(await crm.ws.get(`/auto-queues/${queue.id}/enrolments?${query}`)) as Row[]
    expect(await list(`opportunity_id=${deal.id}`)).toMatchObject([{ id: bulk.results[0].id, contact_id: contact.id, state: 'active' }])
    expect(await list('state=active')).toHaveLength(2)
    expect(await list('state=paused')).toEqual([])
    expect(await list(`contact_id=${other.id}&limit=1`)).toMatchObject([{ id: bulk.results[1].id }])
    await elapse()
    const { title } = (found(await crm.ws.get(`/opportunities/${deal.id}/tasks`)) as Row[])[0] as Row
    expect(title).toBe('Deal Workstations of Ana')
  })

  test('is paused, resumed, skips steps, and is removed', async () => {
    const queue = await queueOf([task('A'), task('B'), task('C')])
    const [a, b] = [await crm.contact(), await crm.contact()]
    const [one, two] = [await enrol(queue, { contact_id: a.id }), await enrol(queue, { contact_id: b.id })]
    const { next_due_at } = await enrolment(queue, one)
    expect(found(await change(queue, one, 'pause'))).toMatchObject({ state: 'paused', next_due_at, next_step_id: queue.steps[0]?.id })
    expect(await change(queue, one, 'pause')).toMatchObject(failed(409, 'INVALID_STATE'))
    await elapse()
    expect([await titles(a), await titles(b)]).toEqual([[], ['A']])
    expect(found(await change(queue, one, 'resume'))).toMatchObject({ state: 'active', next_due_at })
    expect(await change(queue, one, 'skip', { step_id: queue.steps[1]?.id })).toMatchObject(failed(409, 'CONFLICT'))
    expect(await change(queue, one, 'skip', { step_id: crypto.randomUUID() })).toMatchObject(refused('step_id'))
    expect(found(await change(queue, one, 'skip', { step_id: queue.steps[0]?.id }))).toMatchObject({ next_step_id: queue.steps[1]?.id })
    await settle()
    expect(Date.parse((await enrolment(queue, one)).next_due_at)).toBeGreaterThan(Date.now() + 80_000_000)
    expect((await counts(queue)).steps).toMatchObject([{ waiting: 0, skipped: 1, done: 1 }, { waiting: 2 }, { waiting: 0 }])
    found(await change(queue, two, 'remove'))
    await elapse()
    expect([await titles(a), await titles(b)]).toEqual([['B'], ['A']])
    expect(await enrolment(queue, two)).toMatchObject({ state: 'removed', next_step_id: queue.steps[1]?.id, next_due_at: null })
    found(await change(queue, one, 'skip'))
    await settle()
    expect(await enrolment(queue, one)).toMatchObject({ state: 'completed' })
    expect(await change(queue, one, 'skip')).toMatchObject(failed(409, 'INVALID_STATE'))
    const steps = found(await crm.ws.get(`/auto-queues/${queue.id}/enrolments/${one.id}/steps`)) as Row[]
    expect(steps.map(({ type, state }) => `${type} ${state}`)).toEqual([
      ...['wait skipped', 'create_task skipped', 'wait done', 'create_task done', 'wait skipped', 'create_task skipped'],
    ])
  })

  test('skips a step of a queue that has changed since, and takes the others as they are now', async () => {
    const [added, reordered, removed] = await Promise.all([1, 2, 3].map(() => queueOf([task('A'), task('B'), task('C')])))
    const people = (await Promise.all([1, 2, 3].map(() => crm.contact()))) as [Row, Row, Row]
    const queues = [added, reordered, removed] as [Row, Row, Row]
    const inside: Row[] = []
    for (const [n, queue] of queues.entries()) inside.push(await enrol(queue, { contact_id: people[n]?.id }))
    const ids = (queue: Row) => (queue.steps as Row[]).map(({ id }) => id) as [string, string, string]
    const path = (queue: Row) => `/auto-queues/${queue.id}/steps`
    const extra = created(await crm.ws.post(path(queues[0]), task('New', { position: 1 })))
    const [a, b, c] = ids(queues[1])
    found(await crm.ws.post(`${path(queues[1])}/reorder`, { step_ids: [b, a, c] }))
    const gone = ids(queues[2])
    found(await crm.ws.delete(`${path(queues[2])}/${gone[0]}`))
    const between = created(await crm.ws.post(path(queues[2]), task('New', { position: 1 })))
    expect(found(await change(queues[0], inside[0] as Row, 'skip', { step_id: ids(queues[0])[0] }))).toMatchObject({
      next_step_id: extra.id,
    })
    expect(found(await change(queues[1], inside[1] as Row, 'skip', { step_id: a }))).toMatchObject({ next_step_id: c })
    // Of a step that is gone, the wait ends.
    expect(found(await change(queues[2], inside[2] as Row, 'skip'))).toMatchObject({ next_step_id: gone[1] })
    await settle()
    for (let n = 0; n < 4; n++) await elapse()
    expect(await Promise.all(people.map(titles))).toEqual([['B', 'C', 'New'], ['C'], ['B', 'C', 'New']])
    expect(between).toMatchObject({ position: 1 })
    for (const [n, queue] of queues.entries()) expect(await enrolment(queue, inside[n] as Row)).toMatchObject({ state: 'completed' })
  })

  test('stops at a step that fails, and goes on with it as it is then', async () => {
    const queue = await queueOf([
      { delay: day, action: { type: 'move_stage', stage_id: '{{ trigger.list_id }}', on_error: 'continue' } },
      { delay: day, action: { type: 'add_to_list', list_id: crypto.randomUUID(), record: 'contact' } },
      task('Last'),
    ])
    const contact = await crm.contact()
    const enrolled = await enrol(queue, { contact_id: contact.id })
    await elapse()
    await elapse()
    expect(await enrolment(queue, enrolled)).toMatchObject({
      state: 'failed',
      error: { code: 'NOT_FOUND' },
      next_step_id: queue.steps[1]?.id,
    })
    expect((await counts(queue)).steps).toMatchObject([{ failed: 1 }, { failed: 1, waiting: 0 }, {}])
    expect(await crm.ws.post(`/automation-runs/${enrolled.id}/retry`)).toMatchObject(failed(409, 'CONFLICT'))
    const action = { type: 'create_task', fields: { title: 'Fixed' } }
    found(await crm.ws.patch(`/auto-queues/${queue.id}/steps/${queue.steps[1]?.id}`, { action }))
    expect(found(await change(queue, enrolled, 'retry'))).toMatchObject({ state: 'active' })
    await settle()
    expect(await titles(contact)).toEqual(['Fixed'])
    await elapse()
    expect(await titles(contact)).toEqual(['Fixed', 'Last'])
  })
})
