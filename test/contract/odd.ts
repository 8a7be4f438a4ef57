import fc from 'fast-check'

/** Values that often cause errors in programs. */
export const TEXTS = [
  [
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    'x\udfff',
    '👩‍👩‍👧‍👦',
    '\u202eevil',
    '\u200b',
    'é\u0301\u0301\u0301',
    '\ufeffBOM',
    'a\nb\tc\r',
    '\u2028',
    'ß'.repeat(300),
    'a'.repeat(30_000),
  ],
  [
    "'; drop table contacts; --",
    '%_\\',
    '\\u0000',
    '$1',
    '__proto__',
    'null',
    'true',
    'NaN',
    '0x10',
    '-',
    '{',
    '{a,b}',
    '"',
    '{"a":1}',
    'text',
  ],
  [
    '2026-02-31',
    '0000-01-01',
    '10000-01-01',
    '-000001-01-01',
    '2026-13-01T00:00:00Z',
    '2026-03-31T24:00:00Z',
    '2016-12-31T23:59:60Z',
    'infinity',
    'now',
    'epoch',
  ],
  [
    '2026-03-31',
    '0001-01-01',
    '9999-12-31',
    '9999-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59.999-23:59',
    '0001-01-01T00:00:00+23:59',
    '2024-02-29T00:00:00.123456789+05:30',
  ],
  [
    '00000000-0000-0000-0000-000000000000',
    'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
    '01939f6e8b5a7c319d246f0e8a1b2c3d',
    'urn:uuid:01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d',
  ],
  [
    'a@b',
    'ana@example.com',
    'ana@example.com\0',
    `${'a'.repeat(300)}@example.com`,
    'javascript:alert(1)',
    'http://',
    'https://example.com',
    '+61',
    '0412 345 678',
    '+61412345678',
    '０４１２',
  ],
  ['Mars/Olympus', 'WA', 'Australia/Perth', 'AUD', 'XXX', '#12345g', '#1a73e8', 'open', 'won', 'contacts:*'],
].flat()

export const NUMBERS = [
  ...[0, -0, -1, 1, 2, 0.1, 0.005, 1e-7, 99.999, 100, 101, 2_147_483_647, 2_147_483_648, -2_147_483_649],
  ...[9_007_199_254_740_992, 1e15, 999_999_999_999.99, 1e21, 1e308],
]

export const OTHERS: unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  { a: null },
  ['a', 1, {}],
  { '': 1 },
  { '\0': 1 },
  { constructor: 1 },
]

/** Inserted into the text of a body unchanged, because JSON.stringify cannot write it. */
export const RAW = [
  ...['1e999', '-1e999', '0.1e-400', '12345678901234567890123', '"\\ud800"', '"\\u0000"', '{"__proto__":{"a":1}}', '{"a":1,"a":2}'],
  '['.repeat(5_000).concat(']'.repeat(5_000)),
  '{"a":'.repeat(500).concat('1', '}'.repeat(500)),
]
export const rawMark = (index: number) => `@raw${index}@`
export const jsonOf = (value: unknown) => JSON.stringify(value).replace(/"@raw(\d+)@"/g, (_, index: string) => RAW[Number(index)] as string)

/** Bodies that are not valid requests. */
export const BODIES = [
  '',
  '[]',
  'null',
  '1',
  '"text"',
  'NaN',
  '\0',
  '[{}]',
  '{"records":{}}',
  '{"records":[[]]}',
  '{"ids":[null]}',
  '{"ids":[{}]}',
  ...RAW,
]

export const HEADERS: Record<string, string>[] = [
  ...['text/plain', '', 'application/json; charset=utf-16', 'application/merge-patch+json', 'multipart/form-data'].map((type) => ({
    'content-type': type,
  })),
  { 'accept-encoding': 'br' },
  { 'x-api-key': 'wck_x' },
]
export const WRITE_HEADERS: Record<string, string>[] = [
  ...['"1"', '"2"', 'W/"1"', '*', '""', '"99999999999"', 'x'].map((version) => ({ 'if-match': version })),
  ...['a', 'b', 'c', ' ', 'k'.repeat(255), 'k'.repeat(256), '\u00e9'].map((key) => ({ 'idempotency-key': key })),
]

/** Picks an item of a list. */
export type Draw = <Item>(items: readonly Item[]) => Item

/** The random draws of a request, determined by the seed. */
export function drawOf(seed: number): Draw {
  let state = seed
  // Mulberry32.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    const twice = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (twice ^ (twice >>> 14)) >>> 0
  }
  return (items) => items[next() % items.length] as never
}

/** Values of any kind. */
export function anyValues(seed: number): unknown[] {
  return fc.sample(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.double(), fc.jsonValue()), {
    seed,
    numRuns: 2_000,
  })
}
