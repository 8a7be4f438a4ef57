import { escapeHtml } from '../../../lib/html.ts'
import { LOCK_MINUTES, MOST_WRONG_PINS, PORTAL_DAYS } from './limits.ts'

/** The tags of the address and the PIN. They are replaced when a message is handed to the provider, so that no record of it has them. */
export const PORTAL_TAGS = { url: '{portal_url}', pin: '{portal_pin}' } as const

export type PortalWords = { workspace: string; person: string | null; about: string | null }
type Content = { subject: string; text: string; html: string }

/** No value is mistaken for a tag. */
const plain = (text: string) => text.replace(/[{}]/g, '')

const htmlOf = (text: string): string => escapeHtml(text).replace(/\n/g, '<br>\n')

function content(subject: string, lines: string[]): Content {
  const text = lines.join('\n')
  return { subject, text, html: `<p>${htmlOf(text)}</p>` }
}

const greeting = ({ person }: PortalWords) => (person ? `Hello ${plain(person)},` : 'Hello,')

/** The email with the address of the page. */
export function linkEmail(words: PortalWords): Content {
  const what = words.about ? `the work for ${plain(words.about)}` : 'your work'
  return content(`${plain(words.workspace)}: how ${what} is going`, [
    greeting(words),
    '',
    `here you can see at any time how ${what} is going:`,
    PORTAL_TAGS.url,
    '',
    `The page asks for a PIN, which you receive separately. The link works for ${PORTAL_DAYS} days.`,
    '',
    plain(words.workspace),
  ])
}

/** The email with the PIN, for people who cannot be reached by SMS. */
export const pinEmail = (words: PortalWords): Content =>
  content(`${plain(words.workspace)}: your PIN`, [
    greeting(words),
    '',
    `your PIN is ${PORTAL_TAGS.pin}.`,
    `Do not pass it on. After ${MOST_WRONG_PINS} wrong PINs the page is locked for ${LOCK_MINUTES} minutes.`,
    '',
    plain(words.workspace),
  ])

export const pinSms = ({ workspace }: PortalWords): string =>
  `${plain(workspace)}: your PIN for the page about your work is ${PORTAL_TAGS.pin}`

/** The text with the address or the PIN in the place of its tag. */
export const fillPortal = (text: string, { url, pin }: { url: string; pin: string }): string =>
  text.replaceAll(PORTAL_TAGS.url, url).replaceAll(PORTAL_TAGS.pin, pin)
