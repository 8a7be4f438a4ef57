import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { afterRead, type Plan, plan, read } from '../../../data/plan.ts'
import { mapResult, plainRows, WithWarnings } from '../../../data/query.ts'
import { keyOfEmail } from '../../../domain/file-names.ts'
import { newId } from '../../../lib/ids.ts'
import { toHex } from '../../../lib/keys.ts'
import { tokenHash } from '../../webhooks/plans/incoming.ts'
import type { EmailInbox } from '../schemas/email-configs.ts'

const inbox = () =>
  plainRows<{ created_at: string | null; hash: string | null }>(
    sql`select iso(i.created_at), left(encode(i.token_hash, 'hex'), 8) from (select 1) one left join email_inboxes i on true`,
    ['created_at', 'hash'],
  )

/** Returns whether the workspace receives emails. */
export const getInbox = () =>
  read(mapResult(inbox(), ([row]): EmailInbox => ({ is_connected: row?.hash !== null, path: null, created_at: row?.created_at ?? null })))

/**
 * Makes a new token for the path that the mail provider posts emails to. The former path no longer works. A repeated request has another
 * token, which was never stored.
 */
export async function rotateInboxToken(): Promise<Plan<EmailInbox | WithWarnings<EmailInbox>>> {
  const token = toHex(crypto.getRandomValues(new Uint8Array(24)))
  const hash = await tokenHash(token)
  const store = sql`insert into email_inboxes (token_hash) values (decode(${hash}, 'hex'))
    on conflict (workspace_id) do update set token_hash = excluded.token_hash, created_at = now()`
  const message = 'The path was shown once, when its token was made: rotate the token if it was lost'
  return plan(
    [store],
    mapResult(inbox(), ([row]) => {
      const isShown = row?.hash === hash.slice(0, 8)
      const found = { is_connected: true, path: isShown ? `/v1/email/inbound/${token}` : null, created_at: row?.created_at ?? null }
      return new WithWarnings(found, isShown ? [] : [{ code: 'TOKEN_SHOWN_ONCE', field: 'path', message }])
    }),
  )
}

/**
 * The holder of an inbox's token. Its grant is only to store an email. The token is compared by its hash, so the time of the comparison
 * says nothing about it.
 */
export async function inboxHolder(url: string) {
  const hash = await tokenHash(decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? ''))
  return { kind: 'public_token' as const, id: `inbox ${hash}`, grant: call('email_inbox_grant', hash) }
}

/** What the mail provider has posted: the bytes, and its id of the email. */
export type PostedEmail = { bytes: Uint8Array; message_id: string }

/** What an inbound email is stored as. `waits`: it was not processed yet, or could not be. */
type Inbound = { id: string; workspace_id: string; added: boolean; waits: boolean }

/**
 * Stores an email that the mail provider has posted, once for each of its ids. The row comes first, because it takes the right to store
 * anything; an email whose file was not stored is posted again, as every response but 200 makes the provider do. The queue processes it.
 */
export function receiveInbound(ctx: Ctx, { bytes, message_id }: PostedEmail): Plan<{ id: string; duplicate: boolean }> {
  const add = sql`select (r ->> 'id')::uuid, (r ->> 'workspace_id')::uuid, (r ->> 'added')::boolean, (r ->> 'waits')::boolean
    from store_inbound_email(${newId()}::uuid, ${message_id}) r`
  const result = mapResult(plainRows<Inbound>(add, ['id', 'workspace_id', 'added', 'waits']), ([row]) => row as Inbound)
  return afterRead(plan([], result), async ({ id, workspace_id, added, waits }) => {
    if (waits) {
      await ctx.files.replace(keyOfEmail(workspace_id, id), only(bytes))
      await ctx.deployment.wake('email.receive', workspace_id, id)
    }
    return { id, duplicate: !added }
  })
}

async function* only(bytes: Uint8Array) {
  yield bytes
}
