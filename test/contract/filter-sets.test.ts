import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import type { TestWorkspace } from '../workspace.ts'

/**
 * Compares searches with a naive evaluation of the same filter over all records. There are enough records that every way to find a page
 * is taken: the head of the list, the candidates of an index, and the pass over all records.
 */

const SIZE = proving ? 30_000 : 2_500
const FILTERS = proving ? 600 : 60
const LIMIT = 100

// biome-ignore lint/suspicious/noExplicitAny: conditions and records of every shape
type Any = any
let app: Harness
let ws: TestWorkspace
let records: Any[]

beforeAll(async () => {
  app = await start({ own: true })
  ws = await app.workspace()
  const define = (fields: object) => ws.post('/custom-fields', { object: 'contact', ...fields })
  await define({ key: 'tier', label: 'Tier', type: 'select', options: ['Gold', 'Silver', 'None'] })
  await define({ key: 'score', label: 'Score', type: 'number', indexed: true })
  await define({ key: 'likes', label: 'Likes', type: 'multi_select', options: ['Red', 'Blue', 'Green'] })
  await define({ key: 'mobile', label: 'Mobile', type: 'phone' })
  await define({ key: 'since', label: 'Since', type: 'date', indexed: true })
  const client = await app.owner.connect()
  await client.query(`select set_config('app.workspace_id', $1, false), setseed(0.42)`, [ws.id])
  await client.query(`insert into contacts (first_name, last_name, email, alternate_emails, alternate_phones, city, contact_type,
    is_referrer, date_of_birth, archived, metadata)
    select (array['Ana','Bo','Cy'])[1 + floor(random() * 3)::int],
      'L' || n, case when random() < 0.7 then 'p' || n % 900 || '@example.com' end,
      case when n % 40 = 0 then array['alt' || n % 7 || '@home.com'] else '{}' end,
      case when n % 40 = 1 then array['+6149876543' || n % 7] else '{}' end,
        case when random() < 0.8 then (array['Perth','PERTH','Rare ' || n % 200])[1 + floor(random() * 3)::int] end,
      case when n % 90 = 0 then 'Press' else 'Customer' end, random() < 0.01, date '1990-01-01' + n % 400, random() < 0.1,
      jsonb_strip_nulls(jsonb_build_object('tier',
        case when random() < 0.5 then (array['Gold','Silver','None'])[1 + floor(random() * 3)::int] end,
        'score', case when random() < 0.6 then n % 300 end,
          'likes', case when n % 30 = 0 then '["Red","Blue"]'::jsonb when n % 7 = 0 then '["Green"]' end,
        'mobile', case when n % 50 = 0 then '+61 4' || n % 3 || '2 345 678' end,
          'since', case when n % 3 = 0 then (date '2020-01-01' + n % 500)::text end))
    from generate_series(1, ${SIZE}) n`)
  await client.query('analyze contacts')
  client.release()
  const { rows } = await app.owner.query('select *, date_of_birth::text as born from contacts where workspace_id = $1', [ws.id])
  records = rows
}, 240_000)
afterAll(() => app.close())

const lower = (value: Any) => (typeof value === 'string' ? value.toLowerCase() : value)
const digits = (value: Any) => (typeof value === 'string' ? value.replace(/\D/g, '') : undefined)
const custom = (record: Any, key: string) => record.metadata[key]
const random = ((seed) => () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed / 2_147_483_648
})(7)
const pick = <T>(list: T[]): T => list[Math.floor(random() * list.length)] as T

type Made = { filter: Any; holds: (record: Any) => boolean }
const made = (field: string, op: string, value: unknown, holds: (record: Any) => boolean): Made => ({ filter: { field, op, value }, holds })
/** Conditions of each kind, with rare and with frequent values. */
const CONDITIONS: (() => Made)[] = [
  () => {
    const city = pick(['perth', `Rare ${Math.floor(random() * 220)}`])
    return made('city', 'eq', city, (r) => lower(r.city) === lower(city))
  },
  () => {
    const cities = [`rare ${Math.floor(random() * 200)}`, `RARE ${Math.floor(random() * 200)}`]
    return made('city', 'in', cities, (r) => cities.map(lower).includes(lower(r.city)))
  },
  () => made('city', 'not_eq', 'Perth', (r) => lower(r.city) !== 'perth'),
  () => {
    const email = `p${Math.floor(random() * 950)}@example.com`
    return made('email', 'eq', email, (r) => r.email === email)
  },
  () => made('email', 'contains', 'p77', (r) => r.email?.includes('p77') === true),
  () => made('alternate_emails', 'contains', 'alt3@home.com', (r) => r.alternate_emails.includes('alt3@home.com')),
  () => made('alternate_phones', 'contains', '+61498765433', (r) => r.alternate_phones.includes('+61498765433')),
  () => made('contact_type', 'eq', 'Press', (r) => r.contact_type === 'Press'),
  () => made('is_referrer', 'eq', true, (r) => r.is_referrer),
  () => made('date_of_birth', 'on', '1990-03-05', (r) => r.born === '1990-03-05'),
  () => made('date_of_birth', 'before', '1990-01-20', (r) => r.born < '1990-01-20'),
  () => made('metadata.tier', 'eq', 'Gold', (r) => custom(r, 'tier') === 'Gold'),
  () => made('metadata.tier', 'is_empty', undefined, (r) => custom(r, 'tier') === undefined),
  () => {
    const score = Math.floor(random() * 310)
    return made('metadata.score', 'eq', score, (r) => custom(r, 'score') === score)
  },
  () => made('metadata.score', 'lt', 3, (r) => custom(r, 'score') < 3),
  () => made('metadata.score', 'between', [10, 200], (r) => custom(r, 'score') >= 10 && custom(r, 'score') <= 200),
  () => made('metadata.likes', 'contains', 'Red', (r) => custom(r, 'likes')?.includes('Red') === true),
  () => made('metadata.mobile', 'eq', '+61 (42) 2345678', (r) => digits(custom(r, 'mobile')) === '61422345678'),
  () => made('metadata.since', 'on', '2020-02-03', (r) => custom(r, 'since') === '2020-02-03'),
  () => made('metadata.since', 'before', '2020-01-09', (r) => custom(r, 'since') < '2020-01-09'),
]

