import { fixed, id, type Load, OWNERS } from './values.ts'

/** The mailboxes of a workspace: each member has one. */
export const MAILBOXES: Load = {
  table: 'mailboxes',
  count: () => OWNERS,
  columns: fixed({
    user_id: id('user', 'n'),
    provider: `'gmail'`,
    account_id: `'account' || n`,
    account_email: `'member' || n || '@example.com'`,
  }),
}
