import { eq, sql } from 'drizzle-orm'
import { purgedRecords } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Deleted, jobOf, noteAccepted } from '../../../data/deletion-jobs.ts'
import { handed } from '../../../data/handed.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { type Plan, plan, read, wakingFor } from '../../../data/plan.ts'
import { Accepted, mapResult, oneOrThrow, typed } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import type { RecordEntity } from '../../../domain/records.ts'
import { deleteCompany } from '../../companies/plans/companies.ts'
import { deleteContact } from '../../contacts/plans/contacts.ts'
import { deleteOpportunity } from '../../opportunities/plans/opportunities.ts'
import { Tombstone } from '../schemas/purges.ts'

type Removed = Deleted & { purged?: Record<string, number> }
const REMOVE: Record<RecordEntity, (ctx: Ctx, id: string) => Plan<Removed | Accepted<Removed>>> = {
  contact: deleteContact,
  company: deleteCompany,
  opportunity: deleteOpportunity,
}

/** Deletes the record. With `purge`, its history, events and all other stored data of it are erased too. */
export function removeOrPurge(
  ctx: Ctx,
  entity: RecordEntity,
  id: string,
  { purge }: { purge?: boolean | undefined },
): Plan<Removed | Accepted<Removed>> {
  if (!purge) return REMOVE[entity](ctx, id)
  const outcome = db
    .select({
      purged: sql<Record<string, number> | null>`${handed('purged')}::json`.as('purged'),
      job_id: jobOf(id).as('job_id'),
    })
    .from(sql`(select) one`)
  const result = mapResult(oneOrThrow(typed<{ purged: Record<string, number> | null; job_id: string | null }>(outcome), entity), (row) => {
    const removed = { id, deleted: true as const, ...(row.purged && { purged: row.purged }) }
    return row.job_id === null ? removed : new Accepted({ ...removed, job_id: row.job_id }, row.job_id)
  })
  const statements = [call('purge_record', entity, id, ctx.ifMatch ?? null), noteAccepted(id)]
  return wakingFor((removed) => (removed instanceof Accepted ? 'records.delete' : undefined), plan(statements, result))
}

const fields = columnsFor(purgedRecords, Tombstone)
const tombstones = (keys: Keys) => db.select({ ...fields, ...keys }).from(purgedRecords)

/** Lists purged records of an entity, the latest first. */
export const listPurged = (entity: RecordEntity, query: PageQuery) =>
  read(
    page({
      select: tombstones,
      id: purgedRecords.id,
      where: [eq(purgedRecords.entity, entity)],
      sorts: { purged_at: purgedRecords.purged_at },
      name: `purged ${entity}`,
      query: { ...query, sort: '-purged_at' },
    }),
  )
