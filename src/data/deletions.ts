import { eq, type SQL, sql } from 'drizzle-orm'
import { outbox } from '../../schema/index.ts'
import { EVENT_DAYS } from '../domain/events.ts'
import { invalid } from '../errors.ts'
import { db } from './db.ts'
import { type Keys, type PageQuery, page } from './page.ts'
import type { Page } from './paged.ts'
import { type Plan, read } from './plan.ts'
import type { OwnedTable } from './store.ts'

/** The records of a list whose deletions it can show: their table, and their name in the history. */
export type Deletable = { table: OwnedTable; entity: string }
export type DeletedRecord = { id: string; deleted_at: string }

const deleted = (keys: Keys) =>
  db
    .select({ id: outbox.entity_id, deleted_at: sql<string>`instant_of(${outbox.id})`.mapWith(outbox.at).as('deleted_at'), ...keys })
    .from(outbox)

/**
 * Lists deleted records in the order of their deletion, from their events, whose ids begin with the time at which they were written: that
 * is after the start of the transaction, so synced_until holds for them as for changes. A record that exists again is left out.
 * @throws VALIDATION_ERROR when deletions since `updated_after` may have expired.
 */
export function listDeleted({ table, entity }: Deletable, query: PageQuery, now: Date): Plan<Page<DeletedRecord>> {
  const { limit, after, count, updated_after, updated_before } = query
  const oldest = new Date(now.getTime() - EVENT_DAYS * 86_400_000)
  const since = typeof updated_after === 'string' ? updated_after : oldest.toISOString()
  if (Date.parse(since) < oldest.getTime()) throw invalid([{ path: 'updated_after', message: EXPIRED }])
  const until: SQL | undefined =
    updated_before === undefined ? undefined : sql`${outbox.id} < id_at(${updated_before}::timestamptz + interval '1 millisecond')`
  return read(
    page({
      select: deleted,
      id: outbox.id,
      where: [
        eq(outbox.type, `${entity}.deleted`),
        sql`${outbox.id} >= id_at(${since}::timestamptz)`,
        until,
        sql`(select true from ${table} where ${table.id} = ${outbox.entity_id}) is null`,
      ],
      sorts: { id: outbox.id },
      name: `deleted ${entity}`,
      query: { limit, after, count, since: updated_after, until: updated_before, sort: 'id', deleted: true },
    }),
  )
}

const EXPIRED = `Deletions are listed for ${EVENT_DAYS} days: read the whole list again, and continue from its synced_until`
