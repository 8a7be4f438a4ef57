import { eq, gte, lt, sql } from 'drizzle-orm'
import { deadLetters } from '../../../../schema/index.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Keys, page } from '../../../data/page.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { constant, mapResult, oneOrThrow, rows, typed } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { AppError } from '../../../errors.ts'
import { type Bulk, failure } from '../../../schemas/bulk.ts'
import { DeadLetter, type DeadLetterQuery } from '../schemas/dead-letters.ts'

const fields = columnsFor(deadLetters, DeadLetter)
const withKeys = (keys: Keys) => db.select({ ...fields, ...keys }).from(deadLetters)
const deadLetter = (id: string) => oneOrThrow(db.select(fields).from(deadLetters).where(eq(deadLetters.id, id)), 'dead letter')
const lock = (id: string): Statement =>
  sql`select assert_exists(exists (select from dead_letters where id = ${id} for update), 'dead letter', ${id}::uuid)`

export const listDeadLetters = ({ queue, status, created_from, created_to, ...query }: DeadLetterQuery) =>
  read(
    page({
      select: withKeys,
      id: deadLetters.id,
      where: [
        queue && eq(deadLetters.queue, queue),
        status && eq(deadLetters.status, status),
        created_from ? gte(deadLetters.created_at, created_from) : undefined,
        created_to ? lt(deadLetters.created_at, created_to) : undefined,
      ],
      sorts: { created_at: deadLetters.created_at },
      name: `dead-letters ${queue ?? ''} ${status ?? ''} ${created_from ?? ''} ${created_to ?? ''}`,
      query,
    }),
  )

export const getDeadLetter = (id: string) => read(deadLetter(id))

/** The event of each dead letter has its message handed to its queue. Ids that do not exist are left out. */
const replay = (ids: string[]): Statement => call('replay_dead_letters', `{${ids.join(',')}}`)

export const replayDeadLetter = (id: string) => plan([lock(id), replay([id])], deadLetter(id))

export function replayDeadLetters(ids: string[]): Plan<Bulk<DeadLetter>> {
  const select = db
    .select({ ...fields, requested_id: sql<string>`requested.id`.as('requested_id') })
    .from(sql`unnest(${`{${ids.join(',')}}`}::uuid[]) with ordinality as requested(id, index)`)
    .leftJoin(deadLetters, sql`dead_letters.id = requested.id`)
    .orderBy(sql`requested.index`)
  const result = mapResult(rows(typed<DeadLetter & { requested_id: string }>(select)), (decoded) => {
    const bulk: Bulk<DeadLetter> = { results: [], skipped: [], errors: [] }
    decoded.forEach(({ requested_id: id, ...letter }, index) => {
      if (ids.indexOf(id) < index) bulk.skipped.push({ index, id, reason: 'Duplicate id in request' })
      else if (letter.id === null) bulk.errors.push(failure(index, new AppError('NOT_FOUND', 'No such dead letter in this workspace'), id))
      else bulk.results.push(letter)
    })
    return bulk
  })
  return plan([replay(ids)], result)
}

export const deleteDeadLetter = (id: string) =>
  plan([lock(id), db.delete(deadLetters).where(eq(deadLetters.id, id))], constant({ id, deleted: true as const }))
