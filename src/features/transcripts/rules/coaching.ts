import type { SpeakerEntry } from './transcripts.ts'

export type Quote = { speaker: string; at_seconds: number; quote: string }
export type SpeakerFigures = {
  speaker: string
  talk_seconds: number
  talk_ratio: number
  words: number
  words_per_minute: number
  questions: number
  interruptions: number
  longest_monologue_seconds: number
}
export type Coaching = {
  speakers: SpeakerFigures[]
  longest_monologue: (Quote & { seconds: number }) | null
  questions: Quote[]
  interruptions: (Quote & { interrupted: string })[]
  silence_seconds: number
}

/** The most quotes of each kind, and their length. */
const MAX_QUOTES = 50
const MAX_QUOTE = 300
/** Somebody who begins this much before the other has ended interrupts; less is overlap by chance. In seconds. */
const OVERLAP = 0.3

/** What can be measured in a conversation. Its quotes are parts of the text. */
export function coachingOf(entries: SpeakerEntry[]): Coaching {
  const total = entries.reduce((sum, entry) => sum + lengthOf(entry), 0)
  const interruptions = interruptionsIn(entries)
  const questions = entries.flatMap(questionsIn)
  const speakers = [...new Set(entries.map(({ speaker }) => speaker))].map((speaker): SpeakerFigures => {
    const own = entries.filter((entry) => entry.speaker === speaker)
    const seconds = own.reduce((sum, entry) => sum + lengthOf(entry), 0)
    const words = own.reduce((sum, { text }) => sum + wordsIn(text), 0)
    return {
      speaker,
      talk_seconds: rounded(seconds),
      talk_ratio: rounded(total > 0 ? seconds / total : 0),
      words,
      words_per_minute: seconds > 0 ? Math.round((words * 60) / seconds) : 0,
      questions: questions.filter((one) => one.speaker === speaker).length,
      interruptions: interruptions.filter((one) => one.speaker === speaker).length,
      longest_monologue_seconds: rounded(Math.max(...own.map(lengthOf))),
    }
  })
  return {
    speakers,
    longest_monologue: longestIn(entries),
    questions: questions.slice(0, MAX_QUOTES),
    interruptions: interruptions.slice(0, MAX_QUOTES),
    silence_seconds: rounded(silenceIn(entries)),
  }
}

const rounded = (value: number) => Math.round(value * 100) / 100
const lengthOf = ({ started_seconds, ended_seconds }: SpeakerEntry) => Math.max(0, ended_seconds - started_seconds)
const wordsIn = (text: string) => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
const cut = (text: string) => text.slice(0, MAX_QUOTE).toWellFormed()
const quoteOf = ({ speaker, started_seconds, text }: SpeakerEntry): Quote => ({ speaker, at_seconds: started_seconds, quote: cut(text) })

/** Sentences that end with a question mark. Their time is that of the entry. */
const questionsIn = (entry: SpeakerEntry): Quote[] =>
  [...entry.text.matchAll(/[^.!?…]+[.!?…]?/g)]
    .filter(([sentence]) => sentence.endsWith('?') && sentence.trim() !== '?')
    .map(([sentence]) => ({ ...quoteOf(entry), quote: cut(sentence.trim()) }))

function interruptionsIn(entries: SpeakerEntry[]) {
  return entries.flatMap((entry, at) => {
    const previous = entries[at - 1]
    if (!previous || previous.speaker === entry.speaker || previous.ended_seconds - entry.started_seconds < OVERLAP) return []
    return [{ ...quoteOf(entry), interrupted: previous.speaker }]
  })
}

function longestIn(entries: SpeakerEntry[]) {
  const longest = entries.reduce<SpeakerEntry | undefined>(
    (best, entry) => (best && lengthOf(best) >= lengthOf(entry) ? best : entry),
    undefined,
  )
  return longest ? { ...quoteOf(longest), seconds: rounded(lengthOf(longest)) } : null
}

/** The seconds between the first and the last word in which nobody speaks. */
function silenceIn(entries: SpeakerEntry[]): number {
  let [silence, until] = [0, entries[0]?.started_seconds ?? 0]
  for (const { started_seconds, ended_seconds } of entries) {
    silence += Math.max(0, started_seconds - until)
    until = Math.max(until, ended_seconds)
  }
  return silence
}
