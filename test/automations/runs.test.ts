import { describe, expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

const crm = useCrm({ ownServer: true })
const { published, runs, steps, elapse, settle } = useAutomations(crm)

const task = (title: string, more: Row = {}) => ({ type: 'create_task', fields: { title }, ...more })
const tasksOf = async (contact: string) =>
  (found(await crm.ws.get(`/contacts/${contact}/tasks`)) as Row[]).map(({ title }) => title).toSorted()

describe('a run', () => {
  test('takes its steps in order, uses what they return, and shows what each did', async () => {
    const { id } = await published({
      trigger: { type: 'contact_created' },
      conditions: [{ on: 'contact', filter: { field: 'city', op: 'eq', value: 'Newcastle' } }],
      steps: [
        task('Call {{ contact.first_name | upper }}', { key: 'call' }),
        { type: 'add_tags', record: 'contact', tags: ['New'] },
        { type: 'create_activity', fields: { activity_type: 'note', subject: 'Task {{ steps.call.title }}' } },
        { type: 'update_contact', fields: { job_title: '{{ contact.job_title | default: "Unknown" }}' } },
      ],
    })
    const contact = await crm.contact({ city: 'Newcastle' })
    const other = await crm.contact({ city: 'Sydney' })
    const [run, ...more] = await runs(id)
    expect(more).toEqual([])
    expect(run).toMatchObject({
      state: 'completed',
      source: 'event',
      contact_id: contact.id,
      moves: 4,
      error: null,
      trigger_data: { type: 'contact.created' },
    })
    expect(await steps(run?.id)).toMatchObject([
      {
        sequence: 1,
        type: 'create_task',
        state: 'done',
        input: { title: 'Call ANA', contact_id: contact.id },
        output: { title: 'Call ANA' },
      },
      { sequence: 2, type: 'add_tags', state: 'done' },
      { sequence: 3, type: 'create_activity', state: 'done', output: { subject: 'Task Call ANA' } },
      { sequence: 4, type: 'update_contact', state: 'done', output: { job_title: 'Unknown' } },
    ])
    expect(found(await crm.ws.get(`/contacts/${contact.id}`))).toMatchObject({ job_title: 'Unknown', tags: [{ name: 'New' }] })
    expect(await tasksOf(other.id)).toEqual([])
    const history = found(await crm.ws.get(`/contacts/${contact.id}/history`)) as Row[]
    expect(history[0]).toMatchObject({ cause_type: 'automation_run', cause_id: run?.id })
    expect(found(await crm.ws.get(`/automations/${id}/explain?contact_id=${other.id}`))).toMatchObject([
      { type: 'contact.created', started: false, reason: 'The conditions of the automation did not hold' },
    ])
    expect(found(await crm.ws.get(`/automations/${id}/explain?contact_id=${contact.id}`)).at(-1)).toMatchObject({
      started: true,
      run_id: run?.id,
    })
    const { steps: counts } = found(await crm.ws.get(`/automations/${id}/funnel`))
    expect(counts[0]).toMatchObject({ type: 'create_task', key: 'call', done: 1, failed: 0 })
  })

  test('branches, loops over what a search finds, and stops', async () => {
    const { id } = await published({
      trigger: { type: 'manual' },
      steps: [
        {
          type: 'branch',
          branches: [
            { name: 'VIP', if: [{ on: 'contact', filter: { field: 'tags', op: 'in', value: ['VIP'] } }], steps: [task('VIP')] },
            { name: 'Phone', if: [{ on: 'trigger', filter: { field: 'data.by', op: 'eq', value: 'phone' } }], steps: [task('Phone')] },
          ],
          else: [task('Other')],
        },
        {
          type: 'for_each',
          search: { object: 'contacts', filter: { field: 'city', op: 'eq', value: '{{ trigger.data.city }}' } },
          steps: [task('Visit {{ item.first_name }}', { fields: { title: 'Visit {{ item.first_name }}', contact_id: '{{ item.id }}' } })],
        },
        { type: 'stop', reason: 'enough' },
        task('Never'),
      ],
    })
    const [vip, plain] = [await crm.contact({ city: 'Perth', first_name: 'Bo' }), await crm.contact({ city: 'Perth', first_name: 'Cy' })]
    await crm.ws.post(`/contacts/${vip.id}/tags`, { name: 'VIP' })
    for (const [contact_id, by] of [
      [vip.id, 'mail'],
      [plain.id, 'phone'],
      [plain.id, 'mail'],
    ])
      found(await crm.ws.post(`/automations/${id}/start`, { contact_id, data: { by, city: by === 'mail' ? 'Nowhere' : 'Perth' } }))
    const all = await runs(id)
    expect(all.map(({ state, error }) => [state, error])).toEqual(all.map(() => ['stopped', null]))
    expect(await tasksOf(vip.id)).toEqual(['VIP', 'Visit Bo'])
    expect(await tasksOf(plain.id)).toEqual(['Other', 'Phone', 'Visit Cy'])
  })

  test('waits for a time, or for an event of its record with a timeout', async () => {
    const wait = { type: 'wait', key: 'won', event: { type: 'opportunity.won', timeout: { amount: 30, unit: 'days' } } }
    const { id } = await published({
      trigger: { type: 'record_created', record: 'opportunity' },
      steps: [{ type: 'wait', for: { amount: 2, unit: 'days' } }, wait, task('{{ steps.won.ended }}')],
    })
    const { stages } = await crm.firstPipeline()
    const [won, slow] = [await crm.opportunity({ name: 'A' }), await crm.opportunity({ name: 'B' })]
    const [first] = await runs(id)
    const days = (Date.parse(first?.due_at) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(1.9)
    expect(days).toBeLessThan(2.1)
    await elapse()
    expect(await runs(id)).toMatchObject([
      { state: 'waiting', awaits: `opportunity.won:${won.id}` },
      { state: 'waiting', awaits: `opportunity.won:${slow.id}` },
    ])
    found(await crm.ws.post(`/opportunities/${won.id}/move`, { stage_id: stages.Won }))
    expect(await runs(id)).toMatchObject([{ state: 'completed' }, { state: 'waiting' }])
    await elapse()
    expect(await runs(id)).toMatchObject([{ state: 'completed' }, { state: 'completed' }])
    const titles = async (one: string) => (found(await crm.ws.get(`/opportunities/${one}/tasks`)) as Row[]).map(({ title }) => title)
    expect([await titles(won.id), await titles(slow.id)]).toEqual([['event'], ['time']])
  })

  test('that fails says why, goes on when it is retried, and is replayed without repeating its effects', async () => {
    const filter = { field: 'city', op: 'eq', value: 'X' }
    const live = created(await crm.ws.post('/lists', { name: 'Live', object: 'contacts', kind: 'live', filter }))
    const { id } = await published({
      trigger: { type: 'manual' },
      steps: [
        task('First'),
        { type: 'add_to_list', list_id: live.id, record: 'contact', on_error: 'continue' },
        { type: 'move_stage', stage_id: '{{ trigger.data.stage }}' },
        task('Last'),
      ],
    })
    const contact = await crm.contact()
    found(await crm.ws.post(`/automations/${id}/start`, { contact_id: contact.id, data: { stage: 'none' } }))
    const [run] = await runs(id)
    expect(run).toMatchObject({ state: 'failed', error: { code: 'VALIDATION_ERROR' } })
    expect(await steps(run?.id)).toMatchObject([{ state: 'done' }, { state: 'failed' }, { state: 'failed', type: 'move_stage' }])
    expect((await crm.events(id)).map(({ type }) => type)).toContain('automation.run_failed')
    found(await crm.ws.post(`/automation-runs/${run?.id}/retry`))
    expect(await runs(id)).toMatchObject([{ state: 'failed' }])
    expect(await tasksOf(contact.id)).toEqual(['First'])
    const [first] = await steps(run?.id)
    const again = found(await crm.ws.post(`/automation-runs/${run?.id}/replay`, { step_id: first?.step_id }))
    await settle()
    expect(found(await crm.ws.get(`/automation-runs/${again.id}`))).toMatchObject({ source: 'replay', state: 'failed' })
    expect(await tasksOf(contact.id)).toEqual(['First'])
    expect(await crm.ws.post(`/automation-runs/${again.id}/cancel`)).toMatchObject(failed(409, 'INVALID_STATE'))
  })
})

describe('what starts', () => {
  test('entering a stage by every path, and nothing that an undo brings back or skip_automations leaves out', async () => {
    const { stages } = await crm.firstPipeline()
    const {
      id,
      steps: [step],
    } = await published({ trigger: { type: 'stage_entered', stage_id: stages.Qualified }, steps: [task('Qualified')] })
    const started = async () => (await runs(id)).length
    const deal = await crm.opportunity({ stage_id: stages.Qualified })
    expect(await started()).toBe(1)
    const move = (stage_id: string, more: Row = {}) => crm.ws.post(`/opportunities/${deal.id}/move`, { stage_id, ...more })
    found(await move(stages.New))
    found(await move(stages.Qualified))
    found(await move(stages.New))
    found(await crm.ws.post('/opportunities/bulk-move', { records: [{ id: deal.id, stage_id: stages.Qualified }] }))
    expect(await started()).toBe(3)
    found(await move(stages.New))
    found(await move(stages.Qualified, { skip_automations: true }))
    expect(await started()).toBe(3)
    found(await move(stages.New))
    found(await move(stages.Qualified, { skip_action_ids: [step.id] }))
    const all = await runs(id)
    expect(all).toHaveLength(4)
    expect(await steps(all[3]?.id)).toMatchObject([{ state: 'skipped' }])
    found(await crm.ws.delete(`/opportunities/${deal.id}`))
    found(await crm.ws.post(`/opportunities/${deal.id}/restore`))
    expect(await started()).toBe(4)
  })

  test('a field that changes, tags that come, and any event with a condition', async () => {
    const field = await published({ trigger: { type: 'field_changed', record: 'contact', field: 'city', to: 'Perth' }, steps: [] })
    const tag = await published({ trigger: { type: 'tag_added', record: 'contact', tag: 'vip' }, steps: [] })
    const where = {
      any: [
        { field: 'payload.priority', op: 'eq', value: 'high' },
        { field: 'payload.title', op: 'contains', value: 'urgent' },
      ],
    }
    const event = await published({ trigger: { type: 'event', event_types: ['task.created'], where }, steps: [] })
    const contact = await crm.contact({ city: 'Sydney' })
    await crm.ws.patch(`/contacts/${contact.id}`, { city: 'Perth' })
    await crm.ws.patch(`/contacts/${contact.id}`, { city: 'Hobart' })
    await crm.ws.post(`/contacts/${contact.id}/tags`, { name: 'VIP' })
    await crm.ws.post(`/contacts/${contact.id}/tags`, { name: 'Other' })
    for (const title of ['Quiet', 'URGENT call']) created(await crm.ws.post('/tasks', { title, contact_id: contact.id }))
    expect(await Promise.all([field, tag, event].map(async ({ id }) => (await runs(id)).length))).toEqual([1, 1, 1])
    const [run] = await runs(event.id)
    expect(run).toMatchObject({ contact_id: contact.id, trigger_data: { payload: { title: 'URGENT call' } } })
  })

  test.each<[string, Row, number, string | null]>([
    ['once', { mode: 'once' }, 1, 'enrolled_before'],
    ['always', { mode: 'always' }, 2, null],
    ['after days', { mode: 'again_after', days: 2 }, 1, 'enrolled_before'],
    ['skip', { concurrency: 'skip' }, 1, 'already_running'],
  ])('enrolment: %s', async (_, enrolment, count, reason) => {
    const { id } = await published({ trigger: { type: 'manual' }, enrolment, steps: [{ type: 'wait', for: { amount: 1, unit: 'days' } }] })
    const { id: contact_id } = await crm.contact()
    found(await crm.ws.post(`/automations/${id}/start`, { contact_id }))
    expect(found(await crm.ws.post(`/automations/${id}/start`, { contact_id }))).toMatchObject({ reason })
    expect(await runs(id)).toHaveLength(count)
  })

  test('runs of one record wait for each other, or replace each other, as the enrolment says', async () => {
    const wait = { type: 'wait', for: { amount: 1, unit: 'days' } }
    const queue = await published({ trigger: { type: 'manual' }, enrolment: { concurrency: 'queue' }, steps: [wait] })
    const replace = await published({ trigger: { type: 'manual' }, enrolment: { concurrency: 'replace' }, steps: [wait] })
    const { id: contact_id } = await crm.contact()
    for (const { id } of [queue, queue, replace, replace]) found(await crm.ws.post(`/automations/${id}/start`, { contact_id }))
    expect(await runs(queue.id)).toMatchObject([{ state: 'waiting' }, { state: 'queued' }])
    expect(await runs(replace.id)).toMatchObject([{ state: 'cancelled' }, { state: 'waiting' }])
    await elapse()
    expect(await runs(queue.id)).toMatchObject([{ state: 'completed' }, { state: 'waiting' }])
    // A worker passes over a run that is due while another one is queued behind it, and is called again.
    const starts = async (contact: string) => {
      await crm.app.capture(true)
      found(await crm.ws.post(`/automations/${queue.id}/start`, { contact_id: contact }))
      return (await crm.app.capture(false)).filter(({ body }) => JSON.stringify(body).includes(crm.ws.id))
    }
    expect(await starts(contact_id)).toEqual([])
    await crm.app.owner.query('update automation_runs set due_at = now() where workspace_id = $1 and due_at is not null', [crm.ws.id])
    expect(await starts(contact_id)).not.toEqual([])
  })

  test('an automation that triggers itself, and three that trigger each other, stop with an event', async () => {
    const self = await published({
      trigger: { type: 'record_updated', record: 'contact' },
      steps: [{ type: 'update_contact', fields: { notes: '{{ now }} {{ run.id }}' } }],
    })
    const contact = await crm.contact()
    await crm.ws.patch(`/contacts/${contact.id}`, { city: 'Perth' })
    await settle()
    const all = await runs(self.id)
    expect(all.length).toBeGreaterThan(2)
    expect(all.length).toBeLessThanOrEqual(20)
    expect((await crm.events(self.id)).map(({ type }) => type)).toContain('automation.loop_stopped')
  })
})

test('automations that create a new record each time stop after eight automated steps, with an event', async () => {
  const { id } = await published({
    trigger: { type: 'contact_created' },
    steps: [{ type: 'create_contact', fields: { first_name: 'Again' } }],
  })
  await crm.contact()
  await settle()
  const all = await runs(id)
  // A person's contact leads to the first run. The last one creates a contact, about which no run starts.
  expect(all.map(({ state }) => state)).toEqual(Array(8).fill('completed'))
  expect(await crm.count('contacts')).toBe(9)
  const stopped = (await crm.events(id)).filter(({ type }) => type === 'automation.loop_stopped')
  expect(stopped.map(({ payload }) => payload)).toEqual([{ reasons: ['too_deep'] }])
  const last = (found(await crm.ws.get('/contacts?sort=-created_at&limit=1')) as Row[])[0]
  expect(found(await crm.ws.get(`/automations/${id}/explain?contact_id=${last?.id}`))).toMatchObject([
    { started: false, reason: 'The event came from too many automations in a row' },
  ])
})

test('what was created before an automation was published, or during a pause, starts no run, however late events are read', async () => {
  const writer = await crm.app.owner.connect()
  // Events are read below the oldest open transaction.
  await writer.query('begin')
  await writer.query('select pg_current_xact_id()')
  await crm.contact({ first_name: 'Before' })
  const { id } = await published({ trigger: { type: 'contact_created' }, steps: [] })
  // A pause also ends what has not begun.
  await crm.contact({ first_name: 'Unread' })
  found(await crm.ws.post(`/automations/${id}/pause`))
  await crm.contact({ first_name: 'Paused' })
  found(await crm.ws.post(`/automations/${id}/resume`))
  await crm.contact({ first_name: 'Last' })
  found(await crm.ws.post(`/automations/${id}/publish`))
  await settle()
  expect(await runs(id)).toEqual([])
  await writer.query('commit')
  writer.release()
  await crm.app.cron('* * * * *')
  expect((await runs(id)).map(({ trigger_data }) => trigger_data.payload.first_name)).toEqual(['Last'])
})
