import { CHANNEL_WORDS, type Meaning, saidBy, saysNothingElse } from './consent-words.ts'
import { moment } from './dates.ts'
import { squash } from './names.ts'
import type { Cell } from './types.ts'

/** The fields that record what a person does not want to receive, with the words that name their channel in a column or a cell. */
export const CONSENT_FIELDS = {
  email_unsubscribed: new RegExp(CHANNEL_WORDS.email),
  sms_unsubscribed: new RegExp(CHANNEL_WORDS.sms),
  voice_unsubscribed: new RegExp(CHANNEL_WORDS.voice),
  whatsapp_unsubscribed: new RegExp(CHANNEL_WORDS.whatsapp),
} as const
type ConsentField = keyof typeof CONSENT_FIELDS
const FIELD_NAMES = Object.keys(CONSENT_FIELDS) as ConsentField[]

/** What a person who is not to be written to is called by other systems, squashed. */
const UNSUBSCRIBED =
  /^(?:(?:permanently|globally)?unsubscribed?(?:fromall.*)?|(?:not|non|never)subscribed|opte?d?out|cleaned|(?:hard)?bounced?|complained|complaint|spam(?:complaint|report)?|reported(?:as)?spam|dnd|dnc|suppressed|blocked|blacklisted|transactional|noconsent|pending|unconfirmed|archived|notgiven|denied|refused|revoked|withdrawn|declined)$/
const SUBSCRIBED = /^(?:subscribed?|opte?d?in|confirmed|granted|given|accepted|express|explicit|implied|implicit|angemeldet)$/
/** The words of HubSpot for whom it bills. They say nothing of consent. */
const BILLING = /^(?:non)?marketing(?:contact)?$/
const YES = /^(?:y|yes|true|t|1|x|on|ja|j|wahr|si|s|verdadero|oui|o|vrai|waar|active|enabled|checked|all)$/
const NO = /^(?:n|no|false|f|0|off|nein|falsch|non|faux|falso|nee|onwaar|inactive|disabled|unchecked|none)$/
const TIME = /^\d{4}-\d\d-\d\d|^\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}\b/
/** The longest text that may say consent and nothing else. */
const LONGEST = 100

type Column = { name: string; samples?: string[] }

/** Whether a cell is the time of a decision, also with the name of a month. */
const isTime = (text: string): boolean => TIME.test(text.trim()) || (/[a-z]{3}/i.test(text) && 'value' in moment(text.trim(), 'dmy', 'UTC'))

/** An address or a number: "No. telephone" and "No contact" are also what columns of numbers are called. */
const ADDRESS = /^[^\s@]+@[^\s@]+$|^[+(]?\d[\d\s()./-]{4,}$/

/** Whether a column is about who must not be contacted, by its name. */
export const isNamedConsent = ({ name, samples = [] }: Column): boolean =>
  saidBy(name).yes !== undefined &&
  !(samples.length > 0 && samples.every((sample) => ADDRESS.test(sample.trim()) && !TIME.test(sample.trim())))

/**
 * Whether a column seems to say who must not be contacted: by its name, because its values do, or because they are yes and no, or dates,
 * and its name has a word for contacting people.
 */
export const looksLikeConsent = ({ name, samples = [] }: Column): boolean =>
  isNamedConsent({ name, samples }) || samples.some(saysConsent) || mayBeConsent({ name, samples })

/** Whether the name of a column with answers has a word for contacting people. */
export const mayBeConsent = ({ name, samples = [] }: Column): boolean =>
  samples.length > 0 && saidBy(name).reaches && samples.every((sample) => isAnswer(sample))

const isAnswer = (sample: string) => isTime(sample) || YES.test(squash(sample)) || NO.test(squash(sample))

/** Whether a column's name is about nothing but consent to being contacted, and its values do not show that it is about something else. */
export function isClearConsent({ name, samples = [] }: Column): boolean {
  const meaning = saidBy(name)
  const isReadable = (sample: string) => 'value' in readConsent('email_unsubscribed', name, sample)
  return meaning.yes !== undefined && saysNothingElse(meaning) && (samples.length === 0 || samples.some(isReadable))
}

const isClearRefusal = (meaning: Meaning) => meaning.yes === 'out' && saysNothingElse(meaning)

/** Whether a cell says that a person is subscribed or is not to be contacted, whatever its column is called. */
export const saysConsent = (text: string): boolean =>
  text.length <= LONGEST &&
  !BILLING.test(squash(text)) &&
  text.split(/[,;|]/).some((part) => /^(?:(?:un|not|non)?subscribed|opte?d?(?:in|out))$/.test(squash(part)) || isClearRefusal(saidBy(part)))

/** The fields that a column about consent fills: those of the channels that it names, all of them for "do not contact", otherwise email. */
export function consentFieldsOf(name: string): ConsentField[] {
  const { text, all } = saidBy(name)
  const named = channelsIn(text)
  if (named.length > 0) return named
  return all ? FIELD_NAMES : ['email_unsubscribed']
}

const channelsIn = (text: string) => FIELD_NAMES.filter((field) => CONSENT_FIELDS[field].test(text))

/**
 * Reads whether a person has unsubscribed from the channel of `field`, in the words of any system. A value that says neither is an error,
 * so that nobody is taken to consent.
 */
export function readConsent(field: string, column: string, raw: string): Cell {
  const text = squash(raw)
  if (UNSUBSCRIBED.test(text)) return { value: true }
  if (SUBSCRIBED.test(text) || BILLING.test(text)) return { value: false }
  const { yes = 'out' } = saidBy(column)
  if (yes === 'unclear') {
    if (text === 'active') return { value: false }
    return text === 'inactive' || isClearRefusal(saidBy(raw)) ? { value: true } : UNREADABLE
  }
  if (YES.test(text)) return { value: yes === 'out' }
  if (NO.test(text)) return { value: yes === 'in' }
  if (isClearRefusal(saidBy(raw))) return { value: true }
  if (isTime(raw)) return { value: yes === 'out' }
  const parts = raw.split(/[,;|]/).map((part) => saidBy(part).text)
  if (yes === 'out' && parts.every((part) => channelsIn(part).length > 0))
    return { value: parts.some((part) => CONSENT_FIELDS[field as ConsentField]?.test(part)) }
  return UNREADABLE
}

const UNREADABLE: Cell = { message: 'must say yes or no, or subscribed or unsubscribed: nobody is taken to consent without it' }

/** The columns about consent that no field takes, and that were not declared to be ignored. */
export const undecidedColumns = (columns: Column[], mapping: { column: string }[], ignored: string[]): string[] =>
  columns
    .filter(looksLikeConsent)
    .map(({ name }) => name)
    .filter((name) => !ignored.includes(name) && !mapping.some(({ column }) => column === name))
