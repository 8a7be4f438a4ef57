import { describe, expect, test } from 'vitest'
import { readDefinition } from '../../src/features/automations/plans/definition.ts'
import { TRIGGER_TYPES } from '../../src/features/automations/rules/triggers.ts'
import { STEP_TYPES } from '../../src/features/automations/schemas/automation-steps.ts'
import { created, failed, found, type Row, useCrm } from '../routes/crm.ts'

/**
 * Each valid definition with each of its names misspelt once is refused with the place of the name. In the samples «name» marks a name in a
 * text; keys of settings are names as well.
 */

const crm = useCrm({ ownServer: true })
const ID = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
const eq = (field: string, more: Row = {}) => ({ field, op: '«eq»', value: 'x', ...more })
const SOON = { amount: 1, unit: '«days»' }

/** A trigger of each type, with a path of its data that a run has. */
const TRIGGERS: Record<string, [Row, string]> = {
  contact_created: [{}, 'payload.«first_name»'],
  record_created: [{ record: '«company»' }, 'payload.«city»'],
  record_updated: [{ record: '«opportunity»' }, 'changes.«stage_id».«after»'],
  field_changed: [{ record: '«contact»', field: '«city»', to: 'Perth' }, 'changes.«city».«before»'],
  record_archived: [{ record: '«contact»' }, 'payload.«last_name»'],
  stage_entered: [{}, 'payload.«to_stage_id»'],
  stage_left: [{}, 'payload.«from_stage_id»'],
  opportunity_won: [{}, 'payload.«value»'],
  opportunity_lost: [{}, 'payload.«stage_id»'],
  tag_added: [{ record: '«contact»', tag: 'VIP' }, 'payload.«email»'],
  tag_removed: [{ record: '«contact»' }, '«entity_id»'],
  list_entered: [{}, 'payload.«record_id»'],
  list_left: [{}, 'payload.«object»'],
  event: [
    {
      event_types: ['«task.created»'],
      where: { any: [eq('payload.«title»'), { not: { field: '«priority»', op: '«changed_to»', value: 'high' } }] },
    },
    'payload.«contact_id»',
  ],
  manual: [{}, '«data».reason'],
  schedule: [{}, '«first_name»'],
  incoming_webhook: [{}, 'anything'],
}
const TEXT =
  '{{ «contact».«first_name» }} {{ trigger.PATH }} {{ «company».«name» | «upper» }} {{ «workspace».«timezone» }} ' +
  '{{ steps.«first».«title» }}'
const sending = { text: TEXT }
const record = { record_id: '{{ «contact».«id» }}' }
/** A step of each type. */
const STEPS: Record<string, Row> = {
  condition: {
    if: [
      { on: '«contact»', filter: eq('«city»') },
      { on: '«trigger»', filter: { all: [eq('PATH')] } },
      { on: '«steps»', filter: { any: [eq('«first».«title»'), { not: eq('«first».«failure».«code»') }] } },
    ],
  },
  branch: {
    branches: [
      { name: 'A', if: [{ on: '«company»', filter: { has: '«contacts»', where: eq('«first_name»') } }], steps: [{ type: '«stop»' }] },
      { name: 'B', if: [{ on: '«steps»', filter: eq('«first».«status»') }], steps: [{ type: '«stop»' }] },
    ],
    else: [{ type: '«stop»', reason: '{{ «opportunity».«name» }}' }],
  },
  wait: { event: { types: ['«task.completed»', '«email.*»'], where: { all: [eq('payload.«contact_id»')] }, timeout: SOON } },
  for_each: {
    search: { object: '«contacts»', filter: eq('«city»') },
    steps: [{ type: '«create_task»', fields: { '«title»': '{{ «item».«first_name» }}' } }],
  },
  stop: { reason: TEXT },
  create_contact: { fields: { '«first_name»': TEXT } },
  update_contact: { ...record, fields: { '«city»': TEXT } },
  create_company: { fields: { '«name»': TEXT } },
  update_company: { ...record, fields: { '«city»': TEXT } },
  create_opportunity: { fields: { '«name»': TEXT, '«stage_id»': ID, '«pipeline_id»': ID } },
  update_opportunity: { ...record, fields: { '«name»': TEXT } },
  create_task: { fields: { '«title»': TEXT, '«priority»': '«high»' } },
  create_activity: { fields: { '«activity_type»': '«note»', '«subject»': TEXT } },
  add_tags: { record: '«contact»', tags: ['VIP'], ...record },
  remove_tags: { record: '«contact»', tags: ['VIP'] },
  add_to_list: { list_id: ID, record: '«contact»' },
  remove_from_list: { list_id: ID, record: '«contact»' },
  move_stage: { ...record, stage_id: '{{ «opportunity».«stage_id» }}' },
  assign: { record: '«contact»', user_ids: ['{{ «contact».«assigned_to» }}'] },
  send_email: { subject: TEXT, ...sending },
  send_sms: sending,
  send_whatsapp: sending,
  notify: { role: 'client_admin', subject: TEXT, ...sending },
  start_automation: { automation_id: ID },
  http_request: { method: '«POST»', url: 'https://example.com/{{ «run».«id» }}', body: { any: TEXT } },
  api_request: { method: '«POST»', path: '/«tasks»', body: { '«title»': TEXT } },
}

