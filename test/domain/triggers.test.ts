import { describe, expect, test } from 'vitest'
import { type FeedEvent, failureOf, refusalOf } from '../../src/features/automations/rules/triggers.ts'
import type { Trigger } from '../../src/features/automations/rules/types.ts'

const event = (fields: Partial<FeedEvent> = {}): FeedEvent => ({
  id: 'e',
  type: 'contact.updated',
  entity: 'contact',
  entity_id: 'c',
  at: '2026-11-30T00:00:00Z',
  payload: {},
  changes: null,
  skip_automations: false,
  cause_type: 'request',
  depth: 0,
  ...fields,
})
const changed = (changes: FeedEvent['changes']) => event({ changes })
const tags = (...names: string[]) => names.map((name) => ({ name }))
const field = (fields: object): Trigger => ({ type: 'field_changed', record: 'contact', ...fields }) as Trigger
const tag = (type: 'tag_added' | 'tag_removed', fields: object = {}): Trigger => ({ type, record: 'contact', ...fields }) as Trigger
const moved = event({
  type: 'opportunity.moved',
  payload: { from_stage_id: 's1', from_pipeline_id: 'p1', to_stage_id: 's2', to_pipeline_id: 'p2' },
})
const made = event({ type: 'opportunity.created', payload: { stage_id: 's2', pipeline_id: 'p2' } })
const stage = (type: 'stage_entered' | 'stage_left', fields: object = {}) => ({ type, ...fields }) as Trigger
const CITY = changed({ city: { before: 'Perth', after: 'Hobart' } })
const EMPTIED = changed({ city: { before: 'Perth', after: null } })
const SCORE = changed({ metadata: { before: { score: 1, kind: 'a' }, after: { score: 2, kind: 'a' } } })
const FIRST = changed({ metadata: { before: null, after: { score: 2 } } })

describe('an event starts a run', () => {
  test.each<[string, Trigger, FeedEvent]>([
    ['of a change of the field', field({ field: 'city' }), CITY],
    ['of a change from a value', field({ field: 'city', from: 'Perth' }), CITY],
    ['of a change to a value', field({ field: 'city', to: 'Hobart' }), CITY],
    ['of a change from one value to another', field({ field: 'city', from: 'Perth', to: 'Hobart' }), CITY],
    ['of a change to nothing', field({ field: 'city', to: null }), EMPTIED],
    ['of a change within a field', field({ field: 'metadata.score', from: 1, to: 2 }), SCORE],
    ['of a part that is new', field({ field: 'metadata.score', from: null }), FIRST],
    ['of any tag that was added', tag('tag_added'), changed({ tags: { before: tags('a'), after: tags('a', 'b') } })],
    ['of this tag, in any case', tag('tag_added', { tag: 'VIP' }), changed({ tags: { before: null, after: tags('x', 'vip') } })],
    [
      'of a tag that a record was created with',
      tag('tag_added', { tag: 'a' }),
      event({ type: 'contact.created', payload: { tags: tags('A') } }),
    ],
    ['of any tag that was removed', tag('tag_removed'), changed({ tags: { before: tags('a', 'b'), after: tags('b') } })],
    ['of a stage that was entered', stage('stage_entered', { stage_id: 's2', pipeline_id: 'p2' }), moved],
    ['of a stage that it was created in', stage('stage_entered', { stage_id: 's2' }), made],
    ['of a stage that was left', stage('stage_left', { stage_id: 's1', pipeline_id: 'p1' }), moved],
    [
      'of an archived record',
      { type: 'record_archived', record: 'contact' } as Trigger,
      changed({ archived: { before: false, after: true } }),
    ],
  ])('%s', (_, trigger, about) => {
    expect(refusalOf(trigger, about)).toBeUndefined()
    expect(refusalOf(trigger, { ...about, cause_type: null })).toBeUndefined()
  })
})

