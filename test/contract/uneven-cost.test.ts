import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import type { TestWorkspace } from '../workspace.ts'
import { costNow, startCounting } from './blocks.ts'

/**
 * Lists whose matches are all old, and of records with very many others: the oldest contacts have a tag, are followed by a member and
 * belong to a static list, each more than are ever fetched one by one, and two contacts have very many opportunities. The oldest
 * conversations are a member's or nobody's. No newer record has any of this.
 */

const SIZE = proving ? 100_000 : 6_000
/** The number of contacts with the tag and the follower. */
const OLD = proving ? 20_000 : 4_500
/** The most that a static list has. */
const MEMBERS = 5_000
const HOT = proving ? [1_000, 3_000] : [500, 1_500]
const LIMIT = 50
/**
 * The rows are stored in the order of the list, apart from the opportunities of a contact: each of them costs a block, and up to three
 * levels of an index.
 */
const MOST = { contacts: LIMIT + 50, opportunities: 5 * LIMIT }

let app: Harness
let ws: TestWorkspace
let list: string
const hot: string[] = []
const results: string[] = []

beforeAll(async () => {
  app = await start({ sessions: 1, vars: { REQUEST_LOG_MILLISECONDS: '1' } })
  await startCounting(app)
  ws = await app.workspace()
  const beside = await app.workspace()
  list = (await ws.post('/lists', { name: 'Guests', object: 'contacts', kind: 'static' })).body.data.id
  for (const { id, size } of [
    { id: ws.id, size: SIZE },
    { id: beside.id, size: SIZE / 4 },
  ]) {
    await app.owner.query(`begin; set local session_replication_role = replica; select set_config('app.workspace_id', '${id}', true);
      insert into contacts (first_name, last_name, created_at, tags)
        select 'Name' || md5(n::text), 'Last' || n, now() - n * interval '1 minute',
        case when n > ${size - OLD} then '[{"name": "Old", "color": null}]' else '[]' end::jsonb from generate_series(1, ${size}) n;
      insert into opportunities (name, created_at) select 'Deal' || md5(n::text), now() - n * interval '1 minute'
        from generate_series(1, ${size}) n;
      commit`)
  }
  const oldest = (count: number) => `select id from contacts where workspace_id = '${ws.id}' order by created_at limit ${count}`
  await app.owner.query(`begin; set local session_replication_role = replica; select set_config('app.workspace_id', '${ws.id}', true);
    insert into followers (user_id, contact_id) select '${ws.userId}', id from (${oldest(OLD)}) c;
    insert into list_members (list_id, contact_id) select '${list}', id from (${oldest(MEMBERS)}) c;
    commit`)
  for (const [at, count] of HOT.entries()) {
    const { rows } = await app.owner.query(`${oldest(1)} offset ${at}`)
    hot.push(rows[0].id)
    await app.owner.query(`begin; set local session_replication_role = replica;
      insert into opportunity_contacts (workspace_id, opportunity_id, contact_id) select workspace_id, id, '${rows[0].id}'
        from opportunities where workspace_id = '${ws.id}'
        order by md5(id::text) limit ${count};
      commit`)
  }
  for (const { id } of [ws, beside])
    await app.owner.query(
      `begin; set local session_replication_role = replica; select order_links('${id}'), recount_records('${id}'); commit`,
    )
  await app.owner.query(`begin; set local session_replication_role = replica; select set_config('app.workspace_id', '${ws.id}', true);
    insert into conversations (channel, title, direction, snippet, unread, message_count, last_message_at, assigned_to)
      select 'sms', 'Offer', 'inbound', '', true, 1, now() - n * interval '1 minute',
        case when n <= ${SIZE / 2} then '${list}' when n % 2 = 0 then '${ws.userId}' end::uuid
        from generate_series(1, ${SIZE}) n;
    commit`)
  // Without it, the commits of these rows may not be written yet, and then no page is visible to all.
  await app.owner.query('checkpoint')
  await app.owner.query(
    'vacuum analyze contacts, opportunities, tagged_records, followers, list_members, opportunity_contacts, conversations',
  )
}, 600_000)
afterAll(async () => {
  if (proving) console.log(['', ...results, ''].join('\n'))
  await app.close()
})

async function blocksOf(path: string) {
  // The first request compiles the statement. A session that the database has just opened reads the catalogue once more.
  await ws.get(path)
  const measured = [await costNow(app.owner, () => ws.get(path)), await costNow(app.owner, () => ws.get(path))]
  const { result, ...cost } = measured.toSorted((a, b) => a.blocks - b.blocks)[0]!
  expect(result.status, JSON.stringify(result.body)).toBe(200)
  results.push(`| \`${path.replace(/[0-9a-f-]{36}/g, '…')}\` | ${cost.blocks.toLocaleString('en')} |`)
  return { ...cost, body: result.body }
}

