import { expect, test } from 'vitest'
import { approveIn } from '../routes/approving.ts'
import { created, failed, found, type Row, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

/** An automation may do what the member and the key that published it may do at the time of each step. */
const crm = useCrm({ ownServer: true })
const { published, runs, steps, settle } = useAutomations(crm)
const decided = approveIn(() => crm.app)
const TASK = { type: 'create_task', fields: { title: 'Call' } }
const tasks = () => crm.count('tasks')

test('a key that may not write tasks publishes an automation that cannot either', async () => {
  const weak = await crm.ws.key({ scopes: ['automations:*', 'contacts:read'] })
  const { id } = await published(
    { trigger: { type: 'contact_created' }, steps: [{ ...TASK, fields: { title: 'Call {{ contact.first_name | default: "nobody" }}' } }] },
    weak,
  )
  await crm.contact()
  expect(await runs(id)).toMatchObject([{ state: 'failed', error: { code: 'INSUFFICIENT_SCOPE' } }])
  expect(await tasks()).toBe(0)
  const strong = await crm.ws.key({ scopes: ['automations:*', 'tasks:*'] })
  found(await strong.post(`/automations/${id}/publish`))
  const contact = await crm.contact({ customer_id: await crm.company() })
  const [, run] = await runs(id)
  // Without contacts:read the automation sees the ids of its records only.
  expect(await steps(run?.id)).toMatchObject([{ input: { title: 'Call nobody', contact_id: contact.id }, state: 'done' }])
})

test('what events say of records is kept from a publisher, and from a reader of runs, who may not read them', async () => {
  const shown = '{{ trigger.payload.email | default: "-" }} {{ steps.change.event.payload.city | default: "-" }}'
  const definition = {
    trigger: { type: 'contact_created' },
    steps: [
      { type: 'wait', key: 'change', event: { type: 'contact.updated', timeout: { amount: 1, unit: 'days' } } },
      { ...TASK, fields: { title: `${shown} {{ steps.change.ended }}` } },
    ],
  }
  const weak = await crm.ws.key({ scopes: ['automations:*', 'tasks:*'] })
  const conditions = [{ on: 'trigger', filter: { field: 'payload.email', op: 'is_not_empty' } }]
  const [blind, seeing, probing, asking] = await Promise.all([
    published(definition, weak),
    published(definition),
    published({ ...definition, conditions }, weak),
    published({ ...definition, conditions }),
  ])
  const contact = await crm.contact({ email: 'ana@example.com' })
  expect([await runs(probing.id), await runs(asking.id)]).toEqual([[], [expect.anything()]])
  found(await crm.ws.patch(`/contacts/${contact.id}`, { city: 'Perth' }))
  const [[unseen], [seen]] = [await runs(blind.id), await runs(seeing.id)]
  expect((await steps(unseen?.id))[1]).toMatchObject({ state: 'done', input: { title: '- - event' } })
  expect((await steps(seen?.id))[1]).toMatchObject({ state: 'done', input: { title: 'ana@example.com Perth event' } })
  const { id } = await published({ trigger: { type: 'event', event_types: ['task.created'] }, steps: [{ type: 'stop' }] })
  created(await crm.ws.post('/tasks', { title: 'Secret', contact_id: contact.id }))
  const [run] = await runs(id)
  const reader = await crm.ws.key({ scopes: ['automations:read', 'contacts:read', 'companies:read', 'opportunities:read'] })
  const dataFor = async (ws: typeof crm.ws) => found(await ws.get(`/automation-runs/${run?.id}`)).trigger_data
  expect(await dataFor(crm.ws)).toMatchObject({ type: 'task.created', payload: { title: 'Secret' } })
  expect(await dataFor(reader)).toMatchObject({ type: 'task.created', entity_id: expect.any(String), payload: {}, changes: null })
})

test('when its publisher is demoted, the steps are refused; when the key is revoked, it is paused and its runs wait', async () => {
  const publisher = await crm.ws.key({ role: 'client_editor' })
  const { id } = await published({ trigger: { type: 'contact_created' }, steps: [TASK] }, publisher)
  found(await crm.ws.patch(`/company/users/${publisher.userId}/workspace-user-roles`, { role: 'client_viewer' }))
  await crm.contact()
  expect(await runs(id)).toMatchObject([{ state: 'failed', error: { code: 'FORBIDDEN' } }])
  await crm.app.owner.query('update api_keys set revoked_at = now() where id = $1', [publisher.keyId])
  await crm.contact()
  expect(await runs(id)).toMatchObject([{ state: 'failed' }, { state: 'waiting', reason: 'no_rights' }])
  expect(found(await crm.ws.get(`/automations/${id}`))).toMatchObject({
    state: 'paused',
    paused_reason: expect.stringContaining('publish it again'),
  })
  expect((await crm.events(id)).map(({ type }) => type)).toContain('automation.paused')
  expect(await tasks()).toBe(0)
  found(await crm.ws.post(`/automations/${id}/resume`))
  expect((await runs(id))[1]).toMatchObject({ state: 'waiting' })
  found(await crm.ws.post(`/automations/${id}/publish`))
  await settle()
  expect(await tasks()).toBe(0)
})

test('the steps of a publisher of level approval wait, and so does the run; it goes on with what the approval has done', async () => {
  const asking = await crm.ws.key({ level: 'approval' })
  const approve = async (path: string) => decided(crm.ws, path)
  const { id: draft } = created(
    await crm.ws.post('/automations', {
      name: 'Asks',
      trigger: { type: 'contact_created' },
      steps: [
        { ...TASK, key: 'call' },
        {
          type: 'create_activity',
          fields: { activity_type: 'note', subject: '{{ steps.call.title }} {{ steps.call.id | default: "none" }}' },
        },
      ],
    }),
  )
  const held = await asking.post(`/automations/${draft}/publish`)
  expect(held.status).toBe(202)
  await approve(held.body.approval_id)
  await settle()
  const contact = await crm.contact()
  const [run] = await runs(draft)
  expect(run).toMatchObject({ state: 'waiting', awaits: expect.stringMatching(/^approval:/) })
  expect(await tasks()).toBe(0)
  await approve(String(run?.awaits).replace('approval:', ''))
  const [later] = await runs(draft)
  const [task] = found(await crm.ws.get(`/contacts/${contact.id}/tasks`)) as Row[]
  expect(await steps(run?.id)).toMatchObject([
    { type: 'create_task', state: 'done', output: { id: task?.id } },
    { type: 'create_activity', state: 'held', input: { subject: `Call ${task?.id}` } },
  ])
  found(await crm.ws.post(`/approvals/${String(later?.awaits).replace('approval:', '')}/reject`, { reason: 'No' }))
  expect(await runs(draft)).toMatchObject([{ state: 'failed', error: { message: expect.stringContaining('rejected') } }])
})

test('approval policies hold the steps of an automation, and a step may ask for approval itself', async () => {
  created(await crm.ws.post('/approval-policies', { name: 'No tasks', events: ['task.created'] }))
  const { id } = await published({
    trigger: { type: 'contact_created' },
    steps: [{ type: 'add_tags', record: 'contact', tags: ['A'], require_approval: true }, TASK],
  })
  await crm.contact()
  const [run] = await runs(id)
  expect(await steps(run?.id)).toMatchObject([{ type: 'add_tags', state: 'held' }])
  const other = await crm.ws.key()
  await decided(other, String(run?.awaits).replace('approval:', ''))
  await runs(id)
  expect(await steps(run?.id)).toMatchObject([{ state: 'done' }, { type: 'create_task', state: 'held' }])
  expect(await tasks()).toBe(0)
})

test('a run keeps the version that it began with; a paused automation starts nothing and its runs wait', async () => {
  const wait = { type: 'wait', for: { amount: 1, unit: 'days' } }
  const { id } = await published({ trigger: { type: 'contact_created' }, steps: [wait, TASK] })
  await crm.contact()
  await runs(id)
  found(await crm.ws.patch(`/automations/${id}`, { steps: [{ type: 'create_task', fields: { title: 'Second' } }] }))
  expect(found(await crm.ws.get(`/automations/${id}`))).toMatchObject({ has_changes: true, version_number: 1 })
  const [first] = found(await crm.ws.get(`/automations/${id}/versions`)) as [Row]
  found(await crm.ws.post(`/automations/${id}/publish`))
  // A worker has found that the publisher of the version before may no longer run it.
  await crm.app.owner.query("select pause_automation($1, $2, 'Late')", [crm.ws.id, first.id])
  expect(found(await crm.ws.get(`/automations/${id}`))).toMatchObject({ state: 'published', paused_reason: null })
  found(await crm.ws.post(`/automations/${id}/pause`))
  expect(await crm.ws.post(`/automations/${id}/pause`)).toMatchObject(failed(409, 'INVALID_STATE'))
  await crm.contact()
  await crm.app.owner.query('update automation_runs set due_at = now() where workspace_id = $1 and due_at is not null', [crm.ws.id])
  await crm.app.cron('* * * * *')
  expect(await runs(id)).toMatchObject([{ state: 'waiting', due_at: null }])
  found(await crm.ws.post(`/automations/${id}/resume`))
  await settle()
  expect(await runs(id)).toMatchObject([{ state: 'completed' }])
  expect((found(await crm.ws.get('/tasks')) as Row[]).map(({ title }) => title)).toEqual(['Call'])
  expect((found(await crm.ws.get(`/automations/${id}/versions`)) as Row[]).map(({ number }) => number)).toEqual([2, 1])
})

test('a condition about what its publisher may no longer read starts nothing, and stops no other automation', async () => {
  const publisher = await crm.ws.key()
  const condition = { on: 'contact', filter: { field: 'city', op: 'eq', value: 'Perth' } }
  const asking = { trigger: { type: 'contact_created' }, conditions: [condition], steps: [TASK] }
  const [{ id }, other] = [await published(asking, publisher), await published(asking)]
  await crm.app.owner.query('update api_keys set scopes = $2 where id = $1', [publisher.keyId, ['automations:*', 'tasks:*']])
  const contact = await crm.contact({ city: 'Perth' })
  expect(await runs(id)).toEqual([])
  expect(await runs(other.id)).toMatchObject([{ state: 'completed' }])
  const { rows } = await crm.app.owner.query('select reason, record_id from automation_skips where automation_id = $1', [id])
  expect(rows).toMatchObject([{ reason: 'conditions', record_id: contact.id }])
  await crm.app.owner.query("update api_keys set scopes = '{*:*}' where id = $1", [publisher.keyId])
  await crm.contact({ city: 'Perth' })
  expect(await runs(id)).toMatchObject([{ state: 'completed' }])
})
