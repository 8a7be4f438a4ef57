import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromBase64Url, toBase64Url } from '../../src/lib/base64.ts'
import {
  cutText,
  findUncleanJson,
  isCalendarDate,
  isCleanText,
  looseForm,
  storableJson,
  storableText,
  toUtcText,
} from '../../src/lib/text.ts'

test.each([
  ['plain text', 'Ana', true],
  ['an emoji', '👩‍🚀', true],
  ['a line break', 'a\nb', true],
  ['a NUL', 'a\0b', false],
  ['half an emoji', '👩'.slice(0, 1), false],
])('whether %s can be stored', (_, text, answer) => {
  expect(isCleanText(text)).toBe(answer)
})

test.each([
  ['  Ana\t\n  MARÍA  ', 'ana maria'],
  ['Ａｎａ', 'ANA'],
  ['ﬁne', 'FINE'],
  ['cafe\u0301', 'CAFÉ'],
  ['a\u00a0b', 'A  b'],
  ['ΟΔΟΣ', 'οδος'],
  ['Straße', 'STRASSE'],
  ['İstanbul', 'istanbul'],
])('%j may be the same name as %j', (one, other) => {
  expect(looseForm(one)).toBe(looseForm(other))
})

test.each([
  ['flat values', { a: 'x', b: 1, c: null, d: true }, 3, undefined],
  ['a NUL in a list', { a: { b: ['x', 'y\0'] } }, 3, 'a.b[1]'],
  ['half an emoji in a key', JSON.parse('{"a":{"\\ud83d":1}}'), 3, 'a.\ufffd'],
  ['the key __proto__', JSON.parse('{"a":{"__proto__":1}}'), 3, 'a.__proto__'],
  ['a number too large for JSON', JSON.parse('{"a":1e999}'), 3, 'a'],
  ['objects as deep as they may be', { a: { b: { c: 1 } } }, 3, undefined],
  ['an object one too deep', { a: { b: { c: {} } } }, 3, 'a.b.c'],
  ['a list one too deep', [[[[]]]], 3, '[0][0][0]'],
  ['text at the root', 'x\0', 3, ''],
])('the fault of %s', (_, value, depth, answer) => {
  expect(findUncleanJson(value, depth)).toBe(answer)
})

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'abc'],
  ['ab😀', 3, 'ab'],
  ['ab😀', 4, 'ab😀'],
  ['a😀b', 3, 'a😀'],
  ['', 3, ''],
])('%j is cut to %i units as %j', (text, most, answer) => {
  expect(cutText(text, most)).toBe(answer)
})

test.each([
  ['a\0b', 'ab'],
  ['a\ud83db', 'a\ufffdb'],
  ['a😀', 'a😀'],
])('%j is stored as %j', (text, answer) => {
  expect(storableText(text)).toBe(answer)
})

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
test.each([
  ['{"a\\u0000":["b\\ud83d",null,1,true,{"c":"\\\\u0000"}]}', { a: ['b\ufffd', null, 1, true, { c: '\\u0000' }] }],
  ['"\\u0000"', ''],
  ['null', null],
  ['no JSON', undefined],
  ['', undefined],
  [nested(101), undefined],
  [nested(100_000), undefined],
])('JSON is stored as it can be: %.60j', (text, answer) => {
  expect(storableJson(text)).toEqual(answer)
})

test('JSON of as many levels as are stored is stored as it is', () => {
  expect(storableJson(nested(100))).toEqual(JSON.parse(nested(100)))
})

test('nesting that would exhaust the stack is refused without walking it', () => {
  expect(findUncleanJson(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)), 8)).toBe('[0]'.repeat(8))
})

test.each([
  ['2024-02-29', true],
  ['2025-02-29', false],
  ['2026-02-31', false],
  ['0001-01-01', true],
  ['0000-01-01', false],
  ['2026-2-1', false],
  ['20260201', false],
  ['2026-02-01T00:00', false],
  ['+002026-02-01', false],
])('whether %s is a date of the calendar', (text, answer) => {
  expect(isCalendarDate(text)).toBe(answer)
})

test.each([
  ['2026-03-31T09:30:00Z', '2026-03-31T09:30:00.000Z'],
  ['2026-03-31T09:30Z', '2026-03-31T09:30:00.000Z'],
  ['2026-03-31t09:30:00z', '2026-03-31T09:30:00.000Z'],
  ['2026-03-31T09:30:00.123456+11:00', '2026-03-30T22:30:00.123Z'],
  ['2026-03-31T09:30:00-0330', '2026-03-31T13:00:00.000Z'],
  ['2026-03-31T09:30:00', undefined],
  ['2026-02-31T09:30:00Z', undefined],
  ['2026-03-31T24:00:00Z', undefined],
  ['2026-03-31T23:59:60Z', undefined],
  ['2026-03-31T09:30:00+99:99', undefined],
  ['2026-03-31T09:30:00Z[Europe/Paris]', undefined],
  ['9999-12-31T23:00:00-10:00', undefined],
  ['0001-01-01T00:00:00+10:00', undefined],
  ['2026-03-31', undefined],
  ['now', undefined],
])('the timestamp %s in UTC is %s', (text, answer) => {
  expect(toUtcText(text)).toBe(answer)
})

test('any text survives base64url', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const encoded = toBase64Url(text)
      expect(encoded).toMatch(/^[A-Za-z0-9_-]*$/)
      expect(fromBase64Url(encoded)).toBe(text)
    }),
  )
})

test.each([
  ['', ''],
  ['?>~', 'Pz5-'],
  ['\ufeffa', '77u_YQ'],
])('%j is %j in base64url', (text, encoded) => {
  expect(toBase64Url(text)).toBe(encoded)
  expect(fromBase64Url(encoded)).toBe(text)
})

test.each(['Pz5+', 'YQ==', 'Y', 'YR', 'a b', '_w', 'YQ\n'])('%j is no base64url', (encoded) => {
  expect(() => fromBase64Url(encoded)).toThrow(RangeError)
})
