import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import * as F from '../../src/schemas/fields.ts'

const id = '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d'
const deep = (levels: number): unknown => (levels === 1 ? {} : { a: deep(levels - 1) })

test.each<[string, v.GenericSchema, unknown, unknown]>([
  ['a name loses its margins', F.Name(), '  Ana  ', 'Ana'],
  ['a name of emoji stands', F.Name(), '🌻', '🌻'],
  ['a line may be empty', F.SingleLine(), '  ', ''],
  ['notes keep every blank', F.Multiline(), ' a\n\tb ', ' a\n\tb '],
  ['an email goes to lower case', F.Email, " O'Brien@Example.CO ", "o'brien@example.co"],
  ['an email of a punycode domain stands', F.Email, 'a@x.xn--p1ai', 'a@x.xn--p1ai'],
  ['an international domain goes to ASCII', F.Email, 'Info@MÜLLER.de', 'info@xn--mller-kva.de'],
  ['an international domain with an ideographic stop goes to ASCII', F.Email, '用户@例え。jp', '用户@xn--r8jz45g.jp'],
  ['an international address is written in one way', F.Email, 'Jose\u0301@Example.com', 'jos\u00e9@example.com'],
  ['an email with a Kelvin sign, which is a K', F.Email, '\u212a@x.co', 'k@x.co'],
  ['a short colour grows', F.HexColor, ' #1AE ', '#11aaee'],
  ['a colour may have a name', F.HexColor, 'RoyalBlue', '#4169e1'],
  ['a country code becomes a name', F.Country, 'de', 'Germany'],
  ['a common name of a country becomes its name', F.Country, 'USA', 'United States'],
  ['a country stands', F.Country, 'United Kingdom', 'United Kingdom'],
  ['blank text clears a country', F.optional(F.Country), ' ', null],
  ['a currency goes to upper case', F.Currency, ' nzd', 'NZD'],
  ['a phone stays as written', F.Phone, ' (02) 9374 4000 ', '(02) 9374 4000'],
  [
    'an international web address goes to ASCII',
    F.Url,
    'https://user@Bücher.MÜLLER.de:8443/Über?ü#ü',
    'https://user@xn--bcher-kva.xn--mller-kva.de:8443/Über?ü#ü',
  ],
  ['a web address in ASCII stands', F.Url, 'HTTPS://xn--mller-kva.de/Team', 'HTTPS://xn--mller-kva.de/Team'],
  ['a web address with an IP address stands', F.Url, 'http://[::1]:80/ü', 'http://[::1]:80/ü'],
  ['a web address stands', F.Url, ' https://example.com/a?b=c#d ', 'https://example.com/a?b=c#d'],
  ['a colour goes to lower case', F.HexColor, '#1A73E8', '#1a73e8'],
  ['an id goes to lower case', F.Id, id.toUpperCase(), id],
  ['ids keep their order', F.Ids(3), [id, id], [id, id]],
  ['a leap day stands', F.IsoDate, '2024-02-29', '2024-02-29'],
  ['an instant goes to UTC', F.Instant, '2026-03-31T09:30:00+11:00', '2026-03-30T22:30:00.000Z'],
  ['a date or instant keeps a date', F.DateOrInstant, '2026-03-31', '2026-03-31'],
  ['a date or instant takes an instant', F.DateOrInstant, '2026-03-31T09:30Z', '2026-03-31T09:30:00.000Z'],
  ['the largest amount stands', F.Money, 999_999_999_999.99, 999_999_999_999.99],
  ['a sum stands that binary fractions blur', F.Money, 1.1, 1.1],
  ['a debt stands where debts may', F.SignedMoney, -0.01, -0.01],
  ['a percentage stands', F.Percent, 33.33, 33.33],
  ['a count stands', F.Integer(1, 5), 5, 5],
  ['a choice stands', F.Enum(['a', 'b']), 'b', 'b'],
  ['metadata stand', F.Metadata, { a: [1, { b: null }] }, { a: [1, { b: null }] }],
  ['metadata stand as deep as they may be', F.Metadata, deep(8), deep(8)],
  ['a metadata key may be called constructor', F.Metadata, { constructor: 1 }, { constructor: 1 }],
  ['blank text clears an optional line', F.optional(F.SingleLine()), ' ', null],
  ['blank text clears an optional email', F.optional(F.Email), '', null],
  ['blank text clears an optional date', F.optional(F.IsoDate), '', null],
  ['null clears an optional number', F.optional(F.Money), null, null],
  ['what is optional may be absent', F.optional(F.Email), undefined, undefined],
  ['an optional field still reads its value', F.optional(F.Email), 'A@x.co', 'a@x.co'],
  ['a query says true', F.QueryBool, 'true', true],
  ['a query says false', F.QueryBool, 'false', false],
  ['a query counts', F.QueryInt(1, 100), '100', 100],
  ['a query gives its instant a space for a plus', F.QueryInstant, '2026-03-31T09:30:00 11:00', '2026-03-30T22:30:00.000Z'],
  ['an archived filter has a default', F.Archived, undefined, 'false'],
  ['a page has a default size', v.strictObject(F.pageQuery), {}, { limit: 50 }],
  ['a page reads its size', v.strictObject(F.pageQuery), { limit: '7', after: 'x' }, { limit: 7, after: 'x' }],
])('%s', (_, schema, input, output) => {
  expect(v.parse(schema, input)).toEqual(output)
})

