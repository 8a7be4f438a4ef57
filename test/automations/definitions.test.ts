import { describe, expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

const crm = useCrm({ ownServer: true })
const { published, runs } = useAutomations(crm)
const MANUAL = { type: 'manual' }
const task = (title: string) => ({ type: 'create_task', fields: { title } })
const deep = (levels: number): Row =>
  levels === 0
    ? task('Deep')
    : { type: 'branch', branches: [{ if: [{ on: 'trigger', filter: { field: 'a', op: 'eq', value: 1 } }], steps: [deep(levels - 1)] }] }

describe('a definition is refused with the place and the remedy', () => {
  test.each<[string, Row, string, string]>([
    ['unknown trigger', { trigger: { type: 'full_moon' } }, 'trigger.type', 'must'],
    [
      'events of automations',
      { trigger: { type: 'event', event_types: ['automation.run_failed'] } },
      'trigger.event_types.0',
      'Events of automations',
    ],
    [
      'a stage elsewhere',
      { trigger: { type: 'stage_entered', stage_id: crypto.randomUUID() } },
      'trigger.stage_id',
      'is not in this workspace',
    ],
    ['unknown step', { steps: [{ type: 'launch' }] }, 'steps.0.type', 'must be one of'],
    ['unknown setting', { steps: [{ ...task('A'), colour: 'red' }] }, 'steps.0.colour', 'Unknown field'],
    ['unknown field of a record', { steps: [{ type: 'create_task', fields: { titel: 'A' } }] }, 'fields.titel', 'title'],
    [
      'a value that no task takes',
      { steps: [{ type: 'create_task', fields: { title: 'A', priority: 'mega' } }] },
      'fields.priority',
      'must be one of',
    ],
    ['a template that is no path', { steps: [task('{{ 1 + 1 }}')] }, 'steps.0.fields.title', 'must be a path'],
    ['an unknown root', { steps: [task('{{ process.env }}')] }, 'steps.0.fields.title', 'is unknown'],
    ['a name of a prototype', { steps: [task('{{ contact.constructor }}')] }, 'steps.0.fields.title', 'has no field'],
    ['an unknown filter', { steps: [task('{{ contact.city | eval: "x" }}')] }, 'steps.0.fields.title', 'is no filter'],
    ['a later step', { steps: [task('{{ steps.later.id }}'), { ...task('B'), key: 'later' }] }, 'steps.0.fields.title', 'No step before'],
    ['an item outside a loop', { steps: [task('{{ item.id }}')] }, 'steps.0.fields.title', 'within for_each'],
    ['31 February', { steps: [{ type: 'wait', until: '2027-02-31' }] }, 'steps.0.until', 'no date'],
    [
      'two kinds of wait',
      { steps: [{ type: 'wait', until: '2027-02-01', for: { amount: 1, unit: 'days' } }] },
      'steps.0.for',
      'Send one of',
    ],
    ['a wait of ten years', { steps: [{ type: 'wait', for: { amount: 520, unit: 'weeks' } }] }, 'steps.0.for', 'at most'],
    [
      'an unknown field in a filter',
      { conditions: [{ on: 'contact', filter: { field: 'shoe', op: 'eq', value: 1 } }] },
      'conditions.0.filter.field',
      'must be a field',
    ],
    [
      'a condition without an operator',
      { conditions: [{ on: 'trigger', filter: { field: 'payload.x', op: 'eval', value: 1 } }] },
      'conditions.0.filter.op',
      'must be one of',
    ],
    ['steps too deep', { steps: [deep(6)] }, 'steps.0.branches.0.steps', 'at most 5 deep'],
    [
      'two steps with one key',
      {
        steps: [
          { ...task('A'), key: 'a' },
          { ...task('B'), key: 'a' },
        ],
      },
      'steps',
      'Two steps',
    ],
    [
      'too many items',
      {
        steps: [
          { type: 'for_each', search: { object: 'contacts', filter: { field: 'city', op: 'eq', value: 'X' }, limit: 100_000 }, steps: [] },
        ],
      },
      'steps.0.search.limit',
      '100 or less',
    ],
    [
      'a request that cannot wait',
      { steps: [{ type: 'api_request', method: 'POST', path: '/api-keys', body: {} }] },
      'path',
      'cannot be a step',
    ],
    ['days without their mode', { enrolment: { mode: 'once', days: 3 } }, 'enrolment.days', 'again_after'],
  ])('%s', async (_, fields, path, message) => {
    const answer = await crm.ws.post('/automations', { name: 'Bad', trigger: MANUAL, steps: [], ...fields })
    expect(answer).toMatchObject(failed(400, 'VALIDATION_ERROR'))
    const issues = answer.body.error.details.issues as { path: string; message: string }[]
    expect(issues.map((issue) => `${issue.path}: ${issue.message}`).join('\n')).toMatch(
      new RegExp(`${path.replaceAll('.', '\\.')}[^\n]*: [^\n]*${message}`),
    )
  })
})

test('validation reports everything and stores nothing; the catalogue describes every type', async () => {
  const answer = found(
    await crm.ws.post('/automations/validate', { name: 'X', trigger: MANUAL, steps: [{ type: 'launch' }, task('{{ nobody }}')] }),
  )
  expect(answer).toMatchObject({ valid: false, issues: [{ path: 'steps.0.type' }] })
  expect(await crm.count('automations')).toBe(0)
  const catalogue = found(await crm.ws.get('/automation-catalogue'))
  expect(catalogue.steps.find(({ type }: Row) => type === 'wait')).toMatchObject({ settings: { properties: { for: { type: 'object' } } } })
  expect(catalogue.triggers.map(({ type }: Row) => type)).toContain('contact_created')
})

test('an automation is exported, imported, duplicated, and deleted with its runs', async () => {
  const { id } = await published({ trigger: { type: 'contact_created' }, steps: [{ ...task('Call'), key: 'call' }] })
  const { steps, ...file } = found(await crm.ws.get(`/automations/${id}/export`))
  expect([file.format, steps]).toEqual(['automation/1', [{ ...task('Call'), key: 'call' }]])
  const other = await crm.app.workspace()
  const imported = created(await other.post('/automations/import', { ...file, steps }))
  expect(imported).toMatchObject({ state: 'draft', steps: [{ type: 'create_task', key: 'call', id: expect.any(String) }] })
  expect(await other.get(`/automations/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  expect(await other.post(`/automations/${id}/publish`)).toMatchObject(failed(404, 'NOT_FOUND'))
  const copy = created(await crm.ws.post(`/automations/${id}/duplicate`, { name: 'Copy' }))
  expect(copy.steps[0].id).not.toBe(steps[0].id)
  expect(await crm.ws.post(`/automations/${id}/duplicate`, { name: 'copy' })).toMatchObject(failed(409, 'CONFLICT'))
  await crm.contact()
  expect(await runs(id)).toHaveLength(1)
  found(await crm.ws.delete(`/automations/${id}`))
  expect(await runs(id)).toEqual([])
})

test('an explanation compares each event with the version that was published when it happened', async () => {
  const early = await crm.contact()
  const { id } = await published({ trigger: { type: 'contact_created' }, steps: [task('Call')] })
  const [started, left] = [await crm.contact(), await crm.contact({ skip_automations: true })]
  expect(await runs(id)).toHaveLength(1)
  found(await crm.ws.patch(`/automations/${id}`, { trigger: { type: 'record_updated', record: 'contact' } }))
  found(await crm.ws.post(`/automations/${id}/publish`))
  found(await crm.ws.patch(`/contacts/${early.id}`, { city: 'Perth' }))
  expect(await runs(id)).toHaveLength(2)
  const explained = async ({ id: contact }: Row) =>
    (found(await crm.ws.get(`/automations/${id}/explain?contact_id=${contact}`)) as Row[])
      .filter(({ type }) => type.startsWith('contact.'))
      .map(({ type, reason }) => [type, reason])
  expect(await explained(early)).toEqual([
    ['contact.updated', null],
    ['contact.created', 'The automation had not been published'],
  ])
  expect(await explained(started)).toContainEqual(['contact.created', null])
  expect(await explained(left)).toEqual([['contact.created', 'The change was made with skip_automations']])
})
