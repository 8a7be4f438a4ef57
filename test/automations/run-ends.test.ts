import { describe, expect, test } from 'vitest'
import { created, found, type Row, useCrm } from '../routes/crm.ts'
import type { TestWorkspace } from '../workspace.ts'
import { useQueues } from './queue.ts'

/** Each way in which a run ends, and what follows from it. The expected outcomes are stated, not computed. */
const crm = useCrm({ ownServer: true })
const { published, runs, elapse, settle, queueOf, enrol, enrolment } = useQueues(crm)

const DAY = { amount: 1, unit: 'days' }
const WAIT = { type: 'wait', for: DAY }
const TASK = { type: 'create_task', fields: { title: 'Taken' } }
const revoke = (key: TestWorkspace) => crm.app.owner.query('update api_keys set revoked_at = now() where id = $1', [key.keyId])
const eventsOf = async (id: string) =>
  (await crm.events(id)).map(({ type }) => type).filter((type) => /^automation\.(run|paused|loop)|enrolment_ended/.test(type))
const purge = async (id: string) => found(await crm.ws.delete(`/contacts/${id}?purge=true`))
const mergeInto = async (winner: string, loser: string, body: Row = {}) =>
  found(await crm.ws.post('/contacts/merge', { winner_id: winner, loser_ids: [loser], ...body }))

type Scene = { id: string; contact: Row; first: Row; publisher: TestWorkspace }
type Way = {
  steps?: Row[]
  enrolment?: Row
  do: (scene: Scene) => Promise<unknown>
  first: Row
  /** The run that is queued behind it; by default it begins. */
  second?: Row | undefined
  events?: string[]
}
const ended = (state: string, reason: string | null = null) => ({ state, reason, due_at: null, awaits: null, ended_at: expect.any(String) })
const BEGINS = { state: 'waiting', reason: null, ended_at: null }
const QUEUED = { state: 'queued', ended_at: null }

/** Two runs about a contact, the second of which is queued behind the first. */
const WAYS: Record<string, Way> = {
  'its last step': { do: elapse, first: ended('completed') },
  'a step that fails': {
    steps: [WAIT, { type: 'move_stage', stage_id: '{{ run.id }}' }],
    do: elapse,
    first: { ...ended('failed'), error: { code: 'VALIDATION_ERROR' } },
    events: ['automation.run_failed'],
  },
  'a step that stops it': { steps: [WAIT, { type: 'stop' }], do: elapse, first: ended('stopped') },
  'a timeout': {
    steps: [{ type: 'wait', event: { type: 'task.completed', timeout: DAY } }],
    do: elapse,
    first: ended('completed'),
  },
  'a held step that is refused': {
    steps: [{ ...TASK, require_approval: true }],
    do: async ({ first }) => found(await crm.ws.post(`/approvals/${first.awaits.slice(9)}/reject`, { reason: 'No' })),
    first: { ...ended('failed'), error: { code: 'FORBIDDEN' } },
    events: ['automation.run_failed'],
  },
  'a request': {
    do: async ({ first }) => found(await crm.ws.post(`/automation-runs/${first.id}/cancel`)),
    first: ended('cancelled', 'cancelled'),
  },
  'a request for all': {
    do: async ({ id }) => found(await crm.ws.post(`/automations/${id}/cancel-runs`)),
    first: ended('cancelled', 'cancelled'),
    second: ended('cancelled', 'cancelled'),
  },
  'the deletion of its record': {
    do: async ({ contact }) => found(await crm.ws.delete(`/contacts/${contact.id}`)),
    first: ended('cancelled', 'record_deleted'),
    second: ended('cancelled', 'record_deleted'),
  },
  'a deletion that is restored': {
    do: async ({ contact }) => {
      found(await crm.ws.delete(`/contacts/${contact.id}`))
      found(await crm.ws.post(`/contacts/${contact.id}/restore`))
    },
    first: ended('cancelled', 'record_deleted'),
    second: ended('cancelled', 'record_deleted'),
  },
  'the purge of its record': {
    do: ({ contact }) => purge(contact.id),
    first: ended('cancelled', 'record_purged'),
    second: ended('cancelled', 'record_purged'),
  },
  'a merge without its runs': {
    do: async ({ contact }) => mergeInto((await crm.contact()).id, contact.id, { transfer: { automation_runs: false } }),
    first: ended('cancelled', 'record_merged'),
    second: ended('cancelled', 'record_merged'),
  },
  'no merge that takes it along': {
    do: async ({ contact }) => mergeInto((await crm.contact()).id, contact.id),
    first: BEGINS,
    second: QUEUED,
  },
  'no pause': { do: async ({ id }) => found(await crm.ws.post(`/automations/${id}/pause`)), first: BEGINS, second: QUEUED },
  'no loss of rights': {
    do: async ({ publisher }) => revoke(publisher).then(elapse),
    first: { state: 'waiting', reason: 'no_rights', ended_at: null },
    second: QUEUED,
    events: ['automation.paused'],
  },
  'a later run that replaces it': {
    enrolment: { concurrency: 'replace' },
    do: settle,
    first: ended('cancelled', 'replaced'),
    second: BEGINS,
  },
}

