import { eq } from 'drizzle-orm'
import { transcripts } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan, read, waking } from '../../../data/plan.ts'
import { mapResult, oneOrThrow } from '../../../data/query.ts'
import { columnsFor, insertRow } from '../../../data/store.ts'
import { outsideFault } from '../../../domain/outside-addresses.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { coachingOf } from '../rules/coaching.ts'
import { type NewTranscript, type TranscriptCoaching, TranscriptDetails } from '../schemas/transcripts.ts'

const WHAT = 'transcript'
const columns = columnsFor(transcripts, TranscriptDetails)
const record = (id: string) => oneOrThrow(db.select(columns).from(transcripts).where(eq(transcripts.id, id)), WHAT, id)
export const getTranscript = (id: string): Plan<TranscriptDetails> => read(record(id))

/**
 * Requests the transcript of a recording. The background looks at its address and hands it to the provider after the commit. @throws
 * VALIDATION_ERROR, CHANNEL_NOT_CONFIGURED, INSUFFICIENT_CREDITS
 */
export function requestTranscript({ deployment }: Ctx, fields: NewTranscript): Plan<TranscriptDetails> {
  if (!deployment.hasTranscriber)
    throw new AppError('CHANNEL_NOT_CONFIGURED', 'This service has no account for transcripts', { channel: 'transcripts' })
  const fault = outsideFault(fields.audio_url, deployment.outside)
  if (fault) throw invalid([{ path: 'audio_url', message: fault }])
  const id = newId()
  return waking('transcripts.send', plan([call('assert_transcript_credits'), insertRow(transcripts, { ...fields, id })], record(id)))
}

/** Figures about a conversation. @throws INVALID_STATE until it is transcribed */
export const getCoaching = (id: string): Plan<TranscriptCoaching> =>
  read(
    mapResult(record(id), ({ status, entries }) => {
      if (!entries)
        throw new AppError('INVALID_STATE', 'There is no transcript of this recording yet', { state: status, allowed: ['done'] })
      return { transcript_id: id, ...coachingOf(entries) }
    }),
  )
