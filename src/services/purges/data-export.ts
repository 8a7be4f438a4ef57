import { sql } from 'drizzle-orm'
import { changes } from '../../../schema/index.ts'
import { db } from '../../data/db.ts'
import { read } from '../../data/plan.ts'
import { mapResult, oneOrThrow, type Select } from '../../data/query.ts'
import { MOST_ROWS } from '../../schemas/data-export.ts'

/** Exports a contact's personal data (GDPR) as one document: see person_data. */
export function exportPersonalData(id: string) {
  const all = db
    .select({ data: sql<Record<string, unknown>>`d`.mapWith(changes.fields).as('data') })
    .from(sql`person_data(${id}, ${MOST_ROWS}) d`)
  return read(mapResult(oneOrThrow(all as unknown as Select<{ data: Record<string, unknown> }>, 'contact', id), ({ data }) => data))
}
