import { expect, test } from 'vitest'
import { MAX_STEPS } from '../../src/features/automations/schemas/automation-steps.ts'
import { found, type Row, useCrm } from '../routes/crm.ts'

/** What is wrong with the parts of a definition, each with its place. */
const crm = useCrm()
const task = (more: Row = {}) => ({ type: 'create_task', fields: { title: 'A' }, ...more })
const tasks = (count: number) => Array.from({ length: count }, () => task())
const on = (filter: unknown) => ({ conditions: [{ on: 'trigger', filter }] })
const wait = (fields: Row) => ({ steps: [{ type: 'wait', ...fields }] })
const eq = { field: 'type', op: 'eq', value: 'contact.created' }
const nested = (levels: number): Row => (levels === 0 ? eq : { not: nested(levels - 1) })
const timeout = { amount: 1, unit: 'days' }
const window = { from: '09:00', to: '17:00' }
const filter = { field: 'city', op: 'eq', value: 'X' }
const request = (path: string, more: Row = {}) => ({ steps: [{ type: 'api_request', method: 'POST', path, ...more }] })

const REFUSED: [name: string, fields: Row, path: string][] = [
  ['a condition that is none', on({ all: ['x'] }), 'conditions.0.filter.all.0'],
  ['a condition that is a list', on({ not: [] }), 'conditions.0.filter.not'],
  ['a condition that is null', on({ any: [null] }), 'conditions.0.filter.any.0'],
  ['groups that lie too deep', on(nested(5)), `conditions.0.filter${'.not'.repeat(5)}`],
  ['a group that is no list', on({ all: eq }), 'conditions.0.filter.all'],
  ['a group of nothing', on({ any: [] }), 'conditions.0.filter.any'],
  ['a group of too many', on({ all: Array.from({ length: 51 }, () => eq) }), 'conditions.0.filter.all'],
  ['a condition without a field', on({ op: 'eq', value: 1 }), 'conditions.0.filter.field'],
  ['a condition about an empty field', on({ field: '', op: 'eq', value: 1 }), 'conditions.0.filter.field'],
  ['a field that is too long', on({ field: 'x'.repeat(201), op: 'eq', value: 1 }), 'conditions.0.filter.field'],
  ['in without a list', on({ ...eq, op: 'in' }), 'conditions.0.filter.value'],
  ['not_in without a list', on({ ...eq, op: 'not_in' }), 'conditions.0.filter.value'],
  ['a condition without its value', on({ field: 'type', op: 'lt' }), 'conditions.0.filter.value'],
  [
    'more steps than an automation may have',
    { steps: [{ type: 'branch', branches: [{ if: [], steps: tasks(50) }], else: tasks(50) }] },
    'steps',
  ],
  ['two steps with one id', { steps: [1, 2].map(() => task({ id: '01a22a05-1763-7564-a60c-1c6751bd03d7' })) }, 'steps'],
  ['steps that are no list', { steps: [{ type: 'branch', branches: [{ if: [], steps: [] }], else: {} }] }, 'steps.0.else'],
  [
    'an event of one and of several types',
    wait({ event: { type: 'task.completed', types: ['task.created'], timeout } }),
    'steps.0.event.type',
  ],
  ['an event of no type', wait({ event: { timeout } }), 'steps.0.event.type'],
  ['an unknown event', wait({ event: { type: 'task.exploded', timeout } }), 'steps.0.event.type'],
  [
    'a condition of an event that is none',
    wait({ event: { type: 'task.created', where: { all: [] }, timeout } }),
    'steps.0.event.where.all',
  ],
  ['a time of day without a day', wait({ for: timeout, at: '09:00' }), 'steps.0.at'],
  ['a time of day with an event', wait({ event: { type: 'task.created', where: eq, timeout }, at: '09:00' }), 'steps.0.at'],
  ['a window that ends as it begins', wait({ for: timeout, window: { from: '09:00', to: '09:00' } }), 'steps.0.window.to'],
  ['nothing to wait for', wait({ window }), 'steps.0.for'],
  [
    'a loop over two things',
    { steps: [{ type: 'for_each', items: '{{ contact.tags }}', search: { object: 'contacts', filter }, steps: [] }] },
    'steps.0.items',
  ],
  ['a loop over nothing', { steps: [{ type: 'for_each', steps: [] }] }, 'steps.0.items'],
  [
    'a search of a loop that is none',
    { steps: [{ type: 'for_each', search: { object: 'contacts', filter: { field: 'shoe', op: 'eq', value: 1 } }, steps: [] }] },
    'steps.0.search.filter.field',
  ],
  ['a request without a parameter of its path', request('/tasks/{task_id}/complete'), 'steps.0.params.task_id'],
  ['a request that only reads', request('/contacts/search', { body: { filter } }), 'steps.0.path'],
  ['a request that nobody answers', request('/nowhere'), 'steps.0.path'],
  ['a list of filters without an end', { steps: [task({ fields: { title: '{{ contact.city | join: "x }}' } })] }, 'steps.0.fields.title'],
]

test.each(REFUSED)('%s is refused', async (_, fields, path) => {
  const definition = { name: 'Bad', trigger: { type: 'event', event_types: ['contact.created'] }, steps: [], ...fields }
  const { valid, issues } = found(await crm.ws.post('/automations/validate', definition))
  expect([valid, issues.map((issue: Row) => issue.path)]).toEqual([false, [path]])
})

test.each<[string, Row]>([
  ['groups as deep as they may be', on(nested(4))],
  ['a group of as many as it may have', on({ all: Array.from({ length: 50 }, () => eq) })],
  ['conditions that need no value', on({ any: ['is_empty', 'is_not_empty', 'changed'].map((op) => ({ field: 'payload.city', op })) })],
  ['lists', on({ all: ['in', 'not_in'].map((op) => ({ ...eq, op, value: ['x'] })) })],
  ['as many steps as it may have', { steps: tasks(MAX_STEPS) }],
  ['a wait into a window', wait({ for: timeout, window })],
  ['a time of day of a day', wait({ until: '2027-02-28', at: '09:00' })],
  ['a request with the parameter of its path', request('/tasks/{task_id}/complete', { params: { task_id: '{{ trigger.entity_id }}' } })],
])('%s are taken', async (_, fields) => {
  const definition = { name: 'Good', trigger: { type: 'event', event_types: ['contact.created'] }, steps: [], ...fields }
  expect(found(await crm.ws.post('/automations/validate', definition))).toMatchObject({ valid: true, issues: [] })
})
