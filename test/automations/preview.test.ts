import { expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

const crm = useCrm()
const { published } = useAutomations(crm)

const preview = async (automation: string, body: Row, ws = crm.ws) =>
  found(await ws.post(`/automations/${automation}/start?dry_run=true`, body)) as Row

test('a dry run of a start shows the path with what each step would do, and changes nothing', async () => {
  const { id } = await published({
    trigger: { type: 'manual' },
    steps: [
      { type: 'create_task', key: 'call', fields: { title: 'Call {{ contact.first_name }} about {{ trigger.data.topic }}' } },
      { type: 'wait', for: { amount: 2, unit: 'days' } },
      {
        type: 'branch',
        branches: [
          {
            name: 'local',
            if: [{ on: 'contact', filter: { field: 'city', op: 'eq', value: 'Newcastle' } }],
            steps: [{ type: 'update_contact', fields: { notes: '{{ steps.call.title }}' } }],
          },
        ],
        else: [{ type: 'stop', reason: 'too far' }],
      },
      { type: 'send_sms', text: 'Hello', on_error: 'continue' },
      {
        type: 'http_request',
        method: 'POST',
        url: 'https://hooks.example.com/x',
        body: { api_key: 'hidden', name: '{{ contact.first_name }}' },
      },
      { type: 'condition', if: [{ on: 'contact', filter: { field: 'first_name', op: 'eq', value: 'Zoe' } }] },
      { type: 'create_task', fields: { title: 'Never' } },
    ],
  })
  const contact = await crm.contact({ city: 'Newcastle', phone: undefined })
  const { run_id, path } = await preview(id, { contact_id: contact.id, data: { topic: 'boats' } })
  expect(run_id).toEqual(expect.any(String))
  expect(path.map(({ type, state }: Row) => `${type} ${state}`)).toEqual([
    'create_task done',
    'wait waiting',
    'branch done',
    'update_contact done',
    'send_sms failed',
    'http_request done',
    'condition done',
  ])
  const [task, wait, branch, update, , request, condition] = path
  expect(task).toMatchObject({ key: 'call', input: { title: 'Call Ana about boats', contact_id: contact.id } })
  expect(task.changes).toMatchObject([{ entity: 'task', action: 'created' }])
  expect(Date.parse(branch.at) - Date.parse(wait.at)).toBeGreaterThan(47 * 3_600_000)
  expect(branch.output).toEqual({ branch: 'local' })
  expect(update).toMatchObject({ input: { notes: 'Call Ana about boats' }, changes: [{ entity: 'contact', entity_id: contact.id }] })
  expect(request).toMatchObject({ input: { body: { api_key: '[redacted]', name: 'Ana' } }, output: null })
  expect(condition.output).toEqual({ holds: false })

  expect((await crm.ws.get(`/contacts/${contact.id}`)).body.data).toMatchObject({ notes: null, version: contact.version })
  for (const path of ['/tasks', '/messages', '/outgoing-requests', `/automation-runs?automation_id=${id}`])
    expect(found(await crm.ws.get(path)), path).toEqual([])
})

test('a preview has the rights of the caller: what a step may not do or read fails, and an approval policy holds it', async () => {
  const contact = await crm.contact({ city: 'Newcastle' })
  const { id } = await published({
    trigger: { type: 'manual' },
    steps: [
      { type: 'create_task', fields: { title: 'Hello {{ contact.first_name | default: "nobody" }}' } },
      { type: 'condition', if: [{ on: 'contact', filter: { field: 'city', op: 'eq', value: 'Newcastle' } }] },
    ],
  })
  const narrow = await crm.ws.key({ scopes: ['automations:*', 'tasks:*'] })
  expect((await preview(id, { contact_id: contact.id }, narrow)).path).toMatchObject([
    { state: 'done', input: { title: 'Hello nobody' } },
    { state: 'failed', error: { code: 'INSUFFICIENT_SCOPE' } },
  ])
  const careful = await crm.ws.key({ level: 'approval' })
  expect((await preview(id, { contact_id: contact.id }, careful)).path).toMatchObject([{ state: 'held' }, { state: 'done' }])
  created(await crm.ws.post('/approval-policies', { name: 'Tasks', events: ['task.*'] }))
  expect((await preview(id, { contact_id: contact.id })).path).toMatchObject([{ state: 'held' }, { state: 'done' }])
})

test('a preview ends after 30 steps, and a step that starts the automation again is not followed', async () => {
  const { id } = await published({
    trigger: { type: 'manual' },
    steps: [
      {
        type: 'for_each',
        items: '{{ trigger.data.names }}',
        steps: [{ type: 'add_tags', record: 'contact', tags: ['{{ item }}'] }],
      },
    ],
  })
  const contact = await crm.contact()
  const names = Array.from({ length: 40 }, (_, n) => `Tag ${n}`)
  const { path } = await preview(id, { contact_id: contact.id, data: { names } })
  expect(path).toHaveLength(30)
  expect(path.at(-1)).toMatchObject({ input: { add: [{ name: 'Tag 28' }] } })

  const loop = await published({ trigger: { type: 'manual' }, steps: [{ type: 'start_automation', automation_id: id }] })
  expect((await preview(loop.id, { contact_id: contact.id })).path).toMatchObject([{ type: 'start_automation', state: 'done' }])
})

test('a draft can be tried before it is published; an unknown automation or record is reported as such', async () => {
  const draft = created(
    await crm.ws.post('/automations', { name: 'Draft', trigger: { type: 'manual' }, steps: [{ type: 'stop', reason: 'enough' }] }),
  )
  expect(await preview(draft.id, {})).toMatchObject({
    run_id: null,
    reason: 'not_published',
    path: [{ type: 'stop', output: { reason: 'enough' } }],
  })
  const unknown = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
  expect(await crm.ws.post(`/automations/${unknown}/start?dry_run=true`, {})).toMatchObject(failed(404, 'NOT_FOUND'))
  const missing = await crm.ws.post(`/automations/${draft.id}/start?dry_run=true`, { contact_id: unknown })
  expect(missing).toMatchObject(failed(400, 'VALIDATION_ERROR'))
})
