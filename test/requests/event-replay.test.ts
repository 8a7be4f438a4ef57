// biome-ignore-all lint/suspicious/noExplicitAny: responses of every shape
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SNAPSHOTS } from '../../src/features/events/schemas/snapshots.ts'
import { isWrite } from '../../src/http/endpoint.ts'
import { operations } from '../contract/samples.ts'
import { seed } from '../contract/seed.ts'
import { sendSample } from '../contract/send.ts'
import { settled } from '../database.ts'
import { type Harness, start } from '../harness.ts'
import { proving } from '../proof.ts'
import type { TestWorkspace } from '../workspace.ts'
import { readersOf } from './record-readers.ts'

type Row = Record<string, any>

let app: Harness
beforeAll(async () => {
  app = await start({ ownServer: true })
}, 120_000)
afterAll(() => app.close())

/** Numbers from 0 to 1 that are the same in every run with this seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** The records that a reader of the feed has, by kind and id, who applies its events in order. */
async function replay(ws: TestWorkspace, limit: number): Promise<Map<string, Map<string, Row>>> {
  const kinds = new Map(Object.keys(SNAPSHOTS).map((entity) => [entity, new Map<string, Row>()]))
  for (let after = '', more = true; more; ) {
    const { status, body } = await ws.get(`/events?order=asc&limit=${limit}${after && `&after=${after}`}`)
    expect(status, JSON.stringify(body)).toBe(200)
    for (const { type, entity, entity_id, payload } of body.data as Row[]) {
      if (/\.(created|updated)$/.test(type)) kinds.get(entity)!.set(entity_id, payload)
      if (type.endsWith('.deleted')) kinds.get(entity)!.delete(entity_id)
    }
    ;({ next: after, has_more: more } = body.page)
  }
  return kinds
}

const REVERTED = ['list restored', 'merge', 'merge undone', 'record deleted', 'record restored']
const PATHS = ['contacts', 'companies', 'opportunities']

/** Merges, deletes and restores records at random, with what refers to them, and a list with its members. Counts what has succeeded. */
async function revertSome(ws: TestWorkspace, random: () => number): Promise<Record<string, number>> {
  const done: Record<string, number> = {}
  const count = (what: string, { status }: { status: number }) => {
    expect(status, what).toBeLessThan(500)
    if (status === 200) done[what] = (done[what] ?? 0) + 1
    return status === 200
  }
  const make = async (path: string, body: object) => (await ws.post(path, body)).body.data.id as string
  const mill = () => make('/companies', { name: `Mill ${random()}` })
  let company = await mill()
  for (let round = 0; round < 12; round++) {
    const path = PATHS[round % 3] as string
    const fields = path === 'contacts' ? { first_name: 'Ana', customer_id: company } : { name: `N${random()}` }
    const ids = await Promise.all([1, 2].map(() => make(`/${path}`, fields)))
    const [winner_id, loser] = ids as [string, string]
    const about = path === 'companies' ? 'customer_id' : `${path === 'contacts' ? 'contact' : 'opportunity'}_id`
    await ws.post('/tasks', { title: 'Call', [about]: loser })
    const list = await make('/lists', { name: `L${random()}`, object: path, kind: 'static', tracks_membership: round < 4 })
    await ws.post(`/lists/${list}/members`, { ids })
    if (random() < 0.7 || round < 3) {
      const merge = await ws.post(`/${path}/merge`, { winner_id, loser_ids: [loser] })
      count('merge', merge)
      if (random() < 0.5 || round < 3) count('merge undone', await ws.post(`/${path}/merges/${merge.body.data?.merge_id}/undo`))
    }
    const record = random() < 0.3 && path === 'companies' ? company : winner_id
    if (count('record deleted', await ws.delete(`/${path}/${record}`))) {
      if (random() < 0.7 || round < 3) count('record restored', await ws.post(`/${path}/${record}/restore`))
      else if (record === company) company = await mill()
    }
    await ws.delete(`/lists/${list}`)
    if (random() < 0.7) count('list restored', await ws.post(`/lists/${list}/restore`))
  }
  return done
}

