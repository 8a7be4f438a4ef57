import { isWrite } from '../../src/http/endpoint.ts'
import type { JsonSchema } from '../../src/http/openapi/schemas.ts'
import { fromBase64Url, toBase64Url } from '../../src/lib/base64.ts'
import { crc32 } from '../../src/lib/crc.ts'
import { BODIES, type Draw, HEADERS, jsonOf, NUMBERS, OTHERS, RAW, rawMark, TEXTS, WRITE_HEADERS } from './odd.ts'
import {
  bodyOf,
  components,
  type Ids,
  idAt,
  idsFor,
  isId,
  type Operation,
  type Place,
  pathOf,
  probed,
  queryOf,
  setAt,
  valueAt,
} from './samples.ts'
import { contentOf } from './send.ts'

export type Request = { operation: Operation; method: string; path: string; headers: Record<string, string>; body: string | undefined }
/** The material for requests: records, a cursor of each list by its path, and arbitrary values. */
export type Known = { ids: Ids; cursors: Record<string, string>; random: unknown[] }
type Spot = { place: Place; schema: JsonSchema }

const ALL_FIELDS = 100
const ON_BODY = ['body', 'body', 'body', 'body', 'body', 'body', 'text'] as const
const ANYWHERE = ['path', 'query', 'query', 'header'] as const

/** Derives a request from a valid one by up to four changes in any part of it. */
export function requestOf(draw: Draw, known: Known): Request {
  const operation = draw(probed)
  const { endpoint } = operation
  const example = bodyOf(operation, known.ids, draw([undefined, undefined, ALL_FIELDS]))
  const params = new Map(Object.entries(queryOf(operation, known.ids)))
  const content = contentOf(operation, example)
  const headers = { ...content.headers }
  const own = idsFor(operation, known.ids)
  const cursor = known.cursors[endpoint.path]
  let path = pathOf(endpoint, own)
  let { body } = content
  // Most deletions are dry runs, so that records remain for later requests.
  if (endpoint.method === 'DELETE' && draw([true, true, true, false])) params.set('dry_run', 'true')

  for (let change = draw([0, 1, 1, 1, 1, 1, 1, 1, 2, 4]); change > 0; change--) {
    const part = draw([...(example && operation.body ? ON_BODY : []), ...(cursor ? (['cursor', 'cursor'] as const) : []), ...ANYWHERE])
    if (part === 'body') {
      changeBody(draw, operation, example!, known)
      body = jsonOf(example)
    }
    if (part === 'text') body = draw([true, false]) ? draw(BODIES) : (body ?? '').slice(0, draw(NUMBERS.filter((length) => length > 0)))
    if (part === 'path') path = pathOf(endpoint, changePath(draw, operation, own))
    if (part === 'query') changeQuery(draw, operation, params, known)
    if (part === 'cursor') params.set('after', tampered(draw, cursor!))
    if (part === 'header') Object.assign(headers, draw([...HEADERS, ...(isWrite(endpoint) ? [...WRITE_HEADERS, ...WRITE_HEADERS] : [])]))
  }
  const query = [...params].map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
  return { operation, method: endpoint.method, path: query ? `${path}?${query}` : path, headers, body }
}

/** Text that is not well-formed is sent as invalid UTF-8 or as an invalid escape. */
const encode = (text: string) => (text.isWellFormed() ? encodeURIComponent(text) : text.includes('x') ? '%ED%A0%80' : '%zz')

function changeBody(draw: Draw, operation: Operation, example: Record<string, unknown>, known: Known): void {
  const { place, schema } = draw([...spotsOf(operation.body!), { place: ['zork'], schema: {} }])
  const present = valueAt(example, place)
  const how = draw(['set', 'set', 'set', 'set', 'remove', 'repeat'])
  if (how === 'remove') setAt(example, place, undefined)
  else if (how === 'repeat' && Array.isArray(present) && present.length > 0) {
    setAt(
      example,
      place,
      Array.from({ length: draw([2, 3, 100, 101]) }, (_, index) => present[index % present.length]),
    )
  } else
    setAt(
      example,
      place,
      isId(schema) && draw([true, false]) ? (idAt(operation.endpoint, place, known.ids) ?? null) : anyValue(draw, schema, known),
    )
}

