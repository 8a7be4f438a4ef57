import { type SQL, sql } from 'drizzle-orm'
import { plainRows } from '../../../data/query.ts'
import { AppError, invalid } from '../../../errors.ts'
import type { Sender } from './dispatch.ts'
import { type MailboxFacts, mailboxFacts } from './personal.ts'

/** Why an address is not written to. */
type Blocked = { email: string; reason: 'unsubscribed' | 'suppressed' }
/** What the workspace decides about an email: `sender` is null without an email config. */
export type WorkspaceFacts = {
  workspace_id: string
  user_id: string | null
  has_inbox: boolean
  sender: Sender | null
  /** The mailbox of the member who is named as the sender. */
  mailbox: MailboxFacts | null
  blocked: Blocked[]
}

/** Whom a request names as the sender. */
type Named = { config_id?: string | undefined; sender_user_id?: string | undefined }

/** A JSON object with the facts about the sender and the recipients. `addresses`: an SQL text[]. */
export const workspaceFacts = ({ config_id: configId, sender_user_id }: Named, addresses: SQL): SQL => sql`jsonb_build_object(
  'workspace_id', current_workspace(), 'user_id', current_user_id(), 'has_inbox', exists (select from email_inboxes),
  'sender', (select jsonb_build_object('from_email', g.from_email, 'from_name', g.from_name, 'staff_email', g.staff_email,
      'alias', g.mailbox_sender_alias) from email_configs g
    where ${configId === undefined ? sql`true` : sql`g.id = ${configId}`} order by g.created_at, g.id limit 1),
  'mailbox', ${mailboxFacts(sender_user_id)},
  'blocked', (select coalesce(jsonb_agg(jsonb_build_object('email', a.email, 'reason', a.reason)), '[]') from (
    select s.address as email, 'suppressed' as reason from suppressions s where s.channel = 'email' and s.address = any(${addresses})
    union select c.email, 'unsubscribed' from contacts c where c.email = any(${addresses}) and c.email_unsubscribed) a))`

/** Planned with until the facts are read, in a round trip that a repeated request does not take. */
export const NOWHERE: WorkspaceFacts = { workspace_id: '', user_id: null, has_inbox: false, sender: null, mailbox: null, blocked: [] }

export const factsQuery = <Facts>(facts: SQL) => plainRows<{ facts: Facts }>(sql`select ${facts}`, ['facts'])

export function assertSender(configId: string | undefined, { sender }: WorkspaceFacts): void {
  if (configId !== undefined && !sender) throw invalid([{ path: 'config_id', message: 'config_id does not exist in this workspace' }])
}

/** @throws RECIPIENT_UNREACHABLE when one of the recipients has unsubscribed or is suppressed. */
export function assertReachable({ blocked: [first] }: Pick<WorkspaceFacts, 'blocked'>): void {
  if (!first) return
  throw new AppError('RECIPIENT_UNREACHABLE', `${first.email} cannot be written to: ${first.reason}`, {
    reason: first.reason,
    next_allowed_at: null,
  })
}

export const unreachable = (reason: 'archived' | 'no_address'): AppError =>
  new AppError('RECIPIENT_UNREACHABLE', `The contact cannot be reached: ${reason.replace('_', ' ')}`, { reason, next_allowed_at: null })

/** Addresses as an SQL text[]. */
export const textArray = (values: readonly string[]): SQL => sql`array(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`
