import { afterAll, beforeAll, expect, test } from 'vitest'
import { RECORD_ENTITIES } from '../../src/domain/records.ts'
import { MERGE_CATEGORIES } from '../../src/features/merges/rules/categories.ts'
import { type Harness, start } from '../harness.ts'

const TABLES = { contact: 'contacts', company: 'companies', opportunity: 'opportunities' }

let app: Harness
beforeAll(async () => {
  app = await start({ own: true })
})
afterAll(() => app.close())

/** The columns that refer to a table, from the database's catalogue. */
async function referencesTo(table: string): Promise<{ name: string; has_id: boolean }[]> {
  const { rows } = await app.owner.query(
    `select c.conname as name,
     exists (select from pg_attribute a where a.attrelid = c.conrelid and a.attname = 'id' and a.atttypid = 'uuid'::regtype) as has_id
     from pg_constraint c where c.contype = 'f' and c.confrelid = $1::regclass order by 1`,
    [table],
  )
  return rows
}

test.each(RECORD_ENTITIES)(
  'each reference to a %s has a category of its merge, and rows that are identified by their id',
  async (entity) => {
    const references = await referencesTo(TABLES[entity])
    expect(references.map(({ name }) => name)).toEqual(Object.keys(MERGE_CATEGORIES[entity]).sort())
    expect(references.filter(({ has_id }) => !has_id)).toEqual([])
  },
)

test('no table that refers to one has a unique key by an expression, for a merge would run into it', async () => {
  const { rows } = await app.owner.query(
    `select distinct i.indexrelid::regclass::text as name from pg_index i
     join pg_constraint c on c.conrelid = i.indrelid and c.contype = 'f' and c.confrelid::regclass::text = any($1)
     where i.indisunique and i.indexprs is not null`,
    [Object.values(TABLES)],
  )
  expect(rows).toEqual([])
})

test('a table that is added later is merged without a line of code', async () => {
  const ws = await app.workspace()
  await app.owner.query(`create table visits (workspace_id uuid not null default current_workspace(), id uuid not null default uuidv7(),
    contact_id uuid not null, place text,
    primary key (workspace_id, id), unique (workspace_id, contact_id, place), check (place <> 'Nowhere' or contact_id is not null))`)
  await app.owner.query("call tenant_table('visits')")
  await app.owner.query("call tenant_reference('visits', 'contact_id', 'contacts', 'cascade')")
  await app.owner.query('call remember_catalog()')
  const [winner, loser] = await Promise.all(['A', 'B'].map(async (first_name) => (await ws.post('/contacts', { first_name })).body.data.id))
  await app.owner.query('insert into visits (workspace_id, contact_id, place) values ($1, $2, $4), ($1, $3, $4), ($1, $3, $5)', [
    ws.id,
    winner,
    loser,
    'Perth',
    'Sydney',
  ])
  const visits = async () => (await app.owner.query('select id, contact_id, place from visits order by contact_id, place')).rows
  const before = await visits()
  const { body } = await ws.post('/contacts/merge', { winner_id: winner, loser_ids: [loser] })
  expect(body.data).toMatchObject({ moved: { visits: 1 }, dropped: { visits: 1 } })
  expect(body.data.forced_categories).toContain('visits')
  expect((await visits()).map(({ contact_id, place }) => [contact_id, place])).toEqual([
    [winner, 'Perth'],
    [winner, 'Sydney'],
  ])
  // An undo does not know columns that were added after the merge.
  await app.owner.query('alter table visits add column rating int not null default 3')
  expect((await ws.post(`/contacts/merges/${body.data.merge_id}/undo`)).body.data.changed_since).toEqual([])
  expect(await visits()).toEqual(before)
})

test('a row that refers to two records is moved by both, and dropped where it would refer to one twice', async () => {
  const ws = await app.workspace()
  await app.owner.query(`create table pairs (workspace_id uuid not null default current_workspace(), id uuid not null default uuidv7(),
    one_id uuid not null, other_id uuid, note text,
    primary key (workspace_id, id), unique (workspace_id, one_id, other_id), check (one_id <> other_id))`)
  await app.owner.query("call tenant_table('pairs')")
  await app.owner.query("call tenant_reference('pairs', 'one_id', 'contacts', 'cascade')")
  await app.owner.query("call tenant_reference('pairs', 'other_id', 'contacts', 'set null')")
  await app.owner.query('call remember_catalog()')
  const make = async (first_name: string) => (await ws.post('/contacts', { first_name })).body.data.id as string
  const [winner, first, second, outside] = [await make('W'), await make('A'), await make('B'), await make('O')]
  const pairs = [
    [first, outside, 'moved'],
    [outside, second, 'moved too'],
    [second, outside, 'a double of the first'],
    [winner, first, 'to itself'],
    [first, second, 'to itself as well'],
    [outside, null, 'untouched'],
  ]
  for (const pair of pairs)
    await app.owner.query('insert into pairs (workspace_id, one_id, other_id, note) values ($1, $2, $3, $4)', [ws.id, ...pair])
  const note = async () => (await app.owner.query('select one_id, other_id, note from pairs order by id')).rows.map(Object.values)
  const { body } = await ws.post('/contacts/merge', { winner_id: winner, loser_ids: [first, second] })
  expect(body.data).toMatchObject({ moved: { pairs: 2 }, dropped: { pairs: 3 } })
  expect(await note()).toEqual([
    [winner, outside, 'moved'],
    [outside, winner, 'moved too'],
    [outside, null, 'untouched'],
  ])
  expect((await ws.post(`/contacts/merges/${body.data.merge_id}/undo`)).body.data.changed_since).toEqual([])
  expect(await note()).toEqual(pairs)
})
