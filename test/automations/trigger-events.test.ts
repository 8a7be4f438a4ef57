import { expect, test } from 'vitest'
import { EVENT_TYPES, entityOf } from '../../src/domain/events.ts'
import { newId } from '../../src/lib/ids.ts'
import { created, found, type Row, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

/** What a run and an explanation see of the event that started it, or did not. */

const crm = useCrm({ ownServer: true })
const { published, runs, settle } = useAutomations(crm)
const STARTING = EVENT_TYPES.filter((type) => !type.startsWith('automation.'))

/** Every event type with its JSON Schema, as clients read it. */
async function described(): Promise<Row[]> {
  const all: Row[] = []
  for (let after = ''; ; ) {
    const { body } = await crm.ws.get(`/event-types?limit=100${after}`)
    all.push(...body.data)
    if (!body.page.next) return all
    after = `&after=${encodeURIComponent(body.page.next)}`
  }
}
const isInstant = (schema: Row): boolean => schema.format === 'date-time' || (schema.anyOf ?? []).some(isInstant)

test('the data of the trigger is the event as the feed shows it, for every event type', async () => {
  const [contact, deal] = [await crm.contact(), await crm.opportunity()]
  const company = created(await crm.ws.post('/companies', { name: 'Own' }))
  // Who sees the events of a notepad follows from the notepad.
  const notepad = created(await crm.ws.post('/notepads', { title: 'Own' }))
  const ids: Row = { contact: contact.id, opportunity: deal.id, company: company.id, notepad: notepad.id }
  const automations: Row[] = []
  for (let from = 0; from < STARTING.length; from += 50)
    automations.push(await published({ trigger: { type: 'event', event_types: STARTING.slice(from, from + 50) }, steps: [] }))
  await settle()
  const rows = (await described())
    .filter(({ type }) => STARTING.includes(type))
    .map(({ type, payload }) => {
      const named = Object.entries<Row>(payload.properties ?? {})
      // As the database writes them: instants with an offset and microseconds, and nothing for null.
      const stored = named.flatMap(([name, schema]) => (isInstant(schema) ? [[name, '2026-03-01T10:00:00.123456+00:00']] : []))
      return { id: newId(), type, entity: entityOf(type), entity_id: ids[entityOf(type)] ?? newId(), payload: Object.fromEntries(stored) }
    })
  await crm.app.owner.query(
    `insert into outbox (workspace_id, id, type, entity, entity_id, payload, needs_delivery, skip_automations, depth)
      select $1, r.id, r.type, r.entity, r.entity_id, r.payload, false, false, 0
        from jsonb_to_recordset($2) r(id uuid, type text, entity text, entity_id uuid, payload jsonb)`,
    [crm.ws.id, JSON.stringify(rows)],
  )
  await crm.app.cron('* * * * *')
  await settle()
  const { rows: started } = await crm.app.owner.query(
    'select source_id, trigger_data from automation_runs where workspace_id = $1 and automation_id = any ($2)',
    [crm.ws.id, automations.map(({ id }) => id)],
  )
  const dataOf = new Map(started.map(({ source_id, trigger_data }) => [source_id, trigger_data]))
  expect(rows).toHaveLength(STARTING.length)
  for (const { id, type } of rows) {
    const event = found(await crm.ws.get(`/events/${id}`))
    const { entity, entity_id, at, payload, changes } = event
    expect(dataOf.get(id), type).toEqual({ id, type, entity, entity_id, at, payload, changes })
  }
})

test('conditions are asked of the record as it was when the event was written', async () => {
  const city = (value: string) => [
    {
      on: 'contact',
      filter: {
        all: [
          { field: 'city', op: 'eq', value },
          { field: 'name', op: 'starts_with', value: 'ZOE' },
        ],
      },
    },
  ]
  const [before, after] = await Promise.all(
    ['Newcastle', 'Sydney'].map((name) => published({ trigger: { type: 'contact_created' }, conditions: city(name), steps: [] })),
  )
  const filled = await published({
    trigger: { type: 'contact_created' },
    conditions: [{ on: 'contact', filter: { field: 'notes', op: 'is_empty' } }],
    steps: [],
  })
  const writer = await crm.app.owner.connect()
  // Events are read below the oldest open transaction.
  await writer.query('begin; select pg_current_xact_id()')
  const contact = await crm.contact({ first_name: 'Zoe', city: 'Newcastle' })
  found(await crm.ws.patch(`/contacts/${contact.id}`, { city: 'Sydney', first_name: 'Other', notes: 'Something' }))
  await writer.query('commit')
  writer.release()
  await crm.app.cron('* * * * *')
  expect(await Promise.all([before, after, filled].map(async (one) => (await runs(one?.id)).length))).toEqual([1, 0, 1])
  expect(found(await crm.ws.get(`/automations/${after?.id}/explain?contact_id=${contact.id}`)).at(-1)).toMatchObject({
    type: 'contact.created',
    started: false,
    failed: { path: 'conditions.0.filter', actual: { city: 'Newcastle', name: 'Zoe' } },
  })
})

test('an explanation lists every event about the record, with the condition that failed', async () => {
  const where = {
    all: [
      { field: 'payload.priority', op: 'eq', value: 'high' },
      { field: 'payload.title', op: 'contains', value: 'urgent' },
    ],
  }
  const byTask = await published({ trigger: { type: 'event', event_types: ['task.created'], where }, steps: [] })
  const byCity = await published({ trigger: { type: 'field_changed', record: 'contact', field: 'city', to: 'Perth' }, steps: [] })
  const byData = await published({
    trigger: { type: 'contact_created' },
    conditions: [
      {
        on: 'trigger',
        filter: {
          all: [
            { field: 'payload.city', op: 'is_not_empty' },
            { field: 'payload.city', op: 'eq', value: 'Perth' },
          ],
        },
      },
    ],
    steps: [],
  })
  const byFilter = await published({
    trigger: { type: 'contact_created' },
    conditions: [{ on: 'contact', filter: { field: 'city', op: 'eq', value: 'Perth' } }],
    steps: [],
  })
  const [contact, other] = [await crm.contact({ city: 'Hobart' }), await crm.contact()]
  found(await crm.ws.patch(`/contacts/${contact.id}`, { city: 'Sydney' }))
  for (const [title, contact_id] of [
    ['Quiet', contact.id],
    ['Urgent', contact.id],
    ['Other', other.id],
  ])
    created(await crm.ws.post('/tasks', { title, priority: 'high', contact_id }))
  created(await crm.ws.post('/activities', { activity_type: 'note', subject: 'N', contact_ids: [other.id, contact.id] }))
  await settle()
  const explained = async ({ id }: Row) => found(await crm.ws.get(`/automations/${id}/explain?contact_id=${contact.id}`)) as Row[]
  const tasks = await explained(byTask)
  expect(tasks.map(({ type }) => type).toSorted()).toEqual([
    'activity.created',
    'contact.created',
    'contact.updated',
    'task.created',
    'task.created',
  ])
  expect(tasks.filter(({ type }) => type === 'task.created')).toMatchObject([
    { started: true, failed: null },
    { started: false, failed: { path: 'trigger.where.all.1', expected: where.all[1], actual: 'Quiet' } },
  ])
  expect(tasks.find(({ type }) => type === 'contact.updated')).toMatchObject({
    failed: { path: 'trigger', expected: ['task.created'], actual: 'contact.updated' },
  })
  expect((await explained(byCity)).find(({ type }) => type === 'contact.updated')).toMatchObject({
    failed: { path: 'trigger.to', expected: 'Perth', actual: 'Sydney' },
  })
  const failed = { path: 'conditions.0.filter.all.1', expected: { field: 'payload.city', op: 'eq', value: 'Perth' }, actual: 'Hobart' }
  expect((await explained(byData)).at(-1)).toMatchObject({ type: 'contact.created', started: false, failed })
  expect((await explained(byFilter)).at(-1)).toMatchObject({
    failed: { path: 'conditions.0.filter', expected: { field: 'city', op: 'eq', value: 'Perth' }, actual: 'Hobart' },
  })
})

test('the deletion of a record starts a run, which can be retried', async () => {
  const automation = await published({
    trigger: { type: 'event', event_types: ['contact.deleted', 'company.deleted', 'opportunity.deleted'] },
    conditions: [{ on: 'trigger', filter: { field: 'type', op: 'not_eq', value: 'company.deleted' } }],
    steps: [
      { type: 'create_task', fields: { title: '{{ trigger.type }}' } },
      { type: 'update_contact', record_id: '{{ trigger.entity_id }}', fields: { city: 'Perth' } },
    ],
  })
  const [contact, deal] = [await crm.contact(), await crm.opportunity()]
  const company = created(await crm.ws.post('/companies', { name: 'Own' }))
  found(await crm.ws.delete(`/contacts/${contact.id}`))
  found(await crm.ws.delete(`/companies/${company.id}`))
  found(await crm.ws.delete(`/opportunities/${deal.id}`))
  const [first, second] = await runs(automation.id)
  expect([first, second]).toMatchObject([
    { state: 'failed', record_id: contact.id, contact_id: null, error: { code: 'NOT_FOUND' } },
    { state: 'failed', record_id: deal.id, opportunity_id: null },
  ])
  const titles = async () => (found(await crm.ws.get('/tasks')) as Row[]).map(({ title }) => title).toSorted()
  expect(await titles()).toEqual(['contact.deleted', 'opportunity.deleted'])
  const why = async (query: string) => (found(await crm.ws.get(`/automations/${automation.id}/explain?${query}`)) as Row[])[0]
  expect(await why(`contact_id=${contact.id}`)).toMatchObject({ type: 'contact.deleted', started: true, run_id: first?.id })
  expect(await why(`customer_id=${company.id}`)).toMatchObject({
    started: false,
    reason: 'The conditions of the automation did not hold',
  })
  found(await crm.ws.post(`/contacts/${contact.id}/restore`))
  found(await crm.ws.post(`/automation-runs/${first?.id}/retry`))
  expect(await runs(automation.id)).toMatchObject([{ state: 'completed' }, { state: 'failed' }])
  expect(await titles()).toEqual(['contact.deleted', 'opportunity.deleted'])
})
