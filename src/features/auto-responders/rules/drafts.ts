import { MAX_REPLY, type Mode, type ResponderChannel } from './auto-responders.ts'

/** What the model may cite: an entry of the knowledge base, or a field of a record. Whoever writes may have chosen the latter. */
export type Source = { source: string; text: string; is_entry: boolean }
export type Claim = { text: string; source: string }
export type Draft = { reply: string; claims: Claim[] }

type Circumstances = {
  mode: Mode
  channel: ResponderChannel
  /** What the model was given. */
  sources: Source[]
  /** Whether it has called a tool: then it may have read records of others. */
  hasCalled: boolean
  /** Whether the quiet hours of the workspace are now. */
  isQuiet: boolean
}

/** Why a reply waits for approval; an empty list if it may go out by itself. */
export function approvalReasons({ reply, claims }: Draft, { mode, channel, sources, hasCalled, isQuiet }: Circumstances): string[] {
  const citedIds = new Set(claims.map(({ source }) => source))
  const unknown = claims.find((claim) => !sources.some(({ source }) => source === claim.source))
  const cited = sources.flatMap(({ source, text, is_entry }) => (is_entry && citedIds.has(source) ? [visible(text)] : [])).join(' ')
  const [words, known] = [visible(reply), new Set(tokensOf(cited))]
  const rest = claims
    .map(({ text }) => visible(text))
    .toSorted((a, b) => b.length - a.length)
    .reduce((left, text) => (text.trim() === '' ? left : left.replaceAll(text.trim(), ' ')), words)
  const foreign = tokensOf(words).find((token) => isAddress(token) && !known.has(token))
  const number = numbersOf(words).find((one) => !numbersOf(cited).includes(one))
  const reasons = [
    mode === 'draft' && 'The auto responder has the mode draft',
    isQuiet && 'The quiet hours of the workspace have begun',
    hasCalled && 'The model has called a tool, and may have read records of others',
    claims.length === 0 && 'The reply cites no source',
    unknown && `It cites “${shortened(unknown.source)}”, which the model was not given`,
    claims.length > 0 && /[\p{L}\p{N}]/u.test(rest) && `It says without a source: “${shortened(rest)}”`,
    foreign !== undefined && `It contains “${shortened(foreign)}”, which no cited entry has`,
    number !== undefined && `It contains the number ${shortened(number)}, which no cited entry has`,
    words.length > MAX_REPLY[channel] && `It is longer than ${MAX_REPLY[channel]} characters`,
  ]
  return reasons.filter((reason) => typeof reason === 'string')
}

/** A text without characters that cannot be seen. */
const visible = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
const shortened = (text: string) => text.trim().slice(0, 80).toWellFormed()

/** Words without the punctuation around them. */
const tokensOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s<>()[\]"'“”,;]+/)
    .map((word) => trimmed(word))
    .filter((word) => word !== '')

const PUNCTUATION = new Set('.:!?*_')
function trimmed(word: string): string {
  let [from, to] = [0, word.length]
  while (from < to && PUNCTUATION.has(word[from] as string)) from++
  while (to > from && PUNCTUATION.has(word[to - 1] as string)) to--
  return word.slice(from, to)
}

/** Whether a word is an email address, a link, or the name of a host. */
const isAddress = (word: string) => word.includes('@') || word.includes('://') || /[\p{L}\p{N}-]\.\p{L}{2,}/u.test(word)

/** Groups of digits, without what separates them, so that “1 300” and “1,300” are one number. */
const numbersOf = (text: string): string[] =>
  (text.match(/\p{N}(?:[\p{N}.,:/ -]*\p{N})?/gu) ?? []).map((number) => number.replace(/[^\p{N}]/gu, ''))
