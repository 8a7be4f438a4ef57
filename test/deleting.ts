import type { Harness } from './harness.ts'

/**
 * Has records with more dependants than `most` deleted by jobs, for tests with few rows. New sessions have the setting, so the old ones
 * end.
 */
export async function limitDependants(app: Harness, most: number): Promise<void> {
  await app.owner.query(`do $$ begin execute format('alter database %I set app.most_dependants = ${most}', current_database()); end $$`)
  await app.owner.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  // The first statement of a session that has ended fails, also in the background.
  await app.cron('* * * * *').catch(() => {})
  await app.cron('* * * * *')
  await app.drain()
}