test.each<[string, v.GenericSchema, unknown, RegExp]>([
  ['a name of blanks', F.Name(), '   ', /not be empty/],
  ['a name of invisible characters', F.Name(), '\u200b\u200b', /visible/],
  ['a name of two lines', F.Name(), 'a\nb', /one line/],
  ['a long name', F.Name(), 'a'.repeat(121), /at most 120/],
  ['a name that is a number', F.Name(), 7, /must be text/],
  ['a line with a NUL', F.SingleLine(), 'a\0', /one line/],
  ['half an emoji in notes', F.Multiline(), '\ud83d', /well-formed/],
  ['long notes', F.Multiline(), 'a'.repeat(20_001), /at most 20000/],
  ['an email with two dots in a row', F.Email, 'a..b@example.com', /such as ana@example.com/],
  ['an email of an address on the network', F.Email, 'a@127.0.0.1', /such as ana@example.com/],
  ['an email with an escape in its domain', F.Email, 'a@ex%61mple.com', /such as ana@example.com/],
  ['an email with an invisible character', F.Email, 'a\u202e@example.com', /such as ana@example.com/],
  ['an email with a long local part', F.Email, `${'a'.repeat(65)}@example.com`, /such as ana@example.com/],
  ['a colour that is none', F.HexColor, 'bluish', /#1a73e8/],
  ['a country that is none', F.Country, 'Narnia', /ISO 3166/],
  ['a currency of the past', F.Currency, 'DEM', /ISO 4217/],
  ['a currency that is none', F.Currency, 'XXX', /ISO 4217/],
  ['an email without a top level', F.Email, 'a@b', /such as ana@example.com/],
  ['an email of two', F.Email, 'a@x.co,b@x.co', /such as ana@example.com/],
  ['a long email', F.Email, `${'a'.repeat(250)}@x.co`, /at most 254/],
  ['a phone without a digit', F.Phone, 'none', /such as \+61/],
  ['a script as a web address', F.Url, 'javascript:alert(1)', /https:\/\//],
  ['a web address without a scheme', F.Url, 'example.com', /https:\/\//],
  ['a web address with a blank', F.Url, 'https://exa mple.com', /https:\/\//],
  ['a web address whose international domain is none', F.Url, 'https://müller_.de', /https:\/\//],
  ['a web address without a host', F.Url, 'https://', /https:\/\//],
  ['an id that is none', F.Id, 'x', /UUID/],
  ['no ids', F.Ids(2), [], /at least one/],
  ['too many ids', F.Ids(2), [id, id, id], /at most 2/],
  ['31 February', F.IsoDate, '2026-02-31', /YYYY-MM-DD/],
  ['an instant without an offset', F.Instant, '2026-03-31T09:30:00', /offset/],
  ['a third decimal', F.Money, 0.1 + 0.2, /two decimals/],
  ['a tiny amount', F.Money, 1e-7, /two decimals/],
  ['a negative amount', F.Money, -1, /0 or more/],
  ['an amount beyond the largest', F.Money, 1e12, /or less/],
  ['an amount as text', F.Money, '5', /must be a number/],
  ['a percentage above 100', F.Percent, 100.01, /100 or less/],
  ['half a count', F.Integer(1, 5), 1.5, /whole/],
  ['a choice not on the list', F.Enum(['a', 'b']), 'c', /one of: a, b/],
  ['blank text for an optional choice', F.optional(F.Enum(['a'])), '', /one of: a/],
  ['truth as text', F.Bool, 'true', /true or false/],
  ['a list as metadata', F.Metadata, [], /an object/],
  ['metadata too deep', F.Metadata, deep(9), /deeper than 8/],
  ['metadata with a NUL', F.Metadata, { a: { b: '\0' } }, /a\.b/],
  ['metadata with a key too many', F.Metadata, Object.fromEntries(Array.from({ length: 201 }, (_, i) => [i, 1])), /200 keys/],
  ['metadata with a long key', F.Metadata, { ['a'.repeat(101)]: 1 }, /100 characters/],
  ['metadata too large', F.Metadata, { a: 'é'.repeat(33_000) }, /64 KB/],
  ['metadata that reach for the prototype', F.Metadata, JSON.parse('{"__proto__":1}'), /__proto__/],
  ['a query that says yes', F.QueryBool, 'yes', /true or false/],
  ['a query that counts to zero', F.QueryInt(1, 100), '0', /1 to 100/],
  ['a query that counts in halves', F.QueryInt(1, 100), '1.5', /1 to 100/],
  ['a query that counts nothing', F.QueryInt(0, 100), '', /0 to 100/],
  ['a query that counts in hexadecimal', F.QueryInt(0, 100), '0x10', /0 to 100/],
  ['an answer with another precision', F.InstantOut, '2026-03-31T09:30:00Z', /milliseconds/],
])('refused: %s', (_, schema, input, message) => {
  const { success, issues } = v.safeParse(schema, input)
  expect(success).toBe(false)
  expect(issues?.map((issue) => issue.message)).toEqual([expect.stringMatching(message)])
})

const published: [string, v.GenericSchema, object][] = [
  ['Name', F.Name(), { type: 'string', minLength: 1, maxLength: 120 }],
  ['Email', F.Email, { type: 'string', format: 'email', maxLength: 254 }],
  ['Url', F.Url, { type: 'string', format: 'uri', maxLength: 2000 }],
  ['Id', F.Id, { type: 'string', format: 'uuid' }],
  ['Ids', F.Ids(9), { type: 'array', minItems: 1, maxItems: 9 }],
  ['IsoDate', F.IsoDate, { type: 'string', format: 'date' }],
  ['Instant', F.Instant, { type: 'string', format: 'date-time' }],
  ['InstantOut', F.InstantOut, { type: 'string', format: 'date-time' }],
  ['Money', F.Money, { type: 'number', minimum: 0, maximum: 999_999_999_999.99 }],
  ['Count', F.Integer(1, 5), { type: 'integer', minimum: 1, maximum: 5 }],
  ['Metadata', F.Metadata, { type: 'object', maxProperties: 200 }],
  ['QueryInt', F.QueryInt(1, 100), { type: 'integer', minimum: 1, maximum: 100 }],
  ['QueryBool', F.QueryBool, { type: 'boolean' }],
  ['limit', F.pageQuery.limit, { type: 'integer', default: 50 }],
  [
    'a described Instant',
    F.describe(F.Instant, 'When', '2020-01-01T00:00:00Z'),
    { description: 'When', examples: ['2020-01-01T00:00:00Z'] },
  ],
  ['an optional Name', F.optional(F.Name(9)), { anyOf: [expect.objectContaining({ maxLength: 9 }), { type: 'null' }] }],
]

test.each(published)('%s is published alike for requests and answers', (_, schema, expected) => {
  for (const typeMode of ['input', 'output'] as const) {
    expect(toJsonSchema(schema, { typeMode, errorMode: 'ignore', target: 'draft-2020-12' })).toMatchObject(expected)
  }
})

test('every example is one that its schema accepts', () => {
  const schemas: v.GenericSchema[] = [
    ...Object.values(F).filter((value) => typeof value === 'object' && 'kind' in value),
    ...[
      F.Name(),
      F.SingleLine(),
      F.Multiline(),
      F.Enum(['a', 'b']),
      F.Ids(2),
      F.Integer(),
      F.Integer(5, 9),
      F.QueryInt(1, 9),
      F.pageQuery.limit,
    ],
  ]
  expect(schemas.length).toBeGreaterThan(25)
  for (const schema of schemas) for (const example of v.getExamples(schema)) expect(v.is(schema, example)).toBe(true)
})
