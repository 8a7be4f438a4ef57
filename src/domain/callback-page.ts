import { plainPage } from '../lib/plain-page.ts'
import type { GrantPurpose } from './accounts.ts'

/** How a connection has ended, as the page says it to the member. */
export const CALLBACK_TEXTS = {
  calendars: {
    connected: ['Your calendar is connected', 'You can close this window.'],
    declined: ['Your calendar is not connected', 'You have not given access to it. You can start again where you began.'],
    refused: [
      'Your calendar is not connected',
      'The access that was given is not enough. Start again, and allow everything that is listed.',
    ],
    full: ['Your calendar is not connected', 'You have too many connected calendars. Remove one, and start again.'],
    failed: ['Your calendar is not connected', 'The calendar service does not answer at present. Start again in a few minutes.'],
  },
  mailbox: {
    connected: ['Your mailbox is connected', 'You can close this window.'],
    declined: ['Your mailbox is not connected', 'You have not given access to it. You can start again where you began.'],
    refused: [
      'Your mailbox is not connected',
      'The access that was given is not enough. Start again, and allow everything that is listed.',
    ],
    full: ['Your mailbox is not connected', 'You have connected another mailbox. Disconnect it, and start again.'],
    failed: ['Your mailbox is not connected', 'The mail service does not answer at present. Start again in a few minutes.'],
  },
} as const
const UNKNOWN = ['This link does not work', 'It has been used already, or its ten minutes are over. Start again where you began.'] as const

type Outcome = keyof (typeof CALLBACK_TEXTS)['calendars']

const STYLE =
  ':root{color-scheme:light dark}body{font:1.125rem/1.6 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1.25rem;color:#1a1a1a;background:#fff}@media(prefers-color-scheme:dark){body{color:#f0f0f0;background:#15181c}}'

/** The page to which the provider sends the member back. */
export function callbackPage(finished: { outcome: Outcome; purpose: GrantPurpose } | { outcome: 'unknown' }): string {
  const [title, text] = finished.outcome === 'unknown' ? UNKNOWN : CALLBACK_TEXTS[finished.purpose][finished.outcome]
  return plainPage(title, `<p>${text}</p>`, STYLE)
}
