import { escapeHtml } from '../../../lib/html.ts'
import type { ReviewChannel } from './review-requests.ts'

/** The tag of the personal link. It is replaced when a message is handed to the provider, so that no record of it has the link. */
const TAG = '{review_url}'

export type ReviewWords = { name: string; first_name: string | null; message: string | null; is_reminder: boolean }
type Content = { subject: string | null; text: string; html: string | null }

/** No value is mistaken for the tag. */
const plain = (text: string) => text.replace(/[{}]/g, '')
const htmlOf = (text: string) => `<p>${escapeHtml(text).replace(/\n/g, '<br>\n')}</p>`

/** The message that asks for a review, or reminds of it. */
export function reviewMessage(channel: ReviewChannel, words: ReviewWords): Content {
  const name = plain(words.name)
  const asks = words.message ? plain(words.message) : 'How was it? Please tell us and others in a few words, whatever your experience was.'
  const reminder = words.is_reminder ? 'a reminder, the only one: ' : ''
  if (channel === 'sms') return { subject: null, text: `${name}: ${reminder}${asks} ${TAG}`, html: null }
  const text = [
    words.first_name ? `Hello ${plain(words.first_name)},` : 'Hello,',
    '',
    ...(words.is_reminder ? ['we have asked you for a review, and remind you of it this once.', ''] : []),
    asks,
    TAG,
    '',
    'The page at this address is for you alone. If you want no emails from us, you can say so there.',
    '',
    name,
  ].join('\n')
  const subject = words.is_reminder ? `${name}: a reminder of your review` : `${name}: how was it?`
  return { subject, text, html: htmlOf(text) }
}

/** The text with the address in the place of its tag. */
export const fillReview = (text: string, url: string): string => text.replaceAll(TAG, url)
