import { sql } from 'drizzle-orm'
import { batch } from '../src/data/batch.ts'
import { databaseOf, type Env } from '../src/env.ts'
import type { MessageOf } from './messages.ts'

/** Keeps how requests were answered, all in one statement; one that is told twice changes nothing. */
export async function recordRequests(env: Env, messages: MessageOf<'request.answered'>[]): Promise<void> {
  const told = messages.map(({ request }) => request)
  await batch(databaseOf(env), [sql`select record_requests(${JSON.stringify(told)}::jsonb)`])
}
