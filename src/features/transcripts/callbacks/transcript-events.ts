import { timingSafeEqual } from 'node:crypto'
import { storeTranscriptReport } from '../../../data/transcript-reports.ts'
import { jobsDatabaseOf } from '../../../env.ts'
import { AppError } from '../../../errors.ts'
import { type Posted, RECEIVED, type Reply } from '../../../http/posted.ts'
import { bodyOf, utf8In } from '../../../http/receive.ts'
import { secretsIn } from '../../../lib/link-secrets.ts'
import { wake } from '../../../wake.ts'
import { reportedTranscript } from '../provider/transcribe.ts'
import { reportOf, reportToken } from '../rules/reports.ts'

/** The results of a recording of many hours. */
const MAX_POSTED = 25_000_000
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Takes what the provider of transcripts reports about a recording, and stores it before it is answered, so that a failure makes the
 * provider send it again.
 * @throws NOT_FOUND for a wrong token, VALIDATION_ERROR for another form, UNAVAILABLE when it could not be stored
 */
export async function receiveTranscript({ env, request, params }: Posted): Promise<Reply> {
  const { workspace = '', transcript = '', token = '' } = params
  if (!UUID.test(workspace) || !UUID.test(transcript)) throw new AppError('NOT_FOUND', 'No such path')
  const known = secretsIn(env.FILE_SECRET).map((secret) => Buffer.from(reportToken(secret, workspace, transcript)))
  const sent = Buffer.from(token)
  if (!known.some((one) => sent.length === one.length && timingSafeEqual(sent, one))) throw new AppError('NOT_FOUND', 'No such path')
  const reported = reportedTranscript(jsonOf(utf8In(await bodyOf(request, MAX_POSTED))))
  if (!reported) throw new AppError('VALIDATION_ERROR', 'The body is no result of a transcription')
  await storeTranscriptReport(jobsDatabaseOf(env), workspace, transcript, reportOf(reported))
  // Followers of the feed wait for it. A lost wake-up costs a minute.
  await wake(env, 'events.deliver', workspace)
  return RECEIVED
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('INVALID_JSON', 'The body is no JSON')
  }
}
