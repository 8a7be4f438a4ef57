/** What one speaker said without interruption. Times are seconds since the recording began. */
export type TranscriptEntry = { speaker: string; is_host: boolean; started_seconds: number; ended_seconds: number; text: string }
export type Transcript = { entries: TranscriptEntry[]; is_truncated: boolean }

export type SpokenWord = { text: string; started: number; ended: number }
export type SpokenPart = { participant_id: string; name: string | null; is_host: boolean; words: SpokenWord[] }

/** A transcript keeps so many entries, and characters in all. */
const MAX_ENTRIES = 5_000
const MAX_CHARACTERS = 500_000
/** An activity's text, with some room for the last line. */
const MAX_BODY = 65_000
const MAX_NAME = 200

/** Joins what a speaker said in a row, in the order in which it was said. People without a name are numbered. */
export function transcriptOf(parts: SpokenPart[]): Transcript {
  const unnamed = new Map<string, string>()
  const nameOf = ({ participant_id, name }: SpokenPart) => {
    const given = name?.trim().slice(0, MAX_NAME).toWellFormed()
    if (given) return given
    const number = unnamed.get(participant_id) ?? `Speaker ${unnamed.size + 1}`
    unnamed.set(participant_id, number)
    return number
  }
  const entries: TranscriptEntry[] = []
  let previous: string | undefined
  let characters = 0
  for (const part of parts.toSorted((a, b) => startOf(a) - startOf(b))) {
    const text = textOf(part)
    if (text === '') continue
    const last = entries.at(-1)
    if (characters + text.length > MAX_CHARACTERS || (entries.length === MAX_ENTRIES && previous !== part.participant_id))
      return { entries, is_truncated: true }
    characters += text.length
    const ended_seconds = part.words.at(-1)?.ended ?? 0
    if (last && previous === part.participant_id) Object.assign(last, { text: `${last.text} ${text}`, ended_seconds })
    else entries.push({ speaker: nameOf(part), is_host: part.is_host, started_seconds: startOf(part), ended_seconds, text })
    previous = part.participant_id
  }
  return { entries, is_truncated: false }
}

/** What was said, with its times so many seconds later. */
export const laterBy = (parts: SpokenPart[], seconds: number): SpokenPart[] =>
  parts.map((part) => ({
    ...part,
    words: part.words.map(({ text, started, ended }) => ({ text, started: started + seconds, ended: ended + seconds })),
  }))

const startOf = ({ words }: SpokenPart) => words[0]?.started ?? 0
const textOf = ({ words }: SpokenPart) =>
  words
    .map(({ text }) => text.trim())
    .filter((text) => text !== '')
    .join(' ')
    .replaceAll('\0', '')
    .toWellFormed()

/** The transcript as the text of an activity: a line for each entry, such as `Ana Lee (1:05): Hello.` */
export function transcriptText({ entries, is_truncated }: Transcript): string {
  const lines: string[] = []
  let length = 0
  for (const { speaker, started_seconds, text } of entries) {
    const line = `${speaker} (${clock(started_seconds)}): ${text}`
    length += line.length + 1
    if (length > MAX_BODY) return [...lines, '(The notetaker of the booking has the rest.)'].join('\n')
    lines.push(line)
  }
  if (is_truncated) lines.push('(The rest was too long to be kept.)')
  return lines.join('\n')
}

function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, String(whole % 60).padStart(2, '0')]
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${rest}` : `${minutes}:${rest}`
}