describe('a run ends, and what is queued behind it begins, by', () => {
  test.each(Object.entries(WAYS))('%s', async (_, way) => {
    const publisher = await crm.ws.key()
    const contact = await crm.contact({ customer_id: await crm.company() })
    const { id } = await published(
      { trigger: { type: 'manual' }, enrolment: { concurrency: 'queue', ...way.enrolment }, steps: way.steps ?? [WAIT, TASK] },
      publisher,
    )
    for (let count = 0; count < 2; count++) found(await crm.ws.post(`/automations/${id}/start`, { contact_id: contact.id }))
    const [first] = await runs(id)
    await way.do({ id, contact, first: first as Row, publisher })
    const [one, two, ...more] = await runs(id)
    expect(more).toEqual([])
    expect([one, two]).toMatchObject([way.first, way.second ?? BEGINS])
    expect(await eventsOf(id)).toEqual(way.events ?? [])
    const { steps } = found(await crm.ws.get(`/automations/${id}/funnel`))
    const { rows } = await crm.app.owner.query(
      'select step_id, state, count(*)::int as n from automation_steps where automation_id = $1 group by 1, 2',
      [id],
    )
    for (const { step_id, state, n } of rows)
      if (['done', 'failed'].includes(state)) expect(steps.find((step: Row) => step.step_id === step_id)[state]).toBe(n)
  })

  test('the deletion of its automation, which takes the queued one along', async () => {
    const { id } = await published({ trigger: { type: 'manual' }, steps: [WAIT] })
    found(await crm.ws.post(`/automations/${id}/start`, { contact_id: (await crm.contact()).id }))
    await settle()
    found(await crm.ws.delete(`/automations/${id}`))
    expect(await crm.count('automation_runs')).toBe(0)
  })

  test('an exit, a removal or a deletion of who is enrolled in an auto queue, each with one event', async () => {
    const step = { delay: DAY, action: TASK }
    const queue = await queueOf([step], { exits: [{ type: 'event', event_types: ['task.completed'] }] })
    const enrolled = []
    for (let count = 0; count < 3; count++) {
      const contact = await crm.contact()
      enrolled.push({ contact, it: await enrol(queue, { contact_id: contact.id }) })
    }
    const [exits, removed, deleted] = enrolled as { contact: Row; it: Row }[]
    const done = created(await crm.ws.post('/tasks', { title: 'Exit', contact_id: exits?.contact.id }))
    found(await crm.ws.patch(`/tasks/${done.id}`, { status: 'completed' }))
    found(await crm.ws.post(`/auto-queues/${queue.id}/enrolments/${removed?.it.id}/remove`))
    found(await crm.ws.delete(`/contacts/${deleted?.contact.id}`))
    await settle()
    const states = await Promise.all(enrolled.map(({ it }) => enrolment(queue, it)))
    expect(states.map(({ state, reason }) => [state, reason])).toEqual([
      ['exited', 'exited'],
      ['removed', 'cancelled'],
      ['removed', 'record_deleted'],
    ])
    expect(await eventsOf(queue.id)).toEqual(Array(3).fill('auto_queue.enrolment_ended'))
  })
})

