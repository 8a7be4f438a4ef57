import type pg from 'pg'
import { blocksOf, explain } from '../../bench/plans.ts'
import type { NeonQuery } from '../../dev/neon-proxy.ts'
import type { Harness } from '../harness.ts'

/** The blocks that the Worker's statements read, and the statements that read most of them. */
export type Cost = { blocks: number; statements: string[] }

/**
 * Counts the blocks that the statements of the Worker and its queues read, including their functions and triggers. A top-level statement
 * includes what it runs, so only those are added up. The harness must use one session, so that each call finds the same caches.
 */
export async function startCounting({ owner }: Harness): Promise<void> {
  const { rows } = await owner.query<{ name: string }>('select current_database() as name')
  await owner.query('create extension if not exists pg_stat_statements')
  await owner.query(`alter database ${rows[0]!.name} set pg_stat_statements.track = 'all'`)
  await owner.query('create function skip_assumption(p_index int, p_rows jsonb) returns void language sql as $$ select $$')
}

export async function openSession({ owner }: Harness): Promise<pg.PoolClient> {
  const session = await owner.connect()
  await session.query('set role app')
  return session
}

/**
 * Collects the statements of the following requests that read the facts of a plan and then end their transaction, because the request is
 * planned again with these. A statement that fails is not counted by pg_stat_statements, so `blocks` runs each once more and returns what
 * they read.
 */
export function collectRefuted({ proxy }: Harness): { blocks: (session: pg.PoolClient) => Promise<number> } {
  const refuted: [NeonQuery, NeonQuery][] = []
  proxy.onRequest = (request) => {
    const [first, ...others] = 'queries' in request ? request.queries : [request]
    for (const one of others) if (first && one.query.includes('case when not (false) then refute_assumption(')) refuted.push([first, one])
  }
  return {
    async blocks(session) {
      proxy.onRequest = undefined
      let sum = 0
      for (const [first, { query, params }] of refuted) {
        const statements = [first, { query: query.replace('refute_assumption(', 'skip_assumption('), params }]
        // The first run in a session also reads the catalogue.
        await explain(session, statements)
        for (const plan of await explain(session, statements)) sum += blocksOf(plan)
      }
      return sum
    },
  }
}

/** The blocks that the answer to a call reads, in a session that has compiled it. */
export async function blocksOfAnswer(app: Harness, call: () => Promise<unknown>): Promise<number> {
  let sent: NeonQuery[] = []
  app.proxy.onRequest = (request) => {
    const queries = 'queries' in request ? request.queries : [request]
    if (queries[0]?.query.includes('begin_request')) sent = queries
  }
  await call()
  app.proxy.onRequest = undefined
  const session = await openSession(app)
  await explain(session, sent)
  const plan = (await explain(session, sent)).at(-1)
  session.release(true)
  if (!plan) throw new Error('The call has read nothing')
  return blocksOf(plan)
}

/** Returns the cost of the work, including its background work. The request log is left out, because requests share its statements. */
export async function costOf<Out>({ owner, drain }: Harness, work: () => Promise<Out>): Promise<Cost & { result: Out }> {
  await drain()
  return costNow(owner, async () => {
    const result = await work()
    await drain()
    return result
  })
}

/** Returns the cost of work that does nothing in the background, while nothing else does either. */
export async function costNow<Out>(owner: Harness['owner'], work: () => Promise<Out>): Promise<Cost & { result: Out }> {
  await owner.query('select pg_stat_statements_reset(0, (select oid from pg_database where datname = current_database()), 0)')
  const result = await work()
  const { rows } = await owner.query<{ blocks: string; toplevel: boolean; query: string }>(
    `select shared_blks_hit + shared_blks_read as blocks, toplevel, query from pg_stat_statements
     where dbid = (select oid from pg_database where datname = current_database())
     and (userid in ('app'::regrole, 'jobs'::regrole) or not toplevel)
       and query not like '%record_requests(%'
     order by 1 desc`,
  )
  const sumOf = (some: typeof rows) => some.reduce((sum, { blocks }) => sum + Number(blocks), 0)
  // What planning reads counts for no other statement either.
  const planning = rows.filter(({ toplevel, query }) => !toplevel && query.startsWith('prepare kept_'))
  return {
    result,
    blocks: sumOf(rows.filter(({ toplevel }) => toplevel)) - sumOf(planning),
    statements: rows
      .filter(({ blocks }) => Number(blocks) > 30)
      .slice(0, 8)
      .map(({ blocks, toplevel, query }) => `${blocks}${toplevel ? '' : ' (inside)'}: ${query.replace(/\s+/g, ' ').slice(0, 300)}`),
  }
}
