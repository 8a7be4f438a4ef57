import { escapeHtml } from '../../../lib/html.ts'
import { plainPage } from '../../../lib/plain-page.ts'
import { hidden } from '../../pages/rules/html.ts'
import { STYLE } from '../../pages/rules/style.ts'
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

/** What a member confirms before an account is connected: whose account it is, and which member of which workspace uses it. */
export type AccountToConfirm = {
  token: string
  account_email: string
  workspace_name: string
  member_name: string | null
  member_email: string
}
const CONFIRMATIONS: Record<GrantPurpose, { title: string; effect: string }> = {
  calendars: {
    title: 'Connect this calendar?',
    effect: 'The workspace then learns when you are busy, and writes its bookings into the calendar.',
  },
  mailbox: {
    title: 'Connect this mailbox?',
    effect: 'The workspace then reads the emails that you exchange with its contacts, and sends emails as you.',
  },
}
const WARNING =
  'Connect it only if you know this member and this workspace, and have started this yourself. A link may come from a stranger.'

type Outcome = keyof (typeof CALLBACK_TEXTS)['calendars']
type Finished =
  | { outcome: Outcome; purpose: GrantPurpose }
  | { outcome: 'held'; purpose: GrantPurpose; to_confirm: AccountToConfirm }
  | { outcome: 'unknown' }

/** The page to which the provider sends the member back, and its form does. `path`: of this page, without its query. */
export function callbackPage(finished: Finished, path: string): string {
  if (finished.outcome === 'held') return confirmationPage(finished.purpose, finished.to_confirm, path)
  const [title, text] = finished.outcome === 'unknown' ? UNKNOWN : CALLBACK_TEXTS[finished.purpose][finished.outcome]
  return plainPage(title, `<p>${text}</p>`, STYLE)
}

function confirmationPage(
  purpose: GrantPurpose,
  { token, account_email, workspace_name, ...member }: AccountToConfirm,
  path: string,
): string {
  const { title, effect } = CONFIRMATIONS[purpose]
  const name = member.member_name ? `${member.member_name} (${member.member_email})` : member.member_email
  const facts = [
    ['Account', account_email],
    ['Member', name],
    ['Workspace', workspace_name],
  ] as const
  const list = facts.map(([term, value]) => `<dt>${term}</dt><dd>${escapeHtml(value)}</dd>`).join('')
  return plainPage(
    title,
    `<dl>${list}</dl>
<p>${effect}</p>
<p class="note">${WARNING}</p>
<form method="post" action="${escapeHtml(path)}">${hidden({ token })}
<button name="answer" value="connect">Connect</button>
<button class="quiet" name="answer" value="decline">Do not connect</button>
</form>`,
    STYLE,
  )
}
