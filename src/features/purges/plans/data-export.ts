import { sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { changes } from '../../../../schema/index.ts'
import { db } from '../../../data/db.ts'
import { read } from '../../../data/plan.ts'
import { mapResult, oneOrThrow, typed } from '../../../data/query.ts'
import { MOST_ROWS, type PersonData } from '../schemas/data-export.ts'

/** Exports a contact's personal data (GDPR) as one document: see person_data. */
export function exportPersonalData(id: string) {
  const all = db.select({ data: sql`d`.mapWith(changes.fields).as('data') }).from(sql`person_data(${id}, ${MOST_ROWS}) d`)
  return read(mapResult(oneOrThrow(typed<{ data: v.InferOutput<typeof PersonData> }>(all), 'contact', id), ({ data }) => data))
}