test('a start that holds a due run, which a worker passes over meanwhile, calls a worker', async () => {
  const { id } = await published({ trigger: { type: 'manual' }, enrolment: { concurrency: 'queue' }, steps: [WAIT] })
  const start = { contact_id: (await crm.contact()).id }
  await settle()
  for (const _ of ['the first, which nobody takes', 'the second, which holds it']) {
    await crm.app.capture(true)
    found(await crm.ws.post(`/automations/${id}/start`, start))
  }
  const sent = await crm.app.capture(false)
  expect(sent.map(({ body }) => body)).toContainEqual({ type: 'work.run', kind: 'events.deliver', workspace_id: crm.ws.id })
  await crm.app.cron('* * * * *')
})

test('a run whose record is gone neither goes on by a retry nor is replayed, until the record is restored', async () => {
  const { id } = await published({ trigger: { type: 'manual' }, steps: [{ type: 'move_stage', stage_id: '{{ run.id }}' }] })
  const contact = await crm.contact()
  found(await crm.ws.post(`/automations/${id}/start`, { contact_id: contact.id }))
  const [run] = await runs(id)
  const [step] = found(await crm.ws.get(`/automation-runs/${run?.id}/steps`)) as Row[]
  found(await crm.ws.delete(`/contacts/${contact.id}`))
  const gone = { status: 409, body: { error: { code: 'CONFLICT', details: { reason: 'record_gone' } } } }
  expect(await crm.ws.post(`/automation-runs/${run?.id}/retry`)).toMatchObject(gone)
  expect(await crm.ws.post(`/automation-runs/${run?.id}/replay`, { step_id: step?.step_id })).toMatchObject(gone)
  expect(found(await crm.ws.post(`/automations/${id}/retry-failed`))).toEqual({ count: 0, more: false })
  found(await crm.ws.post(`/contacts/${contact.id}/restore`))
  found(await crm.ws.post(`/automation-runs/${run?.id}/retry`))
  await settle()
})

test('after a merge a record counts as one: it is enrolled once, and of two enrolments in a queue the first goes on', async () => {
  const queue = await queueOf([{ delay: DAY, action: TASK }])
  const [winner, loser, other] = [await crm.contact(), await crm.contact(), await crm.contact()]
  const [first, second] = [await enrol(queue, { contact_id: loser.id }), await enrol(queue, { contact_id: winner.id })]
  const { merge_id } = await mergeInto(winner.id, loser.id)
  expect(await crm.ws.post(`/auto-queues/${queue.id}/enrolments`, { contact_id: winner.id })).toMatchObject({
    status: 409,
    body: { error: { details: { reason: expect.stringMatching(/^(already_enrolled|enrolled_before)$/) } } },
  })
  expect([await enrolment(queue, first), await enrolment(queue, second)]).toMatchObject([
    { state: 'active', contact_id: winner.id },
    { state: 'removed', reason: 'merged' },
  ])
  found(await crm.ws.post(`/contacts/merges/${merge_id}/undo`))
  expect(await enrolment(queue, first)).toMatchObject({ state: 'active', contact_id: loser.id })
  expect(await crm.ws.post(`/auto-queues/${queue.id}/enrolments`, { contact_id: loser.id })).toMatchObject({ status: 409 })
  expect(created(await crm.ws.post(`/auto-queues/${queue.id}/enrolments`, { contact_id: other.id }))).toMatchObject({ state: 'active' })
})
