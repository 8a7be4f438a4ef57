import { type Outcomes, ROW, THIRD } from './outcome-cases.ts'

const text = (value: unknown) => `'${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll("'", "''")}'`
const json = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'::jsonb`
const calls = (all: [string, string][]): Outcomes => ({ rows: {}, calls: Object.fromEntries(all) })

const MOBILE = '+61412345678'
const SPELLINGS: Record<string, string[]> = {
  [MOBILE]: [
    ...[MOBILE, '0412345678', '412345678', '61412345678', '0061412345678', '01161412345678', '12345678', '0012345678'],
    ...['+0412345678', '2345678', '02345678', '0412345679', '01161412345679', '161412345678'],
  ],
  '+64212345': ['4212345', '212345', '04212345', '64212345', '+4212345'],
  '+12025550123': ['2025550123', '12025550123', '0112025550123', '025550123', '25550123'],
  '0412345678': ['0412345678', '412345678', '12345678'],
}
const OTHERS = (count: number) => `array(select uuidv7() from generate_series(1, ${count}))`
const NOTE = 'Ana@Example.com called from (04) 1234-5678'
const MENTIONS: Record<string, [string, string, string]> = {
  'an address in other letters': [NOTE, "'{}'", "'{ana@example.com}'"],
  'an address of somebody else': [NOTE, "'{}'", "'{bo@example.com}'"],
  'a number that is spelled in another way': [NOTE, "'{}'", `'{${MOBILE}}'`],
  'a number of somebody else': [NOTE, "'{}'", "'{+61412345679}'"],
  'what is no number, although it has the digits of one': [NOTE, "'{}'", `'{tel ${MOBILE}}'`],
  'an id': [`about ${ROW.toUpperCase()}.`, `array['${ROW}'::uuid]`, "'{}'"],
  'another id': [`about ${ROW}.`, `array['${THIRD}'::uuid]`, "'{}'"],
  'one of twenty ids': [`about ${ROW.toUpperCase()}.`, `${OTHERS(19)} || '${ROW}'::uuid`, "'{}'"],
  'none of twenty ids': [`about ${ROW}.`, OTHERS(20), "'{}'"],
  'an address beside twenty ids': [NOTE, OTHERS(20), "'{ana@example.com}'"],
  nothing: [NOTE, "'{}'", "'{}'"],
}
const VALUES: [string, unknown][] = [
  ['beside others', { name: 'Ana', email: 'ana@example.com', size: 3, is_known: true, none: null }],
  [
    'within others',
    {
      name: 'Bo',
      parts: [
        { email: 'ana@example.com', name: 'Ana' },
        { email: 'bo@example.com', name: 'Bo' },
      ],
    },
  ],
  ['in a list of texts', { name: 'Bo', emails: ['bo@example.com', 'ana@example.com', 7] }],
  ['in a list of lists', [['ana@example.com'], ['bo@example.com']]],
  ['as the name of a value', { 'ana@example.com': { count: 2 }, name: 'Bo' }],
  ['as the whole', 'ana@example.com'],
  ['nowhere', { name: 'Bo', emails: ['bo@example.com'] }],
]
const PATHS = ['/contacts/by-email/ana%40example.com/notes', '/contacts/by-phone/%2b61412345678', '/contacts/bo%40example.com', '/']
const NAMES = ['ana@example.com', '+61 412 345 678', ' (04) 1234-5678 ', '1234567', '123456', 'a1234567', 'phone', '2026', '']
const OPTIONS: unknown[] = [
  'Old',
  'old',
  'Other',
  ['Old', 'Other'],
  ['Other', 'New', 'Old'],
  ['Old', 'New', 'Old'],
  ['old', 1],
  [],
  5,
  null,
  { a: 'Old' },
]
const ENTRIES: [string, unknown[]][] = [
  ['number', [0, -2.5, 1e300, '1e301', 1e-300, '1e-301', '"5"', true, null]],
  ['money', [{ amount: 5.25, currency: 'AUD' }, { amount: 5.255, currency: 'AUD' }, { amount: 5 }, { amount: '5', currency: 'AUD' }, 5]],
  ['multi_select', [['B', 'a', 'A ', 'a'], ['', ' ', 1, null], [], 'A', null]],
  ['text', ['  Ana  Bo ', ' ', '', 5, null, ['a']]],
  ['select', ['Hot', '']],
  ['boolean', [true, false, 'true', null]],
  ['date', ['1970-01-02', '2026-02-30', '1969-12-31', 5, '']],
  ['phone', ['+61 (412) 345-678', 'none', '']],
  ['email', ['Ana@Example.com', 'ana', '']],
  ['long_text', ['Some words', '']],
]
const raw = (value: unknown) => (typeof value === 'string' && /^(1e|")/.test(value) ? `'${value}'::jsonb` : json(value))
const entries = (type: string, value: string) =>
  `select coalesce(jsonb_agg(e order by e.number, e.text), '[]') from custom_entries('${type}', ${value}) e`
const LACKING: [string, unknown][] = [
  ...([undefined, null, '', '  ', 'a', [], ['a'], 0, false] as unknown[]).map((value): [string, unknown] => ['name', { name: value }]),
  ...([undefined, null, 0, '0.00', 0.01, -1] as unknown[]).map((value): [string, unknown] => ['value', { value }]),
  ...([undefined, '', 'a', 0] as unknown[]).map((size): [string, unknown] => ['metadata.size', { metadata: { size }, size: 'b' }]),
  ['metadata.size', { size: 'b' }],
]

/** What is found in texts and values, and what is made of them. */
export const TEXTS: Record<string, Outcomes> = {
  is_spelling_of: calls(
    Object.entries(SPELLINGS).flatMap(([number, spellings]) =>
      spellings.map((spelled): [string, string] => [`${number} as ${spelled}`, `select is_spelling_of('${spelled}', '${number}')`]),
    ),
  ),
  mentions: calls(
    Object.entries(MENTIONS).map(([what, [content, ids, known]]) => [what, `select mentions(${text(content)}, ${ids}, ${known})`]),
  ),
  without_mentions: calls(VALUES.map(([where, value]) => [where, `select without_mentions(${json(value)}, '{}', '{ana@example.com}')`])),
  redacted_name: calls(NAMES.map((name) => [`'${name}'`, `select redacted_name('${name}')`])),
  redact_path: calls(PATHS.map((path) => [path, `select redact_path('${path}', '{}', '{ana@example.com,${MOBILE}}')`])),
  renamed_option: calls(OPTIONS.map((value) => [JSON.stringify(value), `select renamed_option(${json(value)}, 'Old', 'New')`])),
  custom_entries: calls([
    ...ENTRIES.flatMap(([type, values]) =>
      values.map((value): [string, string] => [`${type} ${JSON.stringify(value)}`, entries(type, raw(value))]),
    ),
    ...[0, 1].map((more): [string, string] => [
      `as long as a text may be, and ${more}`,
      `select count(*) from custom_entries('text', to_jsonb(repeat('a', custom_max_length('text') + ${more})))`,
    ]),
  ]),
  lacks_field: calls(
    LACKING.map(([field, record]) => [`${field} of ${JSON.stringify(record)}`, `select lacks_field(${json(record)}, '${field}')`]),
  ),
  metadata_value: calls(
    [
      ...['0412 345 678', '+61 (4) 12', '12345', '1234', '2026-01-02', ' Ana  BO ', true, false, 0, -2.5, null, {}, []].map(json),
      "'1e301'::jsonb",
    ].map((value) => [value, `select metadata_value(${value})`]),
  ),
}