/** Writes that would end the test itself, or need what it does not have. */
const LEFT_OUT = /revoke|rotate|invitations\/accept|DELETE \/company\/users/

/** The tables of the kinds of records, from the triggers that record their changes. */
async function tables(): Promise<{ entity: string; name: string; key: string }[]> {
  const { rows } = await app.owner.query(
    `select tgrelid::regclass::text as name, split_part(encode(tgargs, 'escape'), '\\000', 1) as entity,
      split_part(encode(tgargs, 'escape'), '\\000', 2) as key
      from pg_trigger where tgname = 'record_insert' and tgparentid = 0 order by 1`,
  )
  return rows
}

test('a snapshot has the stored columns of its record, and no others', async () => {
  const { rows: hidden } = await app.owner.query('select table_name, column_name from unrecorded_columns()')
  const { rows: renamed } = await app.owner.query('select * from renamed_columns()')
  const always = ['version', 'created_at', 'updated_at', 'id']
  const all = await tables()
  expect(all.map(({ entity }) => entity).toSorted()).toEqual(Object.keys(SNAPSHOTS).toSorted())
  for (const { entity, name, key } of all) {
    const { rows } = await app.owner.query(
      'select attname::text as column from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped',
      [name],
    )
    const stored = rows
      .map(({ column }) => column as string)
      .filter(
        (column) =>
          column !== key &&
          !always.includes(column) &&
          !hidden.some(({ table_name, column_name }) => [name, '*'].includes(table_name) && column_name === column),
      )
      .map((column) => renamed.find(({ table_name, column_name }) => table_name === name && column_name === column)?.api_name ?? column)
    const shown = Object.keys(SNAPSHOTS[entity]!.entries).filter((field) => !always.includes(field))
    expect(shown.toSorted(), entity).toEqual(stored.toSorted())
  }
})

test.each(Array.from({ length: proving ? 12 : 1 }, (_, index) => index + 1))(
  'replayed into an empty store, the feed gives the stored fields that the API returns, after the writes of seed %i',
  async (number) => {
    const random = randomFrom(number)
    const ws = await app.workspace()
    const ids = await seed(app, ws)
    const writes = operations.filter(
      ({ name, endpoint }) => isWrite(endpoint) && !endpoint.access.public && !endpoint.successor && !LEFT_OUT.test(name),
    )
    const order = writes.map((operation) => ({ operation, at: random() })).toSorted((a, b) => a.at - b.at)
    // Most deletions are left out, so that records of every kind remain.
    for (const { operation } of order.filter(({ operation }) => !/^DELETE|bulk-delete/.test(operation.name) || random() < 0.3)) {
      const { status } = await sendSample(app, ws, operation, ids)
      expect(status, operation.name).toBeLessThan(500)
    }
    const reverted = await revertSome(ws, random)
    expect(
      Object.keys(reverted)
        .filter((what) => reverted[what]! > 0)
        .toSorted(),
    ).toEqual(REVERTED)
    await app.drain()
    await settled(app.owner)

    const kinds = await replay(ws, 1 + Math.floor(random() * 99))
    const readers = readersOf(ws)
    for (const { entity, name } of await tables()) {
      const replayed = kinds.get(entity)!
      const { rows } = await app.owner.query(
        `select count(*)::int as n from ${name}
          where ${name === 'workspaces' ? 'id' : 'workspace_id'} = $1 ${name === 'automations' ? 'and queue_id is null' : ''}`,
        [ws.id],
      )
      expect(replayed.size, entity).toBe(rows[0].n)
      for (const [id, record] of replayed) {
        const returned = await readers[entity]!({ ...record, id })
        if (!returned) expect(`${entity} ${record.status}`, JSON.stringify(record)).toBe('member removed')
        else expect(record, `${entity} ${id}`).toEqual({ ...record, ...pick(returned, Object.keys(record)) })
      }
    }
    expect([...kinds.values()].filter(({ size }) => size > 0).length).toBeGreaterThan(15)
  },
  120_000,
)

const pick = (record: Row, names: string[]) => Object.fromEntries(names.flatMap((name) => (name in record ? [[name, record[name]]] : [])))
