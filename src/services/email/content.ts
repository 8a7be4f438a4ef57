import { textOf } from '../../domain/templates.ts'
import { AppError, invalid } from '../../errors.ts'
import { sanitiseHtml } from '../../lib/sanitise-html.ts'
import { htmlOf } from '../messages/request-message.ts'

/** The text and the HTML of an email. */
export type Content = { text: string; html: string }

/** What is sent of a request's text and HTML: each is made of the other one, if it is missing. @throws VALIDATION_ERROR for HTML that parsers read in different ways. */
export async function contentOf({ text = '', html }: { text?: string | undefined; html?: string | undefined }): Promise<Content> {
  if (html === undefined || html.trim() === '') return { text, html: htmlOf(text) }
  const safe = await sanitiseHtml(html, { remoteImages: 'keep' })
  if (safe === undefined)
    throw invalid([{ path: 'html', message: 'Mail programs would read this HTML in different ways: close its elements' }])
  const plain = text.trim() === '' ? textOf(safe) : text
  if (safe === '') throw invalid([{ path: 'html', message: 'Nothing is left without what emails cannot have, such as scripts' }])
  return { text: plain, html: safe }
}

/** Refuses personal mode, for which a mailbox must be connected. @throws MAILBOX_USER_REQUIRED, MAILBOX_NOT_CONNECTED */
export function assertMode({ mode, sender_user_id }: { mode: string; sender_user_id?: string | undefined }): void {
  if (mode === 'company') return
  if (sender_user_id === undefined)
    throw new AppError('MAILBOX_USER_REQUIRED', 'Send sender_user_id: the member from whose mailbox the email is sent')
  throw new AppError('MAILBOX_NOT_CONNECTED', 'This member has not connected a mailbox: send in company mode')
}