function generated(depth: number): Made {
  const kind = depth === 0 ? 'one' : pick(['one', 'all', 'any', 'not'])
  if (kind === 'one') return pick(CONDITIONS)()
  if (kind === 'not') {
    const inner = generated(depth - 1)
    return { filter: { not: inner.filter }, holds: (record) => !inner.holds(record) }
  }
  const members = [generated(depth - 1), generated(depth - 1), ...(random() < 0.4 ? [generated(depth - 1)] : [])]
  const holds = (record: Any) =>
    kind === 'all' ? members.every((member) => member.holds(record)) : members.some((member) => member.holds(record))
  return { filter: { [kind]: members.map(({ filter }) => filter) }, holds }
}

const SORTS: Record<string, (record: Any) => string | number | null> = {
  name: (r) => r.name_norm,
  created_at: () => 0,
  'metadata.score': (r) => custom(r, 'score') ?? null,
  'metadata.tier': (r) => lower(custom(r, 'tier')) ?? null,
}
const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)

/** The ids of the matching records, in order. Records without a value come last in both directions. */
function expected({ holds }: Made, sort: string, archived: string): string[] {
  const key = SORTS[sort.replace('-', '')]!
  const sign = sort.startsWith('-') ? -1 : 1
  const order = (a: Any, b: Any) => {
    const [x, y] = [key(a), key(b)]
    if ((x === null) !== (y === null)) return x === null ? 1 : -1
    return sign * (compare(x ?? 0, y ?? 0) || compare(a.id, b.id))
  }
  return records
    .filter((record) => (archived === 'all' || record.archived === (archived === 'true')) && holds(record))
    .sort(order)
    .map(({ id }) => id)
}

/** The first two pages and the number of following records distinguish any two orders or sets. */
async function searched(filter: unknown, sort: string, archived: string): Promise<string[]> {
  const ids: string[] = []
  let after: string | undefined
  for (let pages = 0; pages < 2; pages++) {
    const { status, body } = await ws.post('/contacts/search', { filter, sort, archived, limit: LIMIT, after })
    expect(status, JSON.stringify({ filter, body })).toBe(200)
    ids.push(...body.data.map(({ id }: { id: string }) => id))
    after = body.page.next ?? undefined
    if (!after) break
  }
  return ids
}

const cases = Array.from({ length: FILTERS }, () => ({
  filter: generated(3),
  sort: `${pick(['', '-'])}${pick(Object.keys(SORTS))}`,
  archived: pick(['false', 'false', 'true', 'all']),
}))

test('generated filters pick what a naive evaluation picks, in its order', async () => {
  for (const { filter, sort, archived } of cases) {
    const wanted = expected(filter, sort, archived).slice(0, 2 * LIMIT)
    expect(await searched(filter.filter, sort, archived), JSON.stringify({ filter: filter.filter, sort, archived })).toEqual(wanted)
  }
}, 600_000)

describe('while indexes are not ready and records change', () => {
  test('the order of a custom field is the same before its index is built, while it is, and after', async () => {
    const filter = { filter: { field: 'city', op: 'is_not_empty' }, holds: (r: Any) => r.city !== null }
    const before = await searched(filter.filter, 'metadata.tier', 'false')
    expect(before).toEqual(expected(filter, 'metadata.tier', 'false').slice(0, 2 * LIMIT))
    const { body } = await ws.get('/custom-fields?object=contact')
    const { id } = body.data.find(({ key }: { key: string }) => key === 'tier')
    expect((await ws.patch(`/custom-fields/${id}`, { indexed: true })).body.data.index_status).toBe('building')
    expect(await searched(filter.filter, 'metadata.tier', 'false')).toEqual(before)
    await app.drain()
    expect((await ws.get(`/custom-fields/${id}`)).body.data).toMatchObject({ index_status: 'ready', index_progress: 1 })
    expect(await searched(filter.filter, 'metadata.tier', 'false')).toEqual(before)
  })

  test('searches beside writes answer records that meet the filter, and afterwards exactly those', async () => {
    const chosen = records.filter(({ archived }) => !archived).slice(0, 60)
    const write = async () => {
      for (const { id } of chosen) {
        const { status } = await ws.patch(`/contacts/${id}`, { city: 'Moved', metadata: { score: 999 } })
        expect(status).toBe(200)
      }
    }
    const read = async () => {
      for (let turn = 0; turn < 20; turn++) {
        const { body } = await ws.post('/contacts/search', {
          filter: { field: 'city', op: 'eq', value: 'moved' },
          sort: 'name',
          limit: LIMIT,
        })
        for (const row of body.data) expect([row.city, row.metadata.score]).toEqual(['Moved', 999])
      }
    }
    await Promise.all([write(), read()])
    const ids = chosen.map(({ id }) => id).sort()
    for (const [field, value] of [
      ['city', 'Moved'],
      ['metadata.score', 999],
    ] as const)
      expect((await searched({ field, op: 'eq', value }, 'metadata.score', 'false')).sort()).toEqual(ids)
  })
})
