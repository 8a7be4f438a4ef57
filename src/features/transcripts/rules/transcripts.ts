/** `queued` until the address was looked at, `transcribing` until the provider has reported. */
export const AUDIO_TRANSCRIPT_STATUSES = ['queued', 'transcribing', 'done', 'failed'] as const

/** What one speaker said without interruption. Times are seconds since the beginning. */
export type SpeakerEntry = { speaker: string; started_seconds: number; ended_seconds: number; text: string }
export type Utterance = { speaker: number; started: number; ended: number; text: string }
export type Transcribed = { entries: SpeakerEntry[]; is_truncated: boolean }

/** A transcript keeps so many entries, and characters in all. */
const MAX_ENTRIES = 5_000
const MAX_CHARACTERS = 500_000

/** Joins what a speaker said in a row, in the order in which it was said. Speakers are numbered in the order in which they first speak. */
export function transcribed(utterances: Utterance[]): Transcribed {
  const names = new Map<number, string>()
  const entries: SpeakerEntry[] = []
  let characters = 0
  for (const { speaker, started, ended, text: spoken } of utterances.toSorted((a, b) => a.started - b.started)) {
    const text = spoken.replaceAll('\0', '').trim().toWellFormed()
    if (text === '') continue
    const name = names.get(speaker) ?? `Speaker ${names.size + 1}`
    names.set(speaker, name)
    const last = entries.at(-1)
    characters += text.length
    if (characters > MAX_CHARACTERS || (entries.length === MAX_ENTRIES && last?.speaker !== name)) return { entries, is_truncated: true }
    if (last?.speaker === name) Object.assign(last, { text: `${last.text} ${text}`, ended_seconds: Math.max(last.ended_seconds, ended) })
    else entries.push({ speaker: name, started_seconds: started, ended_seconds: ended, text })
  }
  return { entries, is_truncated: false }
}

/** A minute that has begun counts. */
export const minutesOf = (seconds: number): number => Math.max(1, Math.ceil(seconds / 60))

/**
 * How often a recording is handed to the provider, and after how many seconds again; a report that never comes is waited for by
 * `REPORT_SECONDS`.
 */
export const MAX_HAND_OVERS = 3
export const RETRY_SECONDS = [60, 600]
export const REPORT_SECONDS = 3_600
