import { digestOf } from '../../../lib/signed-paths.ts'
import { loggable } from '../../../lib/text.ts'
import { transcriptText } from '../../notetakers/rules/transcript.ts'
import { minutesOf, transcribed, type Utterance } from './transcripts.ts'

/** What the provider has reported about a recording. */
export type Reported =
  | { outcome: 'done'; duration_seconds: number; language: string | null; utterances: Utterance[] }
  | { outcome: 'failed'; reason: string }

/** The token in the address that a transcript is reported to. */
export const reportToken = (secret: string, workspaceId: string, id: string): string => digestOf(secret, `transcript ${workspaceId} ${id}`)

/** A report as report_transcript takes it. */
export function reportOf(reported: Reported): object {
  if (reported.outcome === 'failed') return { outcome: 'failed', reason: loggable(reported.reason, 300) }
  const { duration_seconds, language, utterances } = reported
  const transcript = transcribed(utterances)
  const text = transcriptText({ ...transcript, entries: transcript.entries.map((entry) => ({ ...entry, is_host: false })) })
  return { outcome: 'done', duration_seconds, minutes: minutesOf(duration_seconds), language, ...transcript, text }
}
