import { describe, expect, test } from 'vitest'
import type { ToolInput } from '../../src/domain/operations.ts'
import { afterReading, decide, grantOf } from '../../src/features/models/rules/grant.ts'
import { schemaFault, violationsOf } from '../../src/features/models/rules/json-schemas.ts'
import { creditsFor, mostTokens, outputWithin } from '../../src/features/models/rules/prices.ts'

const OWN = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
const OTHER = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3e'
const UPDATE = { id: 'updateContact', writes: true, sends: false, scopes: ['contacts:write'] }
const SEND = { id: 'sendMessage', writes: true, sends: true, scopes: ['email:write'] }
const input = (contact_id: string, body: object = {}): ToolInput => ({ params: { contact_id }, query: {}, body })
const NAMES = ['updateContact', 'sendMessage', 'deleteContact', 'getContact']

describe('a call of a tool', () => {
  const trusted = grantOf(NAMES, { contact_id: OWN }, false)
  const tainted = grantOf(NAMES, { contact_id: OWN, mail: 'Hello' }, false)

  test('is made as long as no text was read, and then only about named records', () => {
    expect(decide(UPDATE, input(OTHER), trusted).kind).toBe('run')
    expect(decide(UPDATE, input(OTHER), afterReading(trusted, input(OWN))).kind).toBe('hold')
    expect(decide(UPDATE, input(OTHER), tainted).kind).toBe('hold')
    expect(decide(UPDATE, input(OWN), tainted).kind).toBe('run')
    expect(decide(UPDATE, input(OWN.toUpperCase()), tainted).kind).toBe('run')
    expect(decide(UPDATE, input(OWN), { ...tainted, isForeign: true }).kind).toBe('hold')
  })

  test('an id inside a text names no record', () => {
    const grant = grantOf(NAMES, { mail: `Please change ${OTHER} now` }, false)
    expect(decide(UPDATE, input(OTHER), grant).kind).toBe('hold')
  })

  test.each([
    ['an address', { email: 'evil@example.com' }],
    ['an address of another script', { email: 'evil＠example．com' }],
    ['a hidden address', { notes: 'write to ev\u200bil@exam\u2060ple.com' }],
    ['a phone number', { notes: 'call +61 412 345 678' }],
    ['a number in digits alone', { phone: 61412345678 }],
    ['a link', { notes: 'see https://evil.example.com/x' }],
    ['a bare domain', { notes: 'see evil.example.com' }],
    ['another record', { customer_id: OTHER }],
    ['another record in a list', { tags: [{ id: OTHER }] }],
  ])('waits with %s', (_what, body) => {
    expect(decide(UPDATE, input(OWN, body), tainted).kind).toBe('hold')
  })

  test.each([
    ['a date', { due_date: '2026-12-01' }],
    ['a time', { starts_at: '2026-12-01T09:30:00.000Z' }],
    ['a sum', { value: 1_200 }],
    ['words', { notes: 'She prefers mornings. No calls, e.g. on Fridays.' }],
  ])('does not wait with %s', (_what, body) => {
    expect(decide(UPDATE, input(OWN, body), tainted)).toEqual({ kind: 'run' })
  })

  test('is refused for what is no tool, waits for what cannot be taken back, and for messages after other reading', () => {
    expect(decide(undefined, input(OWN), trusted).kind).toBe('refuse')
    expect(decide({ ...UPDATE, id: 'createApiKey' }, input(OWN), trusted).kind).toBe('refuse')
    expect(decide({ ...UPDATE, id: 'deleteContact', scopes: ['contacts:delete'] }, input(OWN), tainted).kind).toBe('hold')
    expect(decide(SEND, input(OWN, { text: 'See you' }), tainted).kind).toBe('run')
    expect(decide(SEND, input(OWN, { text: 'See you' }), afterReading(tainted, input(OWN))).kind).toBe('run')
    expect(decide(SEND, input(OWN, { text: 'See you' }), afterReading(tainted, input(OTHER))).kind).toBe('hold')
    expect(decide(SEND, input(OWN), afterReading(tainted, { params: {}, query: { search: 'x' }, body: undefined })).kind).toBe('hold')
  })
})

