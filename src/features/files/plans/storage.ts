import { type SQL, sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { plainRows } from '../../../data/query.ts'
import { RESERVED_SECONDS } from '../../../domain/files.ts'
import { AppError } from '../../../errors.ts'

/** Reserves the bytes of the request's file for the upload with this id. Null, or how many bytes are left when it is too large. */
export const reserve = (ctx: Ctx, id: string): SQL<number | null> =>
  sql<number | null>`reserve_storage(${id}::uuid, ${ctx.files.expected()}::bigint, ${RESERVED_SECONDS}::int)`

/** Ends the reservation in the transaction that adds the row of the file. */
export const release = (id: string): Statement => call('release_storage', id)

/** @throws PAYLOAD_TOO_LARGE when the workspace has too few bytes left, which is what `reserve` returned. */
export function assertReserved(free: number | string | null): void {
  if (free === null) return
  const left = Number(free)
  throw new AppError('PAYLOAD_TOO_LARGE', `The workspace can store ${left} more bytes: delete files that are not needed`, {
    free_bytes: left,
  })
}

/** Runs an upload whose bytes are reserved, and frees them when it fails. */
export async function whileReserved<Out>(ctx: Ctx, id: string, upload: () => Promise<Out>): Promise<Out> {
  try {
    return await upload()
  } catch (error) {
    await ctx.read(plainRows(sql`select release_storage(${id}::uuid) is null`, ['released'])).catch(() => {})
    throw error
  }
}
