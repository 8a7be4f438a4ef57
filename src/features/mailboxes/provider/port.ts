import type { Account } from '../../accounts/provider/port.ts'
import type { Delivery } from '../../email/provider/port.ts'
import type { MailboxEmail, MailHead } from '../rules/mailbox-email.ts'

/** An address that the account may send as. */
export type OutsideAlias = { email: string; name: string | null; is_primary: boolean }
/** `cursor`: from where the next changes are returned; `has_more`: there are some already. */
export type Changes = { ids: string[]; cursor: string; has_more: boolean }
export type Listed = { ids: string[]; next_page: string | null }
/** An email to be sent, in the form of RFC 5322. `thread_id` null: it begins a conversation. */
export type RawEmail = { raw: string; thread_id: string | null }

/** A provider of mailboxes, called with an access token. Every call but `send` throws an AccountFailure if it has not done its work. */
export type MailboxProvider = {
  account(token: string): Promise<Account>
  aliases(token: string): Promise<OutsideAlias[]>
  /** @throws AccountFailure when it is certain that nothing was sent, and the account or the number of calls is why. */
  send(token: string, email: RawEmail): Promise<Delivery>
  /** Finds an email by its Message-ID. */
  find(token: string, internetId: string): Promise<{ id: string; thread_id: string } | undefined>
  /** The cursor of now. */
  cursor(token: string): Promise<string>
  /** The emails that were added since, or taken out of the spam or the bin; `expired`: the cursor is too old. */
  changes(token: string, cursor: string): Promise<Changes | 'expired'>
  /** The emails that were received or sent since a time, the latest first. */
  list(token: string, since: Date, page: string | null): Promise<Listed>
  /** The headers of an email; undefined for one that was deleted. */
  head(token: string, id: string): Promise<MailHead | undefined>
  email(token: string, id: string): Promise<MailboxEmail | undefined>
  /** The content of an attachment, in base64url. */
  attachment(token: string, id: string, attachmentId: string): Promise<string>
  /** Has changes reported. */
  watch(token: string): Promise<{ expires_at: string }>
  /** Ends that. */
  unwatch(token: string): Promise<void>
}
