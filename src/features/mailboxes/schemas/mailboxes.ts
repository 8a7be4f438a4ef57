import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Email, Enum, Id, InstantOut } from '../../../schemas/fields.ts'
import { CONNECTION_ERRORS, CONNECTION_STATUSES } from '../../accounts/rules/accounts.ts'
import { MAILBOX_PROVIDERS } from '../rules/mailboxes.ts'

const address = v.pipe(v.string(), v.examples(['ana@example.com']))
const at = (description: string) => v.pipe(v.nullable(InstantOut), v.description(description))

export const Mailbox = named(
  'Mailbox',
  v.object({
    id: Id,
    user_id: v.pipe(Id, v.description('The member whose mailbox it is.')),
    provider: v.pipe(v.picklist(MAILBOX_PROVIDERS), v.description('Where the mailbox is.')),
    account_id: v.pipe(v.string(), v.description('The id of the account at the provider.'), v.examples(['104271992187612345678'])),
    account_email: v.pipe(address, v.description('The address of the account.')),
    status: v.pipe(
      v.picklist(CONNECTION_STATUSES),
      v.description('`error`: nothing is sent or received until the account is connected again. `disconnected`: it is being deleted.'),
    ),
    error: v.pipe(
      v.nullable(v.picklist(CONNECTION_ERRORS)),
      v.description(
        '`invalid_grant`: the member or the provider has ended the access. `scopes`: the access does not include what is needed.',
      ),
    ),
    aliases: v.pipe(
      v.array(v.object({ email: address, name: v.nullable(v.string()), is_primary: v.boolean() })),
      v.description('The addresses that it may send as.'),
    ),
    sender_email: v.pipe(v.nullable(address), v.description('The address that it sends as; null: that of the account.')),
    synced_at: at('When it was last read.'),
    sync_error: v.pipe(v.nullable(v.string()), v.description('Why the last reading failed.'), v.examples([null])),
    watch_expires_at: at(
      'Until when the provider reports new emails at once. It is renewed a day before. ' +
        'Without that the mailbox is read every five minutes.',
    ),
    ...timestamps,
  }),
)
export type Mailbox = v.InferOutput<typeof Mailbox>

export const StartMailbox = v.strictObject({
  provider: v.optional(Enum(MAILBOX_PROVIDERS, 'Where the mailbox is.'), 'gmail'),
  user_id: v.optional(
    describe(Id, 'The member whose mailbox it is. Defaults to the owner of the key; only a client_admin may name others.'),
  ),
})
export type StartMailbox = v.InferOutput<typeof StartMailbox>

export const MailboxPatch = v.strictObject({
  sender_email: v.optional(v.nullable(describe(Email, 'One of the aliases. Null: the address of the account.', 'sales@example.com'))),
})
export type MailboxPatch = v.InferOutput<typeof MailboxPatch>
