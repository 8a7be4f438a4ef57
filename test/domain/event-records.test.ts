import type * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { EVENT_TYPES, entityOf } from '../../src/domain/events.ts'
import { isAbout, recordsOf } from '../../src/features/automations/rules/about.ts'
import { payloadOf } from '../../src/features/events/plans/event-types.ts'
import { newId } from '../../src/lib/ids.ts'

/** Which records each event type is about, derived from the schemas of the payloads. */

const OWN = ['contact', 'company', 'opportunity']
/** What each field that names a record is about, and those that name one which the event is not about. */
const KIND: Record<string, (typeof OWN)[number] | null> = {
  contact_id: 'contact',
  contact_ids: 'contact',
  customer_id: 'company',
  linked_customer_id: 'company',
  opportunity_id: 'opportunity',
  deal_id: 'opportunity',
  linked_deal_id: 'opportunity',
  parent_company_id: null,
  referrer_opportunity_id: null,
}
const NAMES_RECORD = /(contact|customer|company|deal|opportunity)_ids?$/
const fieldsOf = (type: string) => Object.keys((payloadOf(type) as v.ObjectSchema<v.ObjectEntries, undefined>).entries ?? {})

test('every field of a payload that names a record is known', () => {
  const named = EVENT_TYPES.flatMap(fieldsOf).filter((name) => NAMES_RECORD.test(name))
  expect([...new Set(named)].toSorted()).toEqual(Object.keys(KIND).toSorted())
})

describe.each(EVENT_TYPES)('%s', (type) => {
  const entity = entityOf(type)
  const named = fieldsOf(type).filter((name) => NAMES_RECORD.test(name))
  const payload = Object.fromEntries(named.map((name) => [name, name.endsWith('s') ? [newId(), newId()] : newId()]))
  const event = { type, entity, entity_id: newId(), payload }

  test('is about its record, else about all that its payload names', () => {
    const expected: Record<string, string[]> = { contact: [], company: [], opportunity: [] }
    if (OWN.includes(entity)) expected[entity]?.push(event.entity_id)
    else for (const [name, value] of Object.entries(payload)) expected[KIND[name] as string]?.push(...[value].flat())
    const found = recordsOf(event)
    for (const kind of OWN) expect(found[kind as 'contact'].toSorted()).toEqual(expected[kind]?.toSorted())
  })

  test('is about nothing that its payload leaves empty, and not about other records', () => {
    const empty = { ...event, payload: Object.fromEntries(named.map((name) => [name, null])) }
    const { contact, company, opportunity } = recordsOf(empty)
    expect([...contact, ...company, ...opportunity]).toEqual(OWN.includes(entity) ? [event.entity_id] : [])
    expect(isAbout(event, { contact_id: newId(), customer_id: newId(), opportunity_id: null })).toBe(false)
  })
})

test.each([
  ['contacts', 'contact_id'],
  ['companies', 'customer_id'],
  ['opportunities', 'opportunity_id'],
])('an event of a list of %s is about its member', (object, name) => {
  const record_id = newId()
  const event = { type: 'list.entered', entity: 'list', entity_id: newId(), payload: { object, record_id } }
  expect(isAbout(event, { [name]: record_id })).toBe(true)
  expect(isAbout(event, { [name === 'contact_id' ? 'customer_id' : 'contact_id']: record_id })).toBe(false)
})
