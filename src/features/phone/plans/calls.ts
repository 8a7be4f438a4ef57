import { eq } from 'drizzle-orm'
import { callLogs } from '../../../../schema/index.ts'
import { db } from '../../../data/db.ts'
import { equalTo } from '../../../data/lists.ts'
import { type Keys, page } from '../../../data/page.ts'
import { read } from '../../../data/plan.ts'
import { oneOrThrow } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { CallLog, CallLogDetail, type callFilters } from '../schemas/phone.ts'

type Query = { limit: number; after?: string | undefined } & { [Name in keyof typeof callFilters]?: string | undefined }

const columns = columnsFor(callLogs, CallLog)
const calls = (keys: Keys) => db.select({ ...columns, ...keys }).from(callLogs)

/** Lists calls, the latest ones first. */
export function listCallLogs({ limit, after, ...filters }: Query) {
  return read(
    page({
      select: calls,
      id: callLogs.id,
      where: equalTo(callLogs, filters),
      sorts: { started_at: callLogs.started_at },
      name: `call logs ${JSON.stringify(filters)}`,
      query: { limit, after, sort: '-started_at' },
    }),
  )
}

export const getCallLog = (id: string) =>
  read(oneOrThrow(db.select(columnsFor(callLogs, CallLogDetail)).from(callLogs).where(eq(callLogs.id, id)), 'call log', id))