/** Each list with the condition that its records meet. */
const LISTS: [name: string, path: () => string, table: keyof typeof MOST, condition: () => string][] = [
  ['contacts with a tag', () => '/contacts?tag=old', 'contacts', () => `r.tags <> '[]'`],
  [
    'contacts that a member follows',
    () => `/contacts?followed_by=${ws.userId}`,
    'contacts',
    () => `exists (select from followers f where f.contact_id = r.id and f.user_id = '${ws.userId}')`,
  ],
  [
    'members of a list',
    () => `/lists/${list}/members?`,
    'contacts',
    () => `exists (select from list_members m where m.contact_id = r.id and m.list_id = '${list}')`,
  ],
  ...HOT.map((count, at): (typeof LISTS)[number] => [
    `opportunities of a contact with ${count}`,
    () => `/opportunities?contact_id=${hot[at]}`,
    'opportunities',
    () => `exists (select from opportunity_contacts l where l.opportunity_id = r.id and l.contact_id = '${hot[at]}')`,
  ]),
]

test.each(LISTS)(
  'a page of %s costs a bounded number of blocks for each row, at the beginning and further down',
  async (_, path, table, condition) => {
    for (const sort of ['-created_at', 'created_at'])
      for (const archived of ['', '&archived=all']) {
        const address = `${path()}&limit=${LIMIT}&sort=${sort}${archived}`.replace('?&', '?')
        let after = ''
        for (const page of [0, 1]) {
          const { blocks, body, statements } = await blocksOf(`${address}${after}`)
          const { rows } = await app.owner.query(
            `select id from ${table} r where workspace_id = '${ws.id}' and ${condition()}
              order by created_at ${sort.startsWith('-') ? 'desc' : ''}, id ${sort.startsWith('-') ? 'desc' : ''}
            limit ${LIMIT} offset ${page * LIMIT}`,
          )
          expect(body.data.map(({ id }: { id: string }) => id)).toEqual(rows.map(({ id }) => id))
          expect(blocks > MOST[table] ? { address, blocks, statements } : {}).toEqual({})
          after = `&after=${body.page.next}`
        }
      }
  },
)

test.each(['unassigned=true', 'assigned_to='])(
  'a page of conversations with %s costs as much where all newer ones are those of others',
  async (query) => {
    for (const sort of ['-last_message_at', 'last_message_at']) {
      const { blocks, body, statements } = await blocksOf(
        `/conversations?${query}${query.endsWith('=') ? ws.userId : ''}&limit=${LIMIT}&sort=${sort}`,
      )
      expect(body.data).toHaveLength(LIMIT)
      expect(blocks > MOST.contacts ? { blocks, statements } : {}).toEqual({})
    }
  },
)

test('sorted by name, they cost at most one pass over their own rows', async () => {
  // The head of the list is read first. Members are stored together; an opportunity takes a block, and levels of an index.
  const most = { contacts: MEMBERS / 4 + 500, opportunities: 4 * HOT[1]! + 500 }
  for (const [, path, table] of LISTS.filter(([name]) => name !== 'contacts with a tag' && (!proving || !name.includes('follows')))) {
    const { blocks, body } = await blocksOf(`${path()}&limit=${LIMIT}&sort=name`.replace('?&', '?'))
    expect(body.data).toHaveLength(LIMIT)
    expect(blocks, path()).toBeLessThan(most[table])
  }
})

test('the count of the records with a tag is kept', async () => {
  const { blocks, body } = await blocksOf(`/contacts?tag=Old&count=true&limit=${LIMIT}`)
  expect(body.page).toMatchObject({ count: OLD, count_exact: true })
  expect(blocks).toBeLessThan(MOST.contacts)
})

test('records that a member follows are counted up to what is fetched, and at least so many are reported', async () => {
  const { body } = await blocksOf(`/contacts?followed_by=${ws.userId}&count=true&limit=1`)
  expect(body.page).toMatchObject({ count: 4_001, count_exact: false })
})

test('the usage of tags is kept', async () => {
  await ws.patch('/company/settings/tag-palette', [{ name: 'Old', color: '#1a73e8' }])
  const { blocks, body } = await blocksOf('/company/settings/tag-palette/usage')
  expect(body.data).toEqual([expect.objectContaining({ name: 'Old', count: 1_000, more: true })])
  expect(blocks).toBeLessThan(60)
})

test('of the opportunities of a contact with still more, one more than are read for a filter is looked at', async () => {
  await app.owner.query(`begin; set local session_replication_role = replica;
    insert into opportunity_contacts (workspace_id, opportunity_id, contact_id) select workspace_id, id, '${ws.userId}' from opportunities
      where workspace_id = '${ws.id}' limit ${OLD};
    commit`)
  const { rows } = await app.owner.query(
    `select cardinality(further_records('opportunities', 'contact_id', '${ws.userId}')) as n
      from set_config('app.workspace_id', '${ws.id}', false)`,
  )
  expect(rows).toEqual([{ n: 4_001 }])
})
