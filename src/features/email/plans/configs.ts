import { eq, sql } from 'drizzle-orm'
import { emailConfigs } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { plan, read } from '../../../data/plan.ts'
import { assert, mapResult, oneOrThrow, plainRows } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate, updateRows } from '../../../data/store.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { parseSender, toHandle } from '../rules/emails.ts'
import { EmailConfig, type EmailConfigPatch, type NewEmailConfig } from '../schemas/email-configs.ts'
import { defaultSender } from './dispatch.ts'

/** The most senders of a workspace. */
export const MAX_CONFIGS = 100
const columns = columnsFor(emailConfigs, EmailConfig)
const config = (id: string) => oneOrThrow(db.select(columns).from(emailConfigs).where(eq(emailConfigs.id, id)), 'email config', id)

type Sent = { from_email_handle?: string | undefined; mailbox_sender_alias?: string | null | undefined; from_email?: string | undefined }

/** @throws MAILBOX_NOT_CONNECTED, ALIAS_NOT_CONNECTED */
const assertAlias = ({ mailbox_sender_alias: alias }: Sent) => !!alias && call('assert_mailbox_alias', alias)

/** The columns of a config: the address is composed here. @throws INVALID_FROM_EMAIL_HANDLE */
function rowOf<Fields extends Sent>(ctx: Ctx, { from_email: _, ...fields }: Fields) {
  const { from_email_handle: sent } = fields
  if (sent === undefined) return fields
  const { address, domain } = parseSender(ctx.deployment.mailer.from)
  const handle = toHandle(sent)
  if (handle === undefined || `${handle}@${domain}` === address)
    throw new AppError(
      'INVALID_FROM_EMAIL_HANDLE',
      'from_email_handle must be the part of an address before the @, such as hello: letters, digits, dots, ' +
        'hyphens and underscores; some are reserved',
    )
  return { ...fields, from_email_handle: handle, from_email: `${handle}@${domain}` }
}

export function createConfig(ctx: Ctx, fields: NewEmailConfig) {
  const id = newId()
  const room = assert(
    sql`(select count(*) from email_configs) < ${MAX_CONFIGS}::int`,
    'CONFLICT',
    `A workspace has at most ${MAX_CONFIGS} email configs: delete one that is no longer used`,
  )
  const lock = sql`select pg_advisory_xact_lock(hashtext('email_configs'), hashtext(current_workspace()::text))`
  return plan([lock, room, assertAlias(fields), insertRow(emailConfigs, { ...rowOf(ctx, fields), id })], config(id))
}

export const updateConfig = (ctx: Ctx, id: string, patch: EmailConfigPatch) =>
  plan(
    [
      lockForUpdate(ctx, emailConfigs, id, 'email config'),
      assertAlias(patch),
      updateRows(emailConfigs, rowOf(ctx, patch), eq(emailConfigs.id, id)),
    ],
    config(id),
  )

/** The most mailboxes that the capabilities show. */
const MAX_SHOWN = 1_000

type User = { user_id: string; full_name: string | null; email: string }
/** Returns through what the caller can send emails. */
export function getCapabilities(ctx: Ctx) {
  const user = sql`(select json_build_object('user_id', u.id, 'full_name', u.full_name, 'email', u.email) from memberships m
    join users u on u.id = m.user_id
    where m.user_id = current_user_id())`
  const sender = sql`(select from_email from email_configs order by created_at, id limit 1)`
  const mailboxes = sql`connected_mailboxes(${MAX_SHOWN}::int)`
  const facts = plainRows<{ user: User | null; from_email: string | null; mailboxes: (User & { aliases: string[] })[] }>(
    sql`select ${user}, ${sender}, ${mailboxes}`,
    ['user', 'from_email', 'mailboxes'],
  )
  return read(
    mapResult(facts, ([row]) => ({
      authenticated_user: row?.user ?? null,
      company_mail_provider: {
        provider: 'postmark' as const,
        from_email: row?.from_email ?? defaultSender(ctx.deployment.mailer.from).from_email,
      },
      users_with_mailbox: row?.mailboxes.map(({ aliases: _, ...user }) => user) ?? [],
      send_as_aliases: [...new Set(row?.mailboxes.flatMap(({ aliases }) => aliases) ?? [])],
    })),
  )
}
