import * as v from 'valibot'
import { expect, test } from 'vitest'
import { issuesOf } from '../../src/schemas/issues.ts'
import { bodyOf, operations, setAt } from '../contract/samples.ts'

type Place = (string | number)[]

/** Values of each kind of JSON, and some that are beyond bounds. */
const KINDS = ['text', '', 'x'.repeat(5_001), 5.5, -1, 1e17, true, null, [], ['text'], Array(201).fill('text'), {}, { key: 'text' }]

/** Where the sample has a value: in objects, and in the first item of lists. */
function* placesIn(value: unknown, at: Place = []): Generator<Place> {
  if (at.length > 0) yield at
  if (Array.isArray(value)) {
    if (value.length > 0) yield* placesIn(value[0], [...at, 0])
  } else if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value)) yield* placesIn(part, [...at, name])
}

test('a value of the wrong kind is refused in words of this API, wherever it is', () => {
  const raw = new Set<string>()
  let checked = 0
  for (const operation of operations) {
    const schema = operation.endpoint.body
    const sample = bodyOf(operation, {})
    if (!schema || !sample || schema.async || operation.endpoint.successor) continue
    const check = (value: unknown, place: Place) => {
      checked += 1
      const { issues } = v.safeParse(schema, value)
      for (const { message } of issuesOf(schema, value, issues))
        if (/^Invalid |Expected |received /.test(message)) raw.add(`${operation.name} ${place.join('.')}: ${message}`)
    }
    for (const kind of KINDS) check(kind, [])
    for (const place of placesIn(sample))
      for (const kind of KINDS) {
        const changed = structuredClone(sample)
        setAt(changed, place, kind)
        check(changed, place)
      }
  }
  expect(checked).toBeGreaterThan(10_000)
  expect([...raw]).toEqual([])
})

test('the message names the field, what it must be, and what was sent', () => {
  const messages = (name: string, value: unknown) => {
    const { body } = operations.find((operation) => operation.name === name)!.endpoint
    return issuesOf(body!, value, v.safeParse(body!, value).issues).map(({ path, message }) => `${path}: ${message}`)
  }
  expect(messages('POST /contacts', { first_name: 'Ana', tags: ['VIP'] })).toEqual([
    'tags.0: must be an object with name and color, not text',
  ])
  expect(messages('POST /contacts', 5)).toEqual([': Send an object, not a number'])
  expect(messages('POST /tasks', { title: 'Call', recurrence: 'daily' })).toEqual([
    'recurrence: must be an object with frequency, interval, weekdays, month …, not text',
  ])
})
