import type { Kind } from '../../../../queues/work/kind.ts'
import { calendarAccessOf } from '../../calendars/plans/access.ts'
import { calendarEnder } from '../../calendars/plans/connector.ts'
import { mailboxAccessOf } from '../../mailboxes/plans/access.ts'
import { mailboxEnder } from '../../mailboxes/plans/connector.ts'
import { type EndedAccount, endAccount } from '../plans/end-accounts.ts'

const ENDING = {
  queue: 'WEBHOOKS',
  where: "t.status = 'disconnected'",
  writes: [] as string[],
  settle: 'conclude_ended_account',
  lease: 120,
  atOnce: 1,
  claims: 20,
} as const

/** Ends the connections of calendars that were disconnected: their channels, and their grants at the provider. */
export const calendarsEnd: Kind<EndedAccount> = {
  ...ENDING,
  name: 'calendars.end',
  table: 'calendar_connections',
  read: 'read_ended_connections',
  call({ env, workspaceId, item, attempts }) {
    const access = calendarAccessOf(env)
    return endAccount(access, calendarEnder(access), workspaceId, item, attempts)
  },
}

/** The same for mailboxes. */
export const mailboxesEnd: Kind<EndedAccount> = {
  ...ENDING,
  name: 'mailboxes.end',
  table: 'mailboxes',
  read: 'read_ended_mailboxes',
  call({ env, workspaceId, item, attempts }) {
    const access = mailboxAccessOf(env)
    return endAccount(access, mailboxEnder(access), workspaceId, item, attempts)
  },
}
