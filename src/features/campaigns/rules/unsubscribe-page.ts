import { escapeHtml } from '../../../lib/html.ts'
import { plainPage } from '../../../lib/plain-page.ts'
import { isOneClick } from '../../pages/rules/form-fields.ts'

/** Whether an address gets email, as its owner sees it; undefined for a link of a recipient who was deleted. */
export type Subscription = { email: string; subscribed: boolean } | undefined

const STYLE =
  'body{font:1.125rem/1.6 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 ' +
  '1.25rem;color:#1a1a1a;background:#fff}button{font:inherit;padding:.6rem ' +
  '1.2rem;border:0;border-radius:.4rem;background:#0b5394;color:#fff;cursor:pointer}button:focus-visible{outline:3px solid ' +
  '#f5a623;outline-offset:2px}'

/**
 * The page at which a recipient unsubscribes, or gets email again. It works without a script: its form sends the choice to its own address.
 * `changed` says that the choice was made just now.
 */
export function unsubscribePage(subscription: Subscription, changed: boolean): string {
  const [title, body] = contentOf(subscription, changed)
  return plainPage(title, body, STYLE)
}

function contentOf(subscription: Subscription, changed: boolean): [title: string, body: string] {
  if (!subscription) return ['This link is no longer in use', '<p>The address that it was sent to is no longer stored.</p>']
  const address = `<strong>${escapeHtml(masked(subscription.email))}</strong>`
  if (subscription.subscribed)
    return changed
      ? ['You get our emails again', `<p role="status">Emails are sent to ${address} again.</p>${form('unsubscribe', 'Unsubscribe')}`]
      : ['Unsubscribe', `<p>Do you want to stop all our marketing emails to ${address}?</p>${form('unsubscribe', 'Unsubscribe')}`]
  const status = `<p role="status">No more marketing emails are sent to ${address}.</p>`
  return ['You are unsubscribed', `${status}<p>Was that a mistake?</p>${form('subscribe', 'Get emails again')}`]
}

const form = (choice: string, label: string) =>
  `<form method="post"><input type="hidden" name="choice" value="${choice}"><button type="submit">${label}</button></form>`

/** An address of which a stranger who has the link learns little: `a…@example.com`. */
const masked = (email: string): string => email.replace(/^(.)[^@]*/u, '$1…')

/** What a form at this address sends: the reason of an unsubscribe, or null to get email again. Undefined for anything else. */
export function choiceOf(fields: Record<string, string>): 'unsubscribe_header' | 'link_click' | null | undefined {
  if (isOneClick(fields)) return 'unsubscribe_header'
  return { unsubscribe: 'link_click' as const, subscribe: null }[fields.choice ?? '']
}
