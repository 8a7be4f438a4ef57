import { eq, sql } from 'drizzle-orm'
import { mailboxes } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan, waking, withOutside } from '../../../data/plan.ts'
import { assert, constant, oneOrThrow } from '../../../data/query.ts'
import { columnsFor, lockForUpdate, updateRows } from '../../../data/store.ts'
import { AppError } from '../../../errors.ts'
import { loggable } from '../../../lib/text.ts'
import { GrantEnded } from '../../accounts/plans/grants.ts'
import { startGrant } from '../../accounts/plans/start-grant.ts'
import { AccountFailure } from '../../accounts/provider/port.ts'
import { Mailbox, type MailboxPatch, type StartMailbox } from '../schemas/mailboxes.ts'
import { type MailboxAccess, type MailboxRef, mailboxAccessIn, withMailbox } from './access.ts'
import { storableAliases } from './connector.ts'

const WHAT = 'mailbox'
export const mailboxColumns = columnsFor(mailboxes, Mailbox)
const mailbox = (id: string) => oneOrThrow(db.select(mailboxColumns).from(mailboxes).where(eq(mailboxes.id, id)), WHAT, id)

/** The record is locked. That of another member is found by a client_admin only, because of the policies of the table. */
const lock = (ctx: Ctx, id: string) => lockForUpdate(ctx, mailboxes, id, WHAT)
const isOwn = (id: string) => sql`select assert_own_account(user_id) from mailboxes where id = ${id}`

/** Begins a connection. @throws CHANNEL_NOT_CONFIGURED */
export function startMailbox(ctx: Ctx, { provider, user_id }: StartMailbox) {
  const kind = ctx.deployment.mailboxes[provider]
  if (!kind) throw new AppError('CHANNEL_NOT_CONFIGURED', `This service has no account at ${provider}`, { channel: provider })
  return startGrant(ctx, kind.grants, { purpose: 'mailbox', provider, user_id, callback: ctx.deployment.mailboxCallback })
}

/** Chooses the address that the mailbox sends as. @throws ALIAS_NOT_CONNECTED */
export function chooseSender(ctx: Ctx, id: string, patch: MailboxPatch) {
  const { sender_email: email } = patch
  const registered = sql`exists (select from mailboxes m, jsonb_array_elements(m.aliases) a
    where m.id = ${id} and a ->> 'email' = ${email ?? null}::text)`
  return plan(
    [
      lock(ctx, id),
      isOwn(id),
      !!email && assert(registered, 'ALIAS_NOT_CONNECTED', 'sender_email is none of the aliases of this mailbox'),
      updateRows(mailboxes, patch, eq(mailboxes.id, id), { id }),
    ],
    mailbox(id),
  )
}

/** Ends a connection. The background ends its grant at the provider, and deletes it. */
export const disconnectMailbox = (ctx: Ctx, id: string) =>
  waking(
    'mailboxes.end',
    plan([lock(ctx, id), isOwn(id), sql`select disconnect_mailboxes(array[${id}::uuid])`], constant({ id, deleted: true as const })),
  )

type Reserved = Mailbox & { _workspace: string }

/**
 * Asks the provider for the aliases now, with a new access token if that is due. A grant that has ended is reported by the status. @throws
 * PROVIDER_ERROR
 */
export function checkMailbox(ctx: Ctx, id: string): Plan<Mailbox> {
  const reserved = db
    .select({ ...mailboxColumns, _workspace: sql<string>`current_workspace()`.as('_workspace') })
    .from(mailboxes)
    .where(eq(mailboxes.id, id))
  return withOutside<Reserved, string | null, Mailbox>(
    plan([lock(ctx, id), call('assert_mailbox_connected', id)], oneOrThrow(reserved, WHAT, id)),
    {
      call: ({ _workspace: workspace_id, provider }) =>
        refresh(mailboxAccessIn(ctx.deployment), { workspace_id, mailbox_id: id, provider }),
      settle: ({ provider }, called) => {
        if (!called.ok) throw called.error
        if (called.value !== null)
          throw new AppError('PROVIDER_ERROR', `The mail provider failed: ${called.value}`, { provider, reason: called.value })
        return []
      },
      result: () => mailbox(id),
    },
  )
}

/** Returns why the provider could not be asked; null if it was, or if the grant has ended, which the mailbox shows. */
async function refresh(access: MailboxAccess, ref: MailboxRef): Promise<string | null> {
  try {
    const aliases = storableAliases(await withMailbox(access, ref, ({ mailbox }, token) => mailbox.aliases(token)))
    const { workspace_id, mailbox_id } = ref
    await batch(access.database, [call('refresh_mailbox', workspace_id, mailbox_id, JSON.stringify(aliases))])
    return null
  } catch (error) {
    if (error instanceof GrantEnded) return null
    if (error instanceof AccountFailure) return loggable(error.message, 300)
    throw error
  }
}
