import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { loggable } from '../../../lib/text.ts'
import type { Ender } from '../../accounts/plans/end-accounts.ts'
import type { Connector } from '../../accounts/plans/finish-grant.ts'
import { sealTokens } from '../../accounts/plans/grants.ts'
import type { OutsideAlias } from '../provider/port.ts'
import { type Alias, MOST_ALIASES } from '../rules/mailboxes.ts'
import { type MailboxAccess, mailboxKind } from './access.ts'

/** What store_mailbox takes. */
type StoredMailbox = {
  provider: string
  account_id: string
  account_email: string
  aliases: Alias[]
  sealed_access_token: string
  sealed_refresh_token: string | null
  access_expires_at: string | null
}

const MOST_NAME = 200

/** The aliases as they are stored: the address of the account first. */
export const storableAliases = (aliases: OutsideAlias[]): Alias[] =>
  aliases
    .toSorted((a, b) => Number(b.is_primary) - Number(a.is_primary))
    .slice(0, MOST_ALIASES)
    .map((alias) => ({ ...alias, name: alias.name === null ? null : loggable(alias.name, MOST_NAME) }))

/** Connects mailboxes. */
export const mailboxConnector = (access: MailboxAccess): Connector => ({
  grants: (provider) => mailboxKind(access, provider).grants,
  account: (provider, token) => mailboxKind(access, provider).mailbox.account(token),
  async store({ workspace_id, user_id, provider }, { tokens, account }) {
    const aliases = await mailboxKind(access, provider).mailbox.aliases(tokens.access_token)
    const stored: StoredMailbox = {
      provider,
      account_id: account.id,
      account_email: account.email,
      aliases: storableAliases(aliases),
      ...(await sealTokens(access.secrets, workspace_id, tokens)),
      access_expires_at: tokens.expires_at,
    }
    await batch(access.database, [call('store_mailbox', workspace_id, user_id, JSON.stringify(stored))])
  },
})

/** Has the provider report no more changes of mailboxes that are no longer connected. */
export const mailboxEnder = ({ mailboxes }: MailboxAccess): Ender => ({
  grants: (provider) => (provider === 'gmail' ? (mailboxes.gmail?.grants ?? null) : null),
  stops: ({ is_watched }) => (is_watched ? [async (token) => mailboxes.gmail?.mailbox.unwatch(token)] : []),
})
