import { and, desc, eq, sql } from 'drizzle-orm'
import { bookings, bookingTranscripts, notetakers } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan, read, waking } from '../../../data/plan.ts'
import { addedIf, mapResult, oneOrThrow } from '../../../data/query.ts'
import { columnsFor, lockForUpdate, noteAdded, rowExists } from '../../../data/store.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { type NotetakerDetail, NotetakerRecord } from '../schemas/notetakers.ts'

const fields = columnsFor(notetakers, NotetakerRecord)
const latest = (bookingId: string) =>
  oneOrThrow(
    db.select(fields).from(notetakers).where(eq(notetakers.booking_id, bookingId)).orderBy(desc(notetakers.id)).limit(1),
    'notetaker of this booking',
  )

/**
 * Requests a bot that records the meeting of a booking. The background asks the provider for it after the commit. @throws NOT_FOUND,
 * INVALID_STATE, VALIDATION_ERROR, INSUFFICIENT_CREDITS, CHANNEL_NOT_CONFIGURED
 */
export function requestNotetaker(ctx: Ctx, bookingId: string) {
  if (!ctx.deployment.hasNotetakers)
    throw new AppError('CHANNEL_NOT_CONFIGURED', 'This service has no account for notetakers', { channel: 'notetaker' })
  const id = newId()
  const isAdded = rowExists(notetakers, id)
  return waking(
    'notetakers.run',
    plan(
      [lockForUpdate(ctx, bookings, bookingId, 'booking'), call('request_notetaker', bookingId, id), noteAdded(isAdded)],
      addedIf(
        mapResult(latest(bookingId), (row) => ({ ...row, already_scheduled: row.id !== id })),
        isAdded,
      ),
    ),
  )
}

/** Ends a notetaker: one that has not recorded yet is cancelled, and a bot that is recording leaves. Its recording is charged. */
export const endNotetaker = (ctx: Ctx, bookingId: string) =>
  waking('notetakers.run', plan([lockForUpdate(ctx, bookings, bookingId, 'booking'), call('end_notetaker', bookingId)], latest(bookingId)))

const detailed = db
  .select({
    ...fields,
    transcript: bookingTranscripts.entries,
    transcript_truncated: sql<boolean>`coalesce(${bookingTranscripts.is_truncated}, false)`.as('transcript_truncated'),
    activity_id: bookingTranscripts.activity_id,
  })
  .from(notetakers)
  .leftJoin(
    bookingTranscripts,
    and(eq(bookingTranscripts.workspace_id, notetakers.workspace_id), eq(bookingTranscripts.notetaker_id, notetakers.id)),
  )

/** The latest notetaker of a booking, with its transcript. */
export const getNotetaker = (bookingId: string): Plan<NotetakerDetail> =>
  read(oneOrThrow(detailed.where(eq(notetakers.booking_id, bookingId)).orderBy(desc(notetakers.id)).limit(1), 'notetaker of this booking'))
