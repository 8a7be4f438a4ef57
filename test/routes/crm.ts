import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { type Harness, type StartOptions, start } from '../harness.ts'
import type { ApiResponse, TestWorkspace } from '../workspace.ts'

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
export type Row = Record<string, any>
type Fields = Record<string, unknown>
export type Event = { type: string; payload: Row; skip_automations: boolean; request_id: string; key_id: string; user_id: string }

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const uuid = expect.stringMatching(UUID)

/** One harness a file, and a fresh workspace a test. */
export function useCrm(options?: StartOptions) {
  let app: Harness
  let ws: TestWorkspace
  beforeAll(async () => {
    app = await start(options)
  }, 120_000)
  afterAll(() => app.close())
  beforeEach(async () => {
    ws = await app.workspace()
  })

  const insert = async (table: string, fields: Fields): Promise<Row> => {
    const row = { workspace_id: ws.id, ...fields }
    const names = Object.keys(row)
    const places = names.map((_, i) => `$${i + 1}`)
    const { rows } = await app.owner.query(`insert into ${table} (${names}) values (${places}) returning *`, Object.values(row))
    return rows[0]
  }

  return {
    get app() {
      return app
    },
    get ws() {
      return ws
    },
    company: async (name = 'Acme', workspace = ws) => (await insert('companies', { workspace_id: workspace.id, name })).id as string,
    product: async (fields: Fields = {}) => (await insert('products', { name: 'GTX Pro', ...fields })).id as string,
    leadSource: async (name = 'Trade fair') => (await insert('lead_sources', { name })).id as string,
    contact: async (fields: Fields = {}) => created(await ws.post('/contacts', { first_name: 'Ana', ...fields })),
    opportunity: async (fields: Fields = {}) => created(await ws.post('/opportunities', { name: 'Workstations', ...fields })),
    pipeline: async (fields: Fields = {}) => created(await ws.post('/pipelines', { name: 'Renewals', ...fields })),
    /** The ids of the first pipeline and its stages, New, Qualified, Proposal, Won and Lost, by name. */
    async firstPipeline(): Promise<{ pipeline: string; stages: Record<'New' | 'Qualified' | 'Proposal' | 'Won' | 'Lost', string> }> {
      const [pipeline] = found(await ws.get('/pipelines?sort=created_at&limit=1'))
      return { pipeline: pipeline?.id, stages: stagesByName(pipeline as Row) as never }
    },
    /** The lists that lost_reasons and won_reasons are chosen from. */
    offerReasons: (lost: string[], won: string[] = []) =>
      app.owner.query('update crm_settings set lost_reasons = $2, won_reasons = $3 where workspace_id = $1', [ws.id, lost, won]),
    /** A person who once belonged to the workspace. */
    async formerMember(): Promise<string> {
      const { userId } = await ws.key()
      await app.owner.query("update memberships set status = 'removed' where workspace_id = $1 and user_id = $2", [ws.id, userId])
      return userId
    },
    /** The events about a record, oldest first. */
    async events(entityId: string): Promise<Event[]> {
      const fields = 'type, payload, skip_automations, request_id, key_id, user_id'
      const { rows } = await app.owner.query(`select ${fields} from outbox where workspace_id = $1 and entity_id = $2 order by id`, [
        ws.id,
        entityId,
      ])
      return rows
    },
    /** How many rows of the workspace a table has. */
    async count(table: string): Promise<number> {
      const { rows } = await app.owner.query(`select count(*)::int from ${table} where workspace_id = $1`, [ws.id])
      return rows[0].count
    },
    /** Rewrites a record behind the back of every trigger, as if it had been so for long. */
    async rewrite(table: string, id: string, fields: Fields): Promise<void> {
      const client = await app.owner.connect()
      const sets = Object.keys(fields).map((name, i) => `${name} = $${i + 2}`)
      try {
        await client.query('begin')
        await client.query('set local session_replication_role = replica')
        await client.query(`update ${table} set ${sets} where id = $1`, [id, ...Object.values(fields)])
        await client.query('commit')
      } finally {
        client.release()
      }
    },
    /** Every record of a list, page by page; `between` runs after each page with what was seen so far. */
    async walk(path: string, between: (seen: Row[]) => Promise<unknown> = async () => {}): Promise<Row[]> {
      const seen: Row[] = []
      for (let after: string | null = ''; after !== null; ) {
        const answer = await ws.get(`${path}${path.includes('?') ? '&' : '?'}${after && `after=${after}`}`)
        seen.push(...found(answer))
        after = answer.body.page.next
        if (after !== null) await between(seen)
      }
      return seen
    },
  }
}
export type Crm = ReturnType<typeof useCrm>