type Definition = Parameters<typeof readDefinition>[0] & Row[]
type Place = { path: string; name: string }
/** A sample without marks, in which the name of the given number is misspelt; its place, if there is one. */
function written(sample: unknown, wrong: number): { value: Definition; place: Place | undefined; count: number } {
  let count = 0
  let place: Place | undefined
  const text = (source: string, path: string) =>
    source.replace(/«([^»]+)»/g, (_, name: string) => {
      if (count++ !== wrong) return name
      place = { path, name }
      return name.includes('*') ? name.replace('.', 'x.') : `${name}${name.at(-1)}`
    })
  const walk = (value: unknown, path: string): unknown => {
    if (typeof value === 'string') return text(value, path)
    if (Array.isArray(value)) return value.map((one, index) => walk(one, `${path}.${index}`))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => {
        const name = text(key, path)
        return [name, walk(one, `${path}.${key.replaceAll(/[«»]/g, '')}`)]
      }),
    )
  }
  return { value: walk(sample, '') as Definition, place, count }
}
const withPath = (sample: unknown, path: string) => JSON.parse(JSON.stringify(sample).replaceAll('PATH', path))
const marked = (key: string) => ({ [`«${key}»`]: true })

/** The keys of settings are names, unless they are the customer's own. */
const OWN_KEYS = ['body', 'fields', 'params']
function withKeys(sample: unknown, inside = ''): unknown {
  if (Array.isArray(sample)) return sample.map((one) => withKeys(one, inside))
  if (typeof sample !== 'object' || sample === null || OWN_KEYS.includes(inside)) return sample
  return Object.fromEntries(
    Object.entries(sample).map(([key, one]) => [key.includes('«') ? key : Object.keys(marked(key))[0], withKeys(one, key)]),
  )
}
const FIRST = { type: 'create_task', key: '«first»', fields: { title: 'First' } }
const definitionOf = (trigger: string, step: string): Row => {
  const [settings, path] = TRIGGERS[trigger] as [Row, string]
  const sample = {
    trigger: withKeys({ type: `«${trigger}»`, ...settings }),
    conditions: withKeys([{ on: '«trigger»', filter: { any: [eq('PATH')] } }]),
    steps: [{ ...FIRST, key: 'first' }, withKeys({ type: `«${step}»`, ...STEPS[step] })],
  }
  return withPath(sample, path)
}
type Issue = { path: string; message: string }
/** Whether one of the issues is at the place, or at the settings that the name belongs to. */
const names = (issues: Issue[], { path, name }: Place) => {
  const at = path.replace(/^\./, '')
  const parent = at.replace(/\.[^.]*$/, '')
  return issues.some((issue) => issue.path.startsWith(at) || (name !== '' && issue.path.startsWith(parent)) || at.startsWith(issue.path))
}

describe('samples', () => {
  test('there is one of every trigger and of every step', () => {
    expect(Object.keys(TRIGGERS).toSorted()).toEqual([...TRIGGER_TYPES].toSorted())
    expect(Object.keys(STEPS).toSorted()).toEqual(Object.keys(STEP_TYPES).toSorted())
  })
})

const issuesOf = async (definition: Row): Promise<Issue[]> => {
  const answer = await crm.ws.post('/automations/validate', { name: 'X', ...definition })
  if (answer.status === 200) return answer.body.data.issues
  expect(answer).toMatchObject(failed(400, 'VALIDATION_ERROR'))
  return answer.body.error.details.issues
}
const SHAPED = ['trigger.list_id', 'steps.1.list_id', 'steps.1.automation_id']

test.each(TRIGGER_TYPES.map((type, index) => [type, Object.keys(STEPS).filter((_, at) => at % TRIGGER_TYPES.length === index)] as const))(
  'trigger %s with steps %j',
  async (trigger, steps) => {
    for (const step of steps) {
      const sample = definitionOf(trigger, step)
      const { value, count } = written(sample, -1)
      expect((await issuesOf(value)).filter(({ path }) => !SHAPED.includes(path))).toEqual([])
      for (let wrong = 0; wrong < count; wrong++) {
        const { value: misspelt, place } = written(sample, wrong)
        const issues = (await issuesOf(misspelt)).filter(({ path }) => !SHAPED.includes(path))
        expect(names(issues, place as Place), `${step} ${JSON.stringify(place)} ${JSON.stringify(issues)}`).toBe(true)
      }
    }
  },
)

