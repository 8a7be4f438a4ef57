import { and, eq, getTableName, type SQL, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { companies, contacts, dismissedDuplicates, opportunities } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { decode, encode } from '../../../data/cursors.ts'
import { db } from '../../../data/db.ts'
import { type Keys, type PageQuery, page, signatureOf } from '../../../data/page.ts'
import { Page } from '../../../data/paged.ts'
import { plan, read } from '../../../data/plan.ts'
import { addedIf, assertField, constant, mapResult, oneOrThrow, typed } from '../../../data/query.ts'
import { assertExists, columnsFor, noteAdded, type OwnedTable, rowExists } from '../../../data/store.ts'
import type { RecordEntity } from '../../../domain/records.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { type Candidate, type CandidatesQuery, Dismissed, type Duplicates } from '../schemas/duplicates.ts'

const TABLES: Record<RecordEntity, OwnedTable> = { contact: contacts, company: companies, opportunity: opportunities }
const tableOf = (entity: RecordEntity) => getTableName(TABLES[entity])

/** The position of a cursor: a value of one of the keys that the scan follows. */
type Place = { key: string; value: string; at: string; id: string }
type Walk = { items: v.InferOutput<typeof Duplicates>[]; next: Place | null }

const queryOf = <Out>(query: SQL) =>
  oneOrThrow(typed<{ result: Out }>(db.select({ result: sql`${query}`.as('result') }).from(sql`(select) once`)), 'duplicates')

/**
 * Lists records with their possible duplicates. A page may have fewer than `limit` records although more pages follow: see
 * scan_duplicates.
 */
export function listDuplicates(entity: RecordEntity, query: PageQuery & { min_score?: number | undefined }) {
  const signature = signatureOf(`duplicates ${entity}`, query)
  const parameters = {
    table: tableOf(entity),
    limit: query.limit,
    min_score: query.min_score,
    after: query.after === undefined ? null : parseCursor(query.after, signature),
  }
  const result = queryOf<Walk>(sql`scan_duplicates(${JSON.stringify(parameters)}::jsonb)`)
  return read(mapResult(result, ({ result: { items, next } }) => new Page(items, query.limit, next && cursorOf(signature, next))))
}

const cursorOf = (signature: string, { key, value, at, id }: Place) => encode([signature, `${key} ${value}`, `${at} ${id}`])

function parseCursor(cursor: string, signature: string): Place {
  const [list, keyAndValue, atAndId] = decode(cursor)
  if (list !== signature) throw invalid([{ path: 'after', message: 'This cursor belongs to another list: start without it' }])
  const [key, value] = split(keyAndValue)
  const [at, id] = split(atAndId)
  return { key, value, at, id }
}

function split(text: string): [string, string] {
  const space = text.indexOf(' ')
  return [text.slice(0, space), text.slice(space + 1)]
}

/** Lists the possible duplicates of one record, the most similar first. */
export function duplicatesOf(entity: RecordEntity, id: string, { limit, min_score }: v.InferOutput<typeof CandidatesQuery>) {
  const result = queryOf<v.InferOutput<typeof Candidate>[]>(sql`duplicates_of(${tableOf(entity)}, ${id}, ${limit}, ${min_score ?? null})`)
  return plan(
    [assertExists(TABLES[entity], id, entity)],
    mapResult(result, ({ result }) => result),
  )
}

const fields = columnsFor(dismissedDuplicates, Dismissed)
const dismissals = (keys: Keys) => db.select({ ...fields, ...keys }).from(dismissedDuplicates)

/** Dismisses a pair of records as not being duplicates. Repeating it changes nothing. */
export function dismissDuplicate(entity: RecordEntity, ids: string[]) {
  const [first_id = '', second_id = ''] = ids.toSorted()
  const there = (id: string | undefined) => sql`exists (select from ${TABLES[entity]} where ${TABLES[entity].id} = ${id}::uuid)`
  const id = newId()
  const isAdded = rowExists(dismissedDuplicates, id)
  const pair = and(eq(dismissedDuplicates.first_id, first_id), eq(dismissedDuplicates.second_id, second_id))
  return plan(
    [
      ...ids.map((id, index) => assertField(there(id), `ids.${index}`, `ids.${index} does not exist in this workspace`)),
      db.insert(dismissedDuplicates).values({ id, object: entity, first_id, second_id }).onConflictDoNothing(),
      noteAdded(isAdded),
    ],
    addedIf(oneOrThrow(db.select(fields).from(dismissedDuplicates).where(pair), 'dismissal'), isAdded),
  )
}

export const listDismissed = (entity: RecordEntity, query: PageQuery) =>
  read(
    page({
      select: dismissals,
      id: dismissedDuplicates.id,
      where: [eq(dismissedDuplicates.object, entity)],
      sorts: { created_at: dismissedDuplicates.created_at },
      name: `dismissed ${entity}`,
      query: { ...query, sort: '-created_at' },
    }),
  )

/** Undoes the dismissal: the two records can be reported as duplicates again. */
export function undismiss(ctx: Ctx, entity: RecordEntity, id: string) {
  const own = and(eq(dismissedDuplicates.id, id), eq(dismissedDuplicates.object, entity))
  return plan(
    [
      sql`select assert_version((select version from dismissed_duplicates where id = ${id} and object = ${entity} for update),
        ${ctx.ifMatch ?? null}::int, 'dismissal')`,
      db.delete(dismissedDuplicates).where(own),
    ],
    constant({ id, deleted: true as const }),
  )
}