/** The record that a create answered with. */
export function created(answer: ApiResponse): Row {
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 })
  return answer.body.data
}

/** The data of an answer that must be a success. */
export function found(answer: ApiResponse): Row[] & Row {
  expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status)
  return answer.body.data
}

export const stagesByName = (pipeline: Row): Record<string, string> =>
  Object.fromEntries(pipeline.stages.map(({ name, id }: Row) => [name, id]))

/** What a refused answer looks like: each path has an issue. */
export const refused = (...paths: string[]) => ({
  status: 400,
  body: { error: { code: 'VALIDATION_ERROR', details: { issues: paths.map((path) => expect.objectContaining({ path })) } } },
})
export const failed = (status: number, code: string) => ({ status, body: { error: { code } } })

/** A write that waits for a person's decision. */
export const held = { status: 202, body: { approval_id: uuid, status: 'pending' } }

/** Rows in the order of a sort: by `key`, and by id where keys are the same. */
export function bySort(rows: Row[], sort: string, key: (row: Row) => string | number): Row[] {
  const way = sort.startsWith('-') ? -1 : 1
  const compare = <T>(a: T, b: T) => (a < b ? -1 : a > b ? 1 : 0)
  return rows.toSorted((a, b) => way * (compare(key(a), key(b)) || compare(a.id, b.id)))
}

/**
 * Walks a list to its end. Between two pages some records come, and a seen and an unseen one of those that were there
 * `before` go. Of those that stay none may be missing or come twice, and their order must stand.
 */
export async function walkWhileRowsComeAndGo(
  crm: Crm,
  path: string,
  before: Row[],
  { come, go }: { come: () => Promise<unknown>; go: (id: string) => Promise<unknown> },
): Promise<void> {
  const gone = new Set<string>()
  const walked = await crm.walk(path, async (seen) => {
    const known = new Set(ids(seen))
    const exists = (id: string) => !gone.has(id)
    // The last one seen is the one that the cursor stands on.
    const leaving = [ids(seen).at(-1), ids(before).findLast((id) => exists(id) && !known.has(id))]
    for (const id of leaving.filter((id) => id !== undefined && exists(id)) as string[]) {
      gone.add(id)
      await go(id)
    }
    // In an ascending list they come at the end: for ever, if it never stopped.
    if (seen.length < before.length / 2) await come()
  })
  expect(new Set(ids(walked)).size, 'no record comes twice').toBe(walked.length)
  const staying = ids(before).filter((id) => !gone.has(id))
  expect(gone.size).toBeGreaterThan(4)
  expect(ids(walked).filter((id) => staying.includes(id))).toEqual(staying)
}

export const without = (row: Row, ...names: string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))
export const ids = (rows: Row[]): string[] => rows.map(({ id }) => id)
export const nobody = randomUUID()

/** How often a call goes to the database: each of its trips finds out who asks. Those of queues come at any time and do not count. */
export async function tripsOf(app: Harness, call: () => Promise<unknown>): Promise<number> {
  let trips = 0
  app.proxy.onRequest = (request) => {
    const [first] = 'queries' in request ? request.queries : [request]
    if (first?.query.includes('begin_request')) trips += 1
  }
  await call()
  app.proxy.onRequest = undefined
  return trips
}
