import { beforeAll, describe, expect, test } from 'vitest'
import { start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import { created, found, ids, type Row } from './crm.ts'

/**
 * A search reads the first forty entries of the list's index for each record of the page. What these have of matches decides whether it
 * reads on or asks the index of words, and reads on if that knows more than four thousand. Where the index has no words, or a filter has an
 * index in the order of the list, the first five hundred records take the place of the entries. Words of each frequency are found the same.
 */

const ALL = 13_000
/** By word: which of the records, counted from the oldest, have it. */
const WORDS: Record<string, { has: string; what: string }> = {
  everywhere: { has: 'n % 3 = 0', what: 'on any page' },
  rarest: { has: 'n in (1, 6000, 12999)', what: 'three times' },
  atmost: { has: 'n <= 4000', what: 'four thousand times, all old' },
  beyond: { has: 'n <= 4001', what: 'once more, all old' },
  sparse: { has: 'n % 500 = 0', what: 'once in five hundred' },
  zq: { has: 'n between 5000 and 5029', what: 'thirty times, with two letters' },
}

type App = Awaited<ReturnType<typeof start>>
let app: App
let ws: TestWorkspace

beforeAll(async () => {
  app = await start({ own: true })
  ws = await app.workspace()
  const other = await app.workspace()
  const client = await app.owner.connect()
  const words = Object.entries(WORDS).map(([word, { has }]) => `case when ${has} then ' ${word}' else '' end`)
  await client.query(`set session_replication_role = 'replica'`)
  for (const { id } of [ws, other])
    await client.query(
      `insert into contacts (workspace_id, first_name, last_name, contact_type, archived, created_at)
        select $1, 'P' || md5(n::text), 'Lee' || ${words.join(' || ')}, case n % 10 when 0 then 'Lead' else 'Customer' end, n % 7 = 0,
          now() - interval '1 second' * (${ALL} - n) from generate_series(1, ${ALL}) n`,
      [id],
    )
  await client.query('analyze contacts')
  client.release(true)
  return () => app.close()
}, 60_000)

/** The ids that a list should have, told by a statement of its own. */
async function expected(word: string, order: string, more = 'true'): Promise<string[]> {
  const { rows } = await app.owner.query(
    `select id from contacts where workspace_id = $1 and name_norm like $2 and ${more} order by ${order}`,
    [ws.id, `% ${word}%`],
  )
  return ids(rows as Row[])
}

/** A list from its beginning up to so many pages, and its pages there are: each as the cursor of the one before leads to it. */
async function walk(query: string, pages: number, limit = 100): Promise<string[]> {
  const seen: string[] = []
  let after = ''
  for (let i = 0; i < pages; i++) {
    const answer = await ws.get(`/contacts?limit=${limit}&${query}${after}`)
    seen.push(...ids(found(answer)))
    if (!answer.body.page.next) break
    after = `&after=${answer.body.page.next}`
  }
  return seen
}

describe.each(Object.entries(WORDS))('%s', (word, { what }) => {
  test.each([
    ['', 'created_at desc, id desc', 'not archived'],
    ['&sort=created_at', 'created_at, id', 'not archived'],
    ['&sort=-name', 'name_norm desc, id desc', 'not archived'],
    ['&archived=all', 'created_at desc, id desc', 'true'],
    ['&archived=all&sort=name', 'name_norm, id', 'true'],
    ['&archived=true&sort=updated_at', 'updated_at, id', 'archived'],
    ['&contact_type=Lead', 'created_at desc, id desc', `contact_type = 'Lead' and not archived`],
    ['&contact_type=Lead&sort=name&archived=all', 'name_norm, id', `contact_type = 'Lead'`],
    ['&contact_type=Press', 'id', 'false'],
  ])(`which a record has ${what}, in the list %j`, async (query, order, where) => {
    const all = await expected(word, order, where)
    expect(await walk(`search=${word}${query}`, 4)).toEqual(all.slice(0, 400))
    // Pages so small that the entries read first are not the whole list.
    expect(await walk(`search=${word}${query}`, 3, 12)).toEqual(all.slice(0, 36))
  })
})

test.each(['atmost', 'beyond'])(
  'all pages of %s together are all that it finds, once',
  async (word) => {
    expect(await walk(`search=lee%20${word}&sort=name`, 100)).toEqual(await expected(word, 'name_norm, id', 'not archived'))
  },
  60_000,
)

describe('another table', () => {
  beforeAll(async () => {
    const client = await app.owner.connect()
    await client.query(`set session_replication_role = 'replica'`)
    await client.query(
      `insert into opportunities (workspace_id, name, status, archived, created_at)
        select workspace_id, name_norm, case n % 10 when 0 then 'won' else 'open' end, archived, created_at
        from (select *, row_number() over (order by created_at) as n from contacts where workspace_id = $1) c`,
      [ws.id],
    )
    await client.query('analyze opportunities')
    client.release(true)
  })

  test.each([
    ['', 'created_at desc, id desc', 'not archived'],
    ['&archived=all&sort=updated_at', 'updated_at, id', 'true'],
    ['&sort=name', 'name_norm, id', 'not archived'],
    ['&status=won', 'created_at desc, id desc', `status = 'won' and not archived`],
    ['&status=won&sort=-updated_at', 'updated_at desc, id desc', `status = 'won' and not archived`],
  ])('has the same in the list %j', async (query, order, where) => {
    for (const word of Object.keys(WORDS)) {
      const { rows } = await app.owner.query(
        `select id from opportunities where workspace_id = $1 and name_norm like $2 and ${where} order by ${order} limit 40`,
        [ws.id, `% ${word}%`],
      )
      expect(ids(found(await ws.get(`/opportunities?limit=40&search=${word}${query}`))), word).toEqual(ids(rows as Row[]))
    }
  })
})

test('two words that are frequent by themselves are found where they meet', async () => {
  const both = await expected('atmost', 'created_at desc, id desc', `not archived and name_norm like '% everywhere%'`)
  expect(await walk('search=everywhere%20atmost', 4)).toEqual(both.slice(0, 400))
})

test('a search over records finds the same, with any filter beside it', async () => {
  const search = async (word: string, body: Row) => ids(found(await ws.post('/contacts/search', { search: word, limit: 100, ...body })))
  for (const word of Object.keys(WORDS)) {
    const leads = { field: 'contact_type', op: 'eq', value: 'Lead' }
    const some = (await expected(word, 'created_at desc, id desc', `not archived and contact_type = 'Lead'`)).slice(0, 100)
    expect(await search(word, { filter: leads }), word).toEqual(some)
    const named = { field: 'name', op: 'contains', value: word }
    expect(ids(found(await ws.post('/contacts/search', { filter: { all: [leads, named] }, limit: 100 }))), word).toEqual(some)
  }
})

test('a filter beside a search looks at all records that are related, not only at those with the words', async () => {
  const fresh = await app.workspace()
  const company = async (fields: Row) => created(await fresh.post('/companies', fields)).id as string
  const parent = await company({ name: 'Acme' })
  await company({ name: 'Bolt', parent_company_id: parent })
  await app.owner.query(`insert into companies (workspace_id, name) select $1, 'Company ' || n from generate_series(1, 1100) n`, [fresh.id])
  const answer = await fresh.post('/companies/search', { search: 'acme', filter: { has: 'subsidiaries' } })
  expect(ids(found(answer))).toEqual([parent])
})

test('what has neither letter nor digit is no word', async () => {
  expect(await walk('search=%26%26', 1)).toEqual([])
  expect(await walk('search=%26%26%20rarest', 1)).toEqual(await expected('rarest', 'created_at desc, id desc', 'not archived'))
})