describe('an event starts no run', () => {
  test.each<[string, Trigger, FeedEvent, reason: string]>([
    ['of another kind of record', field({ field: 'city', record: 'company' }), CITY, 'other events'],
    ['of another field', field({ field: 'email' }), CITY, 'not changed'],
    ['without changes', field({ field: 'city' }), event(), 'not changed'],
    ['of a change from another value', field({ field: 'city', from: 'Sydney' }), CITY, 'had another value'],
    ['of a change to another value', field({ field: 'city', to: 'Sydney' }), CITY, 'has another value'],
    ['of a change that was not from nothing', field({ field: 'city', from: null }), CITY, 'had another value'],
    ['of another part of a field', field({ field: 'metadata.kind' }), SCORE, 'not changed'],
    ['of a part that no record has', field({ field: 'metadata.nothing' }), FIRST, 'not changed'],
    [
      'of another tag',
      tag('tag_added', { tag: 'c' }),
      changed({ tags: { before: tags('a'), after: tags('a', 'b') } }),
      'No such tag was added',
    ],
    [
      'of a tag that it had',
      tag('tag_added', { tag: 'a' }),
      changed({ tags: { before: tags('a'), after: tags('A', 'b') } }),
      'No such tag',
    ],
    [
      'of a tag that stays',
      tag('tag_removed', { tag: 'b' }),
      changed({ tags: { before: tags('a', 'b'), after: tags('b') } }),
      'was removed',
    ],
    ['of other changes', tag('tag_added'), CITY, 'No such tag was added'],
    ['of another stage', stage('stage_entered', { stage_id: 's1' }), moved, 'another stage'],
    ['of another pipeline', stage('stage_left', { pipeline_id: 'p2' }), moved, 'another pipeline'],
    ['of a creation in no stage', stage('stage_entered'), event({ type: 'opportunity.created', payload: { stage_id: null } }), 'no stage'],
    [
      'of a record that came back',
      { type: 'record_archived', record: 'contact' } as Trigger,
      changed({ archived: { before: true, after: false } }),
      'not archived',
    ],
  ])('%s', (_, trigger, about, reason) => {
    expect(refusalOf(trigger, about)).toContain(reason)
  })

  test('that should not, or that an undo or a restore has brought back', () => {
    const trigger = field({ field: 'city' })
    expect(refusalOf(trigger, { ...CITY, skip_automations: true })).toContain('skip_automations')
    for (const cause_type of ['undo', 'restore'])
      expect(refusalOf(trigger, { ...CITY, cause_type }), cause_type).toContain('undo or a restore')
  })
})

test.each<[string, Trigger, FeedEvent, ReturnType<typeof failureOf>]>([
  ['the type of the event', stage('stage_left'), made, { path: 'trigger', expected: ['opportunity.moved'], actual: 'opportunity.created' }],
  ['the field', field({ field: 'email' }), CITY, { path: 'trigger.field', expected: 'email', actual: ['city'] }],
  ['its former value', field({ field: 'city', from: 'Sydney' }), CITY, { path: 'trigger.from', expected: 'Sydney', actual: 'Perth' }],
  ['its value', field({ field: 'metadata.score', to: 3 }), SCORE, { path: 'trigger.to', expected: 3, actual: 2 }],
  ['a value that is gone', field({ field: 'city', to: 'Perth' }), EMPTIED, { path: 'trigger.to', expected: 'Perth', actual: null }],
  ['the stage that was left', stage('stage_left', { stage_id: 's2' }), moved, { path: 'trigger.stage_id', expected: 's2', actual: 's1' }],
  [
    'the stage that was entered',
    stage('stage_entered', { stage_id: 's1' }),
    moved,
    { path: 'trigger.stage_id', expected: 's1', actual: 's2' },
  ],
  ['the pipeline', stage('stage_entered', { pipeline_id: 'p1' }), made, { path: 'trigger.pipeline_id', expected: 'p1', actual: 'p2' }],
  ['nothing that is met', stage('stage_left', { stage_id: 's1', pipeline_id: 'p1' }), moved, undefined],
])('a refusal names %s, with what was expected and what was there', (_, trigger, about, failure) => {
  expect(failureOf(trigger, about)).toEqual(failure)
})
