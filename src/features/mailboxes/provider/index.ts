import { lazily } from '../../../lib/lazily.ts'
import { type GoogleSettings, googleClientOf, googleGrants, MAILBOX_SCOPES } from '../../accounts/provider/google-oauth.ts'
import type { GrantProvider } from '../../accounts/provider/port.ts'
import type { MailboxProvider } from './port.ts'

/** A kind of mailbox that can be connected. `reports`: the provider reports changes. */
export type MailboxKind = { mailbox: MailboxProvider; grants: GrantProvider; reports: boolean }

/** The kinds that this deployment has a client for, by the name of the provider. */
export type MailboxKinds = { gmail?: MailboxKind | undefined }

/** The variables of the Worker that lead to the providers (src/env.ts). */
type Settings = GoogleSettings & Partial<Record<'GMAIL_API_URL' | 'GMAIL_TOPIC' | 'GMAIL_PUSH_TOKEN' | 'GOOGLE_API_URL', string>>

/** The mailboxes that members can connect in this deployment. */
export function mailboxKindsOf(settings: Settings): MailboxKinds {
  const { GMAIL_API_URL: url, GOOGLE_API_URL: accountUrl, GMAIL_TOPIC: topic, GMAIL_PUSH_TOKEN: token } = settings
  const client = googleClientOf(settings)
  if (!url || !accountUrl || !client) return {}
  const mailbox = lazily(async () => (await import('./gmail.ts')).gmail({ url, accountUrl, topic: topic || undefined }))
  return { gmail: { mailbox, grants: googleGrants({ ...client, needed: MAILBOX_SCOPES }), reports: !!topic && !!token } }
}
