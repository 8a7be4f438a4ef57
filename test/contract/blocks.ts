import type { Harness } from '../harness.ts'

/** Blocks that the Worker's statements touched, and the statements that touched the most of them. */
export type Cost = { blocks: number; statements: string[] }

/**
 * Counts the blocks that the Worker's statements touch, those of its functions and triggers included, and those of its queues: a statement
 * that was sent counts what it runs, so that only those at the top are added up. The harness must have one session, so that each call finds the same caches.
 */
export async function startCounting({ owner }: Harness): Promise<void> {
  const { rows } = await owner.query<{ name: string }>('select current_database() as name')
  await owner.query('create extension if not exists pg_stat_statements')
  await owner.query(`alter database ${rows[0]!.name} set pg_stat_statements.track = 'all'`)
}

/** What the work costs, until nothing of it is under way any more. */
export async function costOf<Out>({ owner, drain }: Harness, work: () => Promise<Out>): Promise<Cost & { result: Out }> {
  await drain()
  await owner.query('select pg_stat_statements_reset(0, (select oid from pg_database where datname = current_database()), 0)')
  const result = await work()
  await drain()
  const { rows } = await owner.query<{ blocks: string; toplevel: boolean; query: string }>(
    `select shared_blks_hit + shared_blks_read as blocks, toplevel, query from pg_stat_statements
     where dbid = (select oid from pg_database where datname = current_database()) and (userid = 'app'::regrole or not toplevel)
     order by 1 desc`,
  )
  return {
    result,
    blocks: rows.filter(({ toplevel }) => toplevel).reduce((sum, { blocks }) => sum + Number(blocks), 0),
    statements: rows
      .filter(({ blocks }) => Number(blocks) > 30)
      .slice(0, 8)
      .map(({ blocks, toplevel, query }) => `${blocks}${toplevel ? '' : ' (inside)'}: ${query.replace(/\s+/g, ' ').slice(0, 300)}`),
  }
}
