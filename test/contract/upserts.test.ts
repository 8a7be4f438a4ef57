import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { bodyOf, type Ids, type Operation, operations } from './samples.ts'
import { seed } from './seed.ts'

type Row = Record<string, unknown>

/** Values of fields that an upsert may name, beside those that are generated for every field. */
const SPELLINGS: Row = {
  phone: ['0412 345 678', '+61 (412) 345-678', '0061412345678', '+44 20 7946 0018'],
  landline: ['02 9374 4000', 'ext. 12'],
  email: ['ANA@Example.com', ' ana@example.com '],
  alternate_phones: [[], ['0498 111 222', '+61 498 111 222'], ['0412 345 678']],
  alternate_emails: [[], ['A@x.co', 'a@X.co '], ['ana@example.com']],
  country: ['AU', 'australia', 'United Kingdom'],
  timezone: ['WA', 'Europe/London'],
  abn: ['51 824 753 556', 'ABN 51824753556'],
  website_url: ['https://www.Example.com/a', 'http://example.com'],
  domains: [[], ['WWW.Example.com', 'example.com'], ['key-example.com.au']],
  tags: [[], [{ name: 'VIP' }, { name: 'vip' }], [{ name: 'VIP', color: null }]],
  metadata: [{}, { tier: null }, { tier: 'gold', old: null }],
  lost_reasons: [[], ['No such reason']],
  won_reasons: [[]],
  relationship_started_at: ['2020-01-01', '2020-01-01T10:00:00+10:00'],
}
/** Keys in other spellings: the second call finds what the first one wrote. */
const KEYS: Record<string, [Row, Row][]> = {
  contacts: [
    [{ email: 'Key@X.co' }, { email: ' key@x.CO ' }],
    [{ phone: '0498 765 499' }, { phone: '+61 498 765 499' }],
    [{ external_id: ' key 1 ' }, { external_id: 'key 1' }],
  ],
  companies: [
    [{ email: 'Info@Key.co' }, { email: 'info@key.co' }],
    [{ phone: '02 9374 4001' }, { phone: '+61293744001' }],
    [{ abn: '83 914 571 673' }, { abn: 'ABN 83914571673' }],
    [{ website_url: 'https://www.key-example.com/about' }, { website_url: 'http://key-example.com' }],
  ],
  opportunities: [[{ external_id: ' key 1 ' }, { external_id: 'key 1' }]],
}
/** Not stored in the record itself. */
const CONTROLS = ['match_on', 'skip_automations', 'require_approval', 'external_id']

let app: Harness
let ws: TestWorkspace
let ids: Ids
beforeAll(async () => {
  app = await start()
  ws = await app.workspace()
  ids = await seed(app, ws)
})
afterAll(() => app.close())

const ends = (operation: Operation, path: string) => operation.name.startsWith('POST ') && operation.name.endsWith(path)
const singles = operations.filter((operation) => ends(operation, '/upsert') && !operation.endpoint.successor)
const objectOf = ({ endpoint }: Operation) => endpoint.path.split('/')[1] as string

function valuesOf(field: string, sample: unknown): unknown[] {
  const texts = typeof sample === 'string' ? ['', '   ', sample, ` ${sample} `, sample.toUpperCase()] : [sample]
  return [null, ...texts, ...((SPELLINGS[field] as unknown[] | undefined) ?? [])]
}

const countEvents = async () => (await app.owner.query('select count(*)::int from outbox where workspace_id = $1', [ws.id])).rows[0].count
const outcome = ({ id, version }: Row) => ({ id, version })

/** Sends the records twice, and asserts that the second call finds and changes what the first one wrote: nothing. */
async function upsertTwice(object: string, records: Row[]) {
  const byId = object === 'opportunities' ? {} : { match_on: ['external_id'] }
  const call = async () => {
    const results: Row[] = []
    const errors: Row[] = []
    for (let from = 0; from < records.length; from += 100) {
      const { status, body } = await ws.post(`/${object}/bulk-upsert`, { ...byId, records: records.slice(from, from + 100) })
      expect(status).toBe(200)
      results.push(...body.data.results)
      errors.push(...body.data.errors)
    }
    return { results, errors }
  }
  const first = await call()
  const events = await countEvents()
  const second = await call()
  const changed = second.results.filter((row, i) => row.version !== first.results[i]?.version)
  expect(changed, `a second ${object}/bulk-upsert changes records`).toEqual([])
  expect(second.results.map(outcome)).toEqual(first.results.map(outcome))
  expect(second.results.map(({ created }) => created)).toEqual(second.results.map(() => false))
  expect(second.errors).toEqual(first.errors)
  expect(await countEvents()).toBe(events)
  return first
}

test('there are upserts to prove', () => {
  expect(singles.map(objectOf).sort()).toEqual(Object.keys(KEYS).sort())
})

describe.each(singles.map((operation) => [objectOf(operation), operation] as const))('the same upsert of %s twice', (object, operation) => {
  const required = object === 'contacts' ? 'first_name' : 'name'
  let run = 0
  const identified = (fields: Row): Row => {
    run += 1
    return { [required]: 'Ana', ...fields, external_id: `${object} ${run}` }
  }
  const fields = () => Object.entries(bodyOf(operation, ids) as Row).filter(([field]) => !CONTROLS.includes(field))

  test('changes nothing, for every field and value', async () => {
    const records = fields().flatMap(([field, sample]) => valuesOf(field, sample).map((value) => identified({ [field]: value })))
    const { results } = await upsertTwice(object, records)
    expect(results.length, 'most values are valid').toBeGreaterThan(records.length / 2)
  })

  test('changes nothing, for any combination of fields', async () => {
    const any = Object.fromEntries(fields().map(([field, sample]) => [field, fc.constantFrom(...valuesOf(field, sample))]))
    const records = fc.sample(fc.record(any, { requiredKeys: [] }), 100).map(identified)
    await upsertTwice(object, records)
  })

  test('in other spellings of its key finds the same record', async () => {
    for (const [first, second] of KEYS[object] ?? []) {
      const created = await ws.post(`/${object}/upsert`, { [required]: 'Key', ...first })
      expect(created).toMatchObject({ status: 201 })
      const again = await ws.post(`/${object}/upsert`, { [required]: 'Key', ...second })
      expect(again).toMatchObject({ status: 200, body: { data: { id: created.body.data.id, created: false } } })
    }
  })
})
