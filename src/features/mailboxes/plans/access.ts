import type { Ctx } from '../../../context.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { secretsOf } from '../../../providers/secrets/sealed.ts'
import { type GrantAccess, withAccessToken } from '../../accounts/plans/grants.ts'
import { AccountFailure } from '../../accounts/provider/port.ts'
import { type MailboxKind, type MailboxKinds, mailboxKindsOf } from '../provider/index.ts'

/** What calls of mailboxes need. */
export type MailboxAccess = GrantAccess & { mailboxes: MailboxKinds }
export type MailboxRef = { workspace_id: string; mailbox_id: string; provider: string }

export const mailboxAccessOf = (env: Env): MailboxAccess => ({
  database: jobsDatabaseOf(env),
  secrets: secretsOf(env),
  mailboxes: mailboxKindsOf(env),
})
export const mailboxAccessIn = ({ background, secrets, mailboxes }: Ctx['deployment']): MailboxAccess => ({
  database: background,
  secrets,
  mailboxes,
})

/** The kind of a mailbox. @throws AccountFailure if this deployment has no client there. */
export function mailboxKind({ mailboxes }: MailboxAccess, provider: string): MailboxKind {
  const kind = provider === 'gmail' ? mailboxes.gmail : undefined
  if (!kind) throw new AccountFailure('unavailable', `This service has no account at ${provider}`)
  return kind
}

/** Calls the provider of a mailbox with its access token. @throws as withAccessToken */
export async function withMailbox<Out>(
  access: MailboxAccess,
  { workspace_id, mailbox_id, provider }: MailboxRef,
  call: (kind: MailboxKind, token: string) => Promise<Out>,
): Promise<Out> {
  const kind = mailboxKind(access, provider)
  return await withAccessToken(access, { workspace_id, account_id: mailbox_id, grants: kind.grants }, (token) => call(kind, token))
}
