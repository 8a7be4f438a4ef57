import { squash } from './names.ts'
import type { Cell } from './types.ts'

/** The fields that record what a person does not want to receive, with the words that name their channel in a column or a cell. */
export const CONSENT_FIELDS = {
  email_unsubscribed: /e?mail|newsletter/,
  sms_unsubscribed: /sms|text(?!ile)/,
  voice_unsubscribed: /call|phone|voice/,
  whatsapp_unsubscribed: /whatsapp/,
} as const
type ConsentField = keyof typeof CONSENT_FIELDS

const OUT =
  /unsub|opte?d?out|donot(?!e)|dont(?:call|contact|email|mail|sms|text)|nocalls?$|noe?mails?$|suppress|blacklist|blocklist|abgemeldet/
const OUT_WORD = /^(?:dnd|dnc)$/
const IN =
  /opte?d?in|(?<!un)subscribed|subscriptionstatus|consent|accepts?(?:email|marketing|sms)|(?:allow|permit)(?:s|ed)?(?:email|marketing|sms)|permission|newsletter|gdpr/
const STATUS = /marketing(?:contact)?status|(?:subscription|subscriber|optin|consent|permission|unsubscribe)status/
/** Words of consent about which no record of this CRM says anything. */
const ELSEWHERE = /fax|(?:^|\W)post(?:al)?(?:$|\W)|cookie/i

/** What a person who is not to be written to is called by other systems, squashed. */
const UNSUBSCRIBED =
  /^(?:(?:permanently|globally)?unsubscribed?(?:fromall.*)?|(?:not|non|never)subscribed|opte?d?out|cleaned|(?:hard)?bounced?|complained|complaint|spam(?:complaint|report)?|reported(?:as)?spam|donot(?:contact|call|email|text|disturb)|dnd|dnc|suppressed|blocked|blacklisted|nonmarketing(?:contact)?|transactional|noconsent|pending|unconfirmed|archived|notgiven|denied|refused|revoked|withdrawn|declined|abgemeldet)$/
const SUBSCRIBED =
  /^(?:subscribed?|opte?d?in|confirmed|granted|given|accepted|marketing(?:contact)?|express|explicit|implied|implicit|angemeldet)$/
const YES = /^(?:y|yes|true|t|1|x|on|ja|si|oui|active|enabled|checked|all)$/
const NO = /^(?:n|no|false|f|0|off|nein|non|inactive|disabled|unchecked|none)$/
const TIME = /^\d{4}-\d\d-\d\d|^\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}\b/

const words = (name: string) =>
  name
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)

type Column = { name: string; samples?: string[] }

/** Whether a column seems to say who must not be contacted: by its name, or because its values do. */
export function looksLikeConsent({ name, samples = [] }: Column): boolean {
  const text = squash(name)
  if (ELSEWHERE.test(name)) return false
  return (
    OUT.test(text) ||
    IN.test(text) ||
    STATUS.test(text) ||
    words(name).some((word) => OUT_WORD.test(word)) ||
    samples.some(saysUnsubscribed)
  )
}

const CLEAR_WORDS = new Set(
  'has is email emails mail e sms text call calls phone voice whatsapp whats app marketing global globally all any from of for to in out opt opted optin optout opts un unsub unsubscribe unsubscribed subscribed subscription status do not contact disturb dnd dnc consent permission newsletter messages campaigns accepts accept allow allowed'.split(
    ' ',
  ),
)

/** Whether a column's name is about nothing but consent to being contacted. */
export const isClearConsent = (name: string): boolean =>
  looksLikeConsent({ name }) && words(name).every((word) => word === '' || CLEAR_WORDS.has(word))

const saysUnsubscribed = (sample: string) => /^(?:unsubscribed|(?:not|non)subscribed|opte?dout|donotcontact)$/.test(squash(sample))

/** The fields that a column about consent fills: those of the channels that it names, all of them for "do not contact", otherwise email. */
export function consentFieldsOf(name: string): ConsentField[] {
  const text = squash(name)
  if (/donotcontact|dontcontact|donotdisturb/.test(text) || words(name).some((word) => OUT_WORD.test(word))) {
    const named = channelsIn(text)
    return named.length > 0 ? named : (Object.keys(CONSENT_FIELDS) as ConsentField[])
  }
  const named = channelsIn(text)
  return named.length > 0 ? named : ['email_unsubscribed']
}

const channelsIn = (text: string) => (Object.keys(CONSENT_FIELDS) as ConsentField[]).filter((field) => CONSENT_FIELDS[field].test(text))

/** What a "yes" in a column means: that the person is out, or in; undefined for a status, whose values must say it themselves. */
function meaningOfYes(column: string): 'out' | 'in' | undefined {
  const text = squash(column)
  if (OUT.test(text) || words(column).some((word) => OUT_WORD.test(word))) return 'out'
  if (STATUS.test(text)) return undefined
  return IN.test(text) ? 'in' : 'out'
}

/**
 * Reads whether a person has unsubscribed from the channel of `field`, in the words of any system. A value that says neither is an error,
 * so that nobody is taken to consent.
 */
export function readConsent(field: string, column: string, raw: string): Cell {
  const text = squash(raw)
  if (UNSUBSCRIBED.test(text)) return { value: true }
  if (SUBSCRIBED.test(text)) return { value: false }
  const yes = meaningOfYes(column)
  if (yes === undefined) {
    if (text === 'active') return { value: false }
    return text === 'inactive' ? { value: true } : UNREADABLE
  }
  if (YES.test(text)) return { value: yes === 'out' }
  if (NO.test(text)) return { value: yes === 'in' }
  if (TIME.test(raw.trim())) return { value: yes === 'out' }
  const parts = raw.split(/[,;|]/).map(squash)
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