test('every trigger with every step: names of the data of the trigger, of records and of steps before', () => {
  for (const trigger of TRIGGER_TYPES)
    for (const step of Object.keys(STEPS)) {
      const sample = definitionOf(trigger, step)
      // Settings of triggers are read by their schema before.
      const { value, count } = written(sample, -1)
      expect(readDefinition(value).issues).toEqual([])
      for (let wrong = 0; wrong < count; wrong++) {
        const { value: misspelt, place } = written(sample, wrong)
        const at = (place as Place).path
        if (!/^\.(steps\.1|conditions\.0\.filter)/.test(at) || OWN_KEYS.some((key) => at.includes(`.${key}`))) continue
        const issues = readDefinition(misspelt).issues
        if (step !== 'api_request') expect(names(issues, place as Place), `${trigger} ${step} ${JSON.stringify(place)}`).toBe(true)
      }
    }
})

describe('beside validation', () => {
  const bad = {
    trigger: { type: 'event', event_types: ['task.created'], where: { all: [{ field: 'payload.titel', op: 'eq', value: 'A' }] } },
  }
  const issue = { path: 'trigger.where.all.0.field', message: 'The event.payload has no field titel: did you mean title?' }
  const refusal = { ...failed(400, 'VALIDATION_ERROR'), body: { error: { details: { issues: [issue] } } } }

  test('create, change and import refuse alike, and publishing refuses what an earlier release has stored', async () => {
    expect(await crm.ws.post('/automations', { name: 'A', steps: [], ...bad })).toMatchObject(refusal)
    expect(await crm.ws.post('/automations/import', { format: 'automation/1', name: 'A', steps: [], ...bad })).toMatchObject(refusal)
    const { id } = created(await crm.ws.post('/automations', { name: 'B', trigger: { type: 'manual' }, steps: [] }))
    expect(await crm.ws.patch(`/automations/${id}`, bad)).toMatchObject(refusal)
    await crm.app.owner.query('update automations set trigger = $1 where id = $2', [bad.trigger, id])
    expect(await crm.ws.post(`/automations/${id}/publish`)).toMatchObject(refusal)
  })

  const url = 'https://example.com/hook'
  const FILTER = withKeys({ any: [{ not: eq('payload.«priority»') }, eq('changes.«status».«before»'), eq('«entity_id»')] })
  test('every name in the filter of a webhook', async () => {
    const { value, count } = written(FILTER, -1)
    const { id } = created(await crm.ws.post('/webhooks', { url, event_types: ['task.*'], filter: value }))
    for (let wrong = 0; wrong < count; wrong++) {
      const { value: filter, place } = written(FILTER, wrong)
      for (const answer of [
        await crm.ws.post('/webhooks', { url, event_types: ['task.*'], filter }),
        await crm.ws.patch(`/webhooks/${id}`, { filter }),
      ])
        expect(answer, JSON.stringify(place)).toMatchObject(failed(400, 'VALIDATION_ERROR'))
    }
    expect(await crm.ws.patch(`/webhooks/${id}`, { event_types: ['contact.created'] })).toMatchObject(failed(400, 'VALIDATION_ERROR'))
    found(await crm.ws.patch(`/webhooks/${id}`, { event_types: ['contact.created'], filter: null }))
  })

  const EXITS = [
    ...['field_changed', 'record_archived', 'tag_added', 'event'].map((type) => ({ type: `«${type}»`, ...TRIGGERS[type]?.[0] })),
  ]
  test('every name in the exits of a queue', async () => {
    const sample = withKeys(EXITS)
    const { value, count } = written(sample, -1)
    const { id } = created(await crm.ws.post('/auto-queues', { name: 'Q', exits: value }))
    for (let wrong = 0; wrong < count; wrong++) {
      const { value: exits, place } = written(sample, wrong)
      for (const answer of [
        await crm.ws.post('/auto-queues', { name: `Q${wrong}`, exits }),
        await crm.ws.patch(`/auto-queues/${id}`, { exits }),
      ]) {
        expect(answer, JSON.stringify(place)).toMatchObject(failed(400, 'VALIDATION_ERROR'))
        expect(names(answer.body.error.details.issues, { ...(place as Place), path: `exits${place?.path}` }), JSON.stringify(place)).toBe(
          true,
        )
      }
    }
  })

  test.each(['list_entered', 'list_left'])('%s of a list that does not track its membership', async (type) => {
    const filter = { field: 'city', op: 'eq', value: 'X' }
    const untracked = created(await crm.ws.post('/lists', { name: 'Untracked', object: 'contacts', kind: 'live', filter }))
    const trigger = { type, list_id: untracked.id }
    const at = (path: string) => ({
      ...failed(400, 'VALIDATION_ERROR'),
      body: { error: { details: { issues: [{ path, message: expect.stringContaining('does not track its membership') }] } } },
    })
    expect(await crm.ws.post('/automations', { name: type, trigger, steps: [] })).toMatchObject(at('trigger.list_id'))
    expect(await issuesOf({ trigger, steps: [] })).toMatchObject([{ path: 'trigger.list_id' }])
    expect(await crm.ws.post('/auto-queues', { name: type, exits: [trigger] })).toMatchObject(at('exits.0.list_id'))
    found(await crm.ws.patch(`/lists/${untracked.id}`, { tracks_membership: true }))
    expect(await issuesOf({ trigger, steps: [] })).toEqual([])
  })
})