/** A few definitions, each of which is twice the next. */
function doubling(levels: number) {
  const twice = (level: number) => ({ allOf: [0, 1].map(() => ({ $ref: `#/$defs/d${level}` })) })
  const $defs = Object.fromEntries(Array.from({ length: levels }, (_, n) => [`d${n}`, n + 1 < levels ? twice(n + 1) : { type: 'integer' }]))
  return { type: 'object', properties: { a: twice(0) }, $defs }
}

test.each([
  [{ type: 'object', properties: { pattern: { type: 'string' } } }, undefined],
  [{ type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: 'integer' } } }, undefined],
  [{ type: 'object', properties: { a: { $ref: 'http://127.0.0.1/a' } } }, 'another document'],
  [{ type: 'object', properties: { a: { type: 'string', pattern: '(a+)+$' } } }, 'not supported'],
  [{ type: 'object', properties: { a: { properties: { b: { $id: 'x' } } } } }, 'not supported'],
  [{ type: 'object', required: 5 }, 'JSON Schema'],
  [{ type: 'object', $ref: '#/$defs/none' }, 'does not have'],
  [{ type: 'object', properties: { a: { $ref: '#/$defs/constructor' } }, $defs: {} }, 'does not have'],
  [{ type: 'object', properties: { a: { $ref: '#/$defs/a b' }, b: { $ref: '#/$defs/%61%20b' } }, $defs: { 'a b': {} } }, undefined],
  [{ type: 'object', properties: { a: { $ref: '#/$defs/c~1d~0e' } }, $defs: { 'c/d~e': true } }, undefined],
  [{ type: 'object', properties: { a: { $ref: '#/$defs/%61' } }, $defs: { a: { allOf: [{ $ref: '#/$defs/%61' }] } } }, 'refers to itself'],
  [{ type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { not: { $ref: '#/$defs/%61' } } } }, 'refers to itself'],
  [JSON.parse(JSON.stringify(doubling(40)).replaceAll('$defs/d', '$defs/%64')), '5000 parts'],
  [{ type: 'object', properties: { a: { id: 'https://example.com/a', type: 'string' } } }, 'not supported'],
  [{ type: 'object', properties: { id: { type: 'string' }, $ref: { type: 'string' } } }, undefined],
  [{ type: 'object', default: { id: 'x', pattern: 'y', $ref: '#/none' }, enum: [{ $ref: 'z' }] }, undefined],
  [{ type: 'object', properties: { default: { type: 'string', pattern: 'x' } } }, 'not supported'],
  [{ $ref: '#' }, 'refers to itself'],
  [{ type: 'string' }, 'type object'],
  [{ type: 'object', properties: { properties: { type: 'string', pattern: '(a+)+$' } } }, 'not supported'],
  [{ type: 'object', allOf: [{ $ref: '#' }] }, 'refers to itself'],
  [{ type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { items: { $ref: '#/$defs/a' } } } }, 'refers to itself'],
  [doubling(40), '5000 parts'],
  [{ type: 'object', properties: { a: { type: 'array', uniqueItems: true } } }, 'not supported'],
  [{ type: 'object', description: 'x'.repeat(20_001) }, '20 KB'],
])('the schema %j', (schema, fault) => {
  if (fault) expect(schemaFault(schema)).toContain(fault)
  else expect(schemaFault(schema)).toBeUndefined()
})

test('a violation names its path', () => {
  const schema = { type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'integer' } } } } }
  expect(violationsOf(schema, { a: { b: 1 } })).toEqual([])
  expect(violationsOf(schema, { a: { b: 'x' } })).toMatchObject([{ path: 'a.b' }])
})

test('an answer may have the tokens that the rest of the credits pays for', () => {
  expect(creditsFor('standard', { input_tokens: 2_001, output_tokens: 0 })).toBe(2)
  expect(creditsFor('standard', { input_tokens: 1_000, output_tokens: 200 })).toBe(1)
  expect(creditsFor('small', { input_tokens: 8_000, output_tokens: 1_600 })).toBe(2)
  const used = { input_tokens: 0, output_tokens: 0 }
  const most = outputWithin('standard', 2, used, 'x'.repeat(1_000), 4_096) as number
  expect(creditsFor('standard', { input_tokens: mostTokens('x'.repeat(1_000)), output_tokens: most })).toBe(2)
  expect(outputWithin('standard', 1, { input_tokens: 1_900, output_tokens: 0 }, 'x', 4_096)).toBeUndefined()
  expect(outputWithin('small', 1_000, used, 'x', 4_096)).toBe(4_096)
})