function anyValue(draw: Draw, schema: JsonSchema, { ids, random }: Known): unknown {
  const kind = draw(['bound', 'bound', 'bound', 'bound', 'bound', 'text', 'text', 'number', 'other', 'random', 'raw', 'id'])
  if (kind === 'bound') return structuredClone(draw(boundsOf(schema)))
  if (kind === 'text') return draw(TEXTS)
  if (kind === 'number') return draw(NUMBERS)
  if (kind === 'other') return structuredClone(draw(OTHERS))
  if (kind === 'random') return structuredClone(draw(random))
  return kind === 'raw' ? rawMark(draw([...RAW.keys()])) : draw(Object.values(ids))
}

/** Values at the bounds of a schema and just beyond them. */
function boundsOf({
  minimum,
  maximum,
  minLength,
  maxLength,
  enum: choices = [],
  examples = [],
  default: initial = null,
}: JsonSchema): unknown[] {
  const around = [minimum, maximum].filter((bound) => bound !== undefined).flatMap((bound) => [bound, bound - 1, bound + 1, bound + 0.001])
  const lengths = [minLength, maxLength].filter((bound) => bound !== undefined && bound < 10_000).flatMap((bound) => [bound, bound + 1])
  return [
    initial,
    ...around,
    ...lengths.flatMap((length) => ['a'.repeat(length), '😀'.repeat(length), ' '.repeat(length)]),
    ...choices,
    ...examples,
  ]
}

/** All places in a body that its schema defines. */
function spotsOf(schema: JsonSchema, at: Place = []): Spot[] {
  if (schema.$ref) return spotsOf(components[schema.$ref.split('/').at(-1)] as JsonSchema, at)
  const inside = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).flatMap(([name, part]) =>
    spotsOf(part, [...at, name]),
  )
  const either = ((schema.anyOf ?? schema.oneOf ?? []) as JsonSchema[]).flatMap((part) => spotsOf(part, at))
  return [
    ...(at.length > 0 ? [{ place: at, schema }] : []),
    ...inside,
    ...either,
    ...(schema.items ? spotsOf(schema.items, [...at, 0]) : []),
  ]
}

const IN_PATH = TEXTS.filter((text) => text.trim() !== '' && text.isWellFormed() && text.length < 1_000)

function changePath(draw: Draw, { endpoint }: Operation, ids: Ids): Ids {
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string)
  if (names.length === 0) return ids
  const value = draw([...Object.values(ids), ...IN_PATH])
  return { ...ids, [draw(names)]: draw([value, value.toUpperCase()]) }
}

function changeQuery(draw: Draw, { query }: Operation, params: Map<string, string>, known: Known): void {
  const names = Object.keys(query.properties)
  const name = draw([...names, ...names, ...names, 'zork', '__proto__'])
  const foreign = Object.values(known.cursors)
  params.set(
    name,
    name === 'after' && foreign.length > 0 && draw([true, false])
      ? tampered(draw, draw(foreign))
      : textOf(anyValue(draw, query.properties[name] ?? {}, known)).slice(0, 3_000),
  )
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : `${JSON.stringify(value)}`)

/** A cursor of a list: unchanged, truncated, or with another value and a valid checksum. */
function tampered(draw: Draw, cursor: string): string {
  const how = draw(['none', 'cut', 'value', 'value', 'id', 'id', 'all'])
  if (how === 'none') return cursor
  if (how === 'cut') return cursor.slice(0, draw([1, 7, 20, 40]))
  const text = fromBase64Url(cursor)
  const parts = JSON.parse(text.slice(text.indexOf('.') + 1)) as unknown[]
  const odd = draw([...TEXTS.filter((one) => one.length < 300 && one.isWellFormed()), 1, null, [], {}])
  const json = JSON.stringify(how === 'all' ? odd : parts.with(how === 'value' ? 1 : 2, odd))
  return toBase64Url(`${crc32(json).toString(36)}.${json}`)
}
