import type { Crm } from './crm.ts'

/**
 * Runs the statements in a transaction, starts the calls, and commits once all of them wait for a lock that it holds: so that
 * they meet at exactly that moment, on every run.
 */
export async function whileLocked<Out>({ app }: Crm, statements: [string, unknown[]][], calls: (() => Promise<Out>)[]): Promise<Out[]> {
  const client = await app.owner.connect()
  try {
    await client.query('begin')
    for (const [text, params] of statements) await client.query(text, params)
    const answers = Promise.all(calls.map((call) => call()))
    const waiting = "select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    for (const end = Date.now() + 10_000; (await app.owner.query(waiting)).rows[0].count < calls.length; ) {
      if (Date.now() > end) throw new Error('Not all of the calls wait for the lock')
    }
    await client.query('commit')
    return await answers
  } finally {
    // Nothing when it was committed.
    await client.query('rollback')
    client.release()
  }
}
