import { and, eq, sql } from 'drizzle-orm'
import { incomingRequests, incomingWebhooks } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Keys, page } from '../../../data/page.ts'
import { afterRead, type Plan, plan, read } from '../../../data/plan.ts'
import { assert, assertField, assertNoPaths, constant, mapResult, oneOrThrow, plainRows, typed, WithWarnings } from '../../../data/query.ts'
import { assertExists, columnsFor, insertRow, lockForUpdate, selectAny, updateRows } from '../../../data/store.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { hashKey, toHex } from '../../../lib/keys.ts'
import { isStandardSigned } from '../../../lib/provider-signatures.ts'
import { isSigned } from '../../../lib/webhook-signatures.ts'
import { valueAtPath } from '../rules/mapping.ts'
import { MAX_INCOMING, SAMPLES } from '../rules/states.ts'
import {
  IncomingRequest,
  IncomingWebhook,
  type IncomingWebhookPatch,
  type NewIncomingWebhook,
  TARGETS,
} from '../schemas/incoming-webhooks.ts'
import { workspaceOf } from './webhooks.ts'

/** The scopes that each action takes. */
export const ACTION_SCOPES: Record<string, string[]> = {
  record_only: [],
  upsert_contact: ['contacts:write'],
  create_opportunity: ['opportunities:write'],
  start_automation: ['automations:write'],
}

/** The computed fields of an incoming webhook. */
export const incomingFields = { is_signed: sql<boolean>`incoming_webhooks.signature_secret is not null`.as('is_signed') }
const columns = columnsFor(incomingWebhooks, IncomingWebhook, incomingFields)
const incoming = (id: string) =>
  oneOrThrow(db.select(columns).from(incomingWebhooks).where(eq(incomingWebhooks.id, id)), 'incoming webhook')
const place = (workspace_id: string) => ({ workspace_id, table: 'incoming_webhooks', column: 'signature_secret' })

/** The hash under which a token is stored, in hexadecimal. */
export const tokenHash = async (token: string): Promise<string> => toHex(await hashKey(token))

type Token = { token: string; hash: string }
async function newToken(): Promise<Token> {
  const token = toHex(crypto.getRandomValues(new Uint8Array(24)))
  return { token, hash: await tokenHash(token) }
}
const hashColumn = ({ hash }: Token) => sql`decode(${hash}, 'hex')`

/** The webhook with its path. A repeated request has another token, which was never stored, so the path is left out. */
const issued = (id: string, { token, hash }: Token) =>
  mapResult(
    oneOrThrow(
      typed<IncomingWebhook & { _hash: string }>(
        selectAny({ ...columns, _hash: sql`left(encode(incoming_webhooks.token_hash, 'hex'), 8)`.as('_hash') })
          .from(incomingWebhooks)
          .where(eq(incomingWebhooks.id, id)),
      ),
      'incoming webhook',
    ),
    ({ _hash, ...row }) => {
      const shown = hash.startsWith(_hash)
      const message = 'The path was shown once, when it was created: rotate the token if it was lost'
      return new WithWarnings(
        { ...row, path: shown ? `/v1/hooks/${token}` : null },
        shown ? [] : [{ code: 'TOKEN_SHOWN_ONCE', field: 'path', message }],
      )
    },
  )

/** Seals the secret that was sent. */
async function sealed<Sent extends { signature_secret?: string | null | undefined }>(ctx: Ctx, { signature_secret: secret, ...row }: Sent) {
  if (secret === undefined) return row
  return { ...row, signature_secret: secret && (await ctx.deployment.secrets.seal(place(await workspaceOf(ctx)), secret)) }
}

const assertRights = (action: string | undefined): Statement[] => {
  const wanted = ACTION_SCOPES[action ?? ''] ?? []
  return wanted.length > 0 ? [call('assert_scopes', `{${wanted.join(',')}}`)] : []
}
const assertAutomation = (id: string | null | undefined): Statement[] =>
  id
    ? [
        assertField(
          sql`exists (select from automations where id = ${id})`,
          'automation_id',
          'automation_id does not exist in this workspace',
        ),
        call('assert_may_start', id),
      ]
    : []

const ownKey = { key_id: sql`current_key_id()` }

export async function createIncoming(ctx: Ctx, fields: NewIncomingWebhook) {
  const [id, token] = [newId(), await newToken()]
  const row = { ...(await sealed(ctx, fields)), ...ownKey, id, token_hash: hashColumn(token) }
  const room = assert(
    sql`(select count(*) from incoming_webhooks) < ${MAX_INCOMING}::int`,
    'CONFLICT',
    `A workspace has at most ${MAX_INCOMING} incoming webhooks: delete one that is no longer used`,
  )
  const lock = sql`select pg_advisory_xact_lock(hashtext('incoming_webhooks'), hashtext(current_workspace()::text))`
  return plan(
    [...assertRights(fields.action), ...assertAutomation(fields.automation_id), lock, room, insertRow(incomingWebhooks, row)],
    issued(id, token),
  )
}

/**
 * Asserts that the caller may do what a webhook does: it has the scopes of the action, and may start the automation. Whoever changes it
 * gives it the rights of the calling key, and whoever gets its path uses its rights.
 */
const mayOpen = (id: string): Statement[] => [
  sql`select assert_scopes(array(select jsonb_array_elements_text(${JSON.stringify(ACTION_SCOPES)}::jsonb -> action)
    from incoming_webhooks where id = ${id}))`,
  sql`select assert_may_start(automation_id) from incoming_webhooks where id = ${id} and action = 'start_automation'`,
]

/** Updates an incoming webhook, which has the rights of the calling key from then on. */
export async function updateIncoming(ctx: Ctx, id: string, patch: IncomingWebhookPatch) {
  const row = { ...(await sealed(ctx, patch)), ...ownKey }
  const isComplete = assertField(
    sql`not exists (select from incoming_webhooks where id = ${id} and action = 'start_automation' and automation_id is null)`,
    'automation_id',
    'Send the automation that it starts',
  )
  // The schema knows only what is sent, and not the action or the mapping that stays.
  const fillable = assertNoPaths(
    sql`array(select 'mapping.' || k from incoming_webhooks w, jsonb_object_keys(w.mapping) k,
      jsonb_extract_path(${JSON.stringify(TARGETS)}::jsonb, w.action) t
      where w.id = ${id} and t is not null and not t ? k and not (k like 'metadata.%' and t ? 'metadata') order by 1)`,
    'is not a field that the action can fill: use those of its request',
  )
  return plan(
    [
      lockForUpdate(ctx, incomingWebhooks, id, 'incoming webhook'),
      ...assertAutomation(patch.automation_id),
      updateRows(incomingWebhooks, row, eq(incomingWebhooks.id, id)),
      ...mayOpen(id),
      (patch.action !== undefined || patch.automation_id !== undefined) && isComplete,
      (patch.action !== undefined || patch.mapping !== undefined) && fillable,
    ],
    incoming(id),
  )
}

/** Replaces the token. The former path no longer works. */
export async function rotateToken(ctx: Ctx, id: string) {
  const token = await newToken()
  return plan(
    [
      lockForUpdate(ctx, incomingWebhooks, id, 'incoming webhook'),
      ...mayOpen(id),
      updateRows(incomingWebhooks, { token_hash: hashColumn(token) }, eq(incomingWebhooks.id, id)),
    ],
    issued(id, token),
  )
}

/** The holder of a token. Its grant is only to store a request. */
export async function tokenHolder(url: string) {
  const hash = await tokenHash(decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? ''))
  return { kind: 'public_token' as const, id: `hook ${hash}`, grant: call('incoming_grant', hash) }
}

/** What was sent to a token: the exact bytes, the parsed body, and the headers. */
export type Sent = { bytes: Uint8Array; payload: unknown; headers: Headers }
/** What decides how a request is read. Most webhooks have neither a secret nor a path of the id. */
type Hook = {
  secret: string | null
  header: string | null
  encoding: 'hex' | 'base64'
  id_path: string | null
  workspace_id: string | null
}
const PLAIN: Hook = { secret: null, header: null, encoding: 'hex', id_path: null, workspace_id: null }
type Received = { id: string; duplicate: boolean; workspace_id: string }

/** Stores a request to a token, once for each id of its sender. @throws UNAUTHENTICATED for a signature that does not match. */
export async function receive(
  ctx: Ctx,
  token: string,
  { bytes, payload, headers }: Sent,
): Promise<Plan<{ id: string; duplicate: boolean }>> {
  const hash = await tokenHash(token)
  const found = sql`from incoming_webhooks where token_hash = decode(${hash}, 'hex')`
  const select = sql`select signature_secret, signature_header, signature_encoding, id_path, workspace_id ${found}`
  const isPlain = sql`exists (select ${found} and signature_secret is null and id_path is null)`
  const stored = plainRows<Hook>(select, ['secret', 'header', 'encoding', 'id_path', 'workspace_id'])
  const [hook = PLAIN] = await ctx.assume(stored, [PLAIN], isPlain)
  if (hook.secret && hook.workspace_id) {
    const secret = await ctx.deployment.secrets.unseal(place(hook.workspace_id), hook.secret)
    if (!(await isFromSender(hook, secret, { bytes, headers }, ctx.now.getTime()))) throw new AppError('UNAUTHENTICATED', NOT_SIGNED)
  }
  const message = await messageId(hook, { bytes, payload, headers })
  const add = sql`select (r ->> 'id')::uuid, (r ->> 'duplicate')::boolean, r ->> 'workspace_id'
    from receive_webhook(${hash}, ${newId()}::uuid,
    ${message}::text, ${JSON.stringify(payload)}::jsonb, ${SAMPLES}::int) r`
  const result = mapResult(plainRows<Received>(add, ['id', 'duplicate', 'workspace_id']), ([row]) => row as Received)
  return afterRead(plan([], result), async ({ id, duplicate, workspace_id }) => {
    if (!duplicate) await ctx.deployment.wake('incoming.run', workspace_id, id)
    return { id, duplicate }
  })
}

const NOT_SIGNED =
  'The signature does not match, or its time is more than five minutes away: sign with the secret of the webhook, as Standard Webhooks ' +
  'defines it or with the HMAC-SHA256 of the body'
const STANDARD_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
const isStandard = (headers: Headers) => STANDARD_HEADERS.every((name) => headers.has(name))

async function isFromSender(hook: Hook, secret: string, { bytes, headers }: Omit<Sent, 'payload'>, now: number): Promise<boolean> {
  if (isStandard(headers)) return isStandardSigned(secret, bytes, headers, now)
  const signature = headers.get(hook.header ?? 'x-signature')
  return signature !== null && isSigned(secret, bytes, signature, hook.encoding)
}

const MAX_ID = 255
/**
 * What a request is stored once for. That of a signed one is part of what is signed, so that a captured request is a duplicate whatever its
 * headers.
 */
async function messageId({ id_path, secret }: Hook, { bytes, payload, headers }: Sent): Promise<string | null> {
  const inBody = id_path ? idOf(valueAtPath(payload, id_path)) : null
  if (inBody !== null || (id_path && !secret)) return inBody
  if (!secret) return idOf(headers.get('webhook-id') ?? headers.get('idempotency-key'))
  if (isStandard(headers)) return idOf(headers.get('webhook-id'))
  return `sha256:${toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))))}`
}

const idOf = (found: unknown): string | null =>
  (typeof found === 'string' || typeof found === 'number') && `${found}` !== '' ? `${found}`.slice(0, MAX_ID) : null

const requestFields = columnsFor(incomingRequests, IncomingRequest, {
  has_payload: sql<boolean>`incoming_requests.payload is not null`.as('has_payload'),
})
const withKeys = (keys: Keys) => db.select({ ...requestFields, ...keys }).from(incomingRequests)

export function listRequests(webhookId: string, query: { limit: number; after?: string | undefined }) {
  const result = page({
    select: withKeys,
    id: incomingRequests.id,
    where: [eq(incomingRequests.webhook_id, webhookId)],
    sorts: { created_at: incomingRequests.created_at },
    name: `incoming ${webhookId}`,
    query,
  })
  return plan([assertExists(incomingWebhooks, webhookId, 'incoming webhook')], result)
}

const ofWebhook = (webhookId: string, id: string) => and(eq(incomingRequests.webhook_id, webhookId), eq(incomingRequests.id, id))

export const getRequest = (webhookId: string, id: string) =>
  read(
    oneOrThrow(
      db
        .select({ ...requestFields, payload: incomingRequests.payload })
        .from(incomingRequests)
        .where(ofWebhook(webhookId, id)),
      'request',
    ),
  )

/** Processes a failed request again, with the webhook as it is now. Cron enqueues it. */
export function retryRequest(webhookId: string, id: string) {
  const again = { state: 'received' as const, error_code: null, error_message: null, ended_at: null }
  return plan(
    [
      sql`select assert_exists(exists (select from incoming_requests
        where id = ${id} and webhook_id = ${webhookId}), 'request', ${id}::uuid)`,
      sql`select assert_condition(r.state = 'failed' and r.payload is not null, 'INVALID_STATE',
        'Only a failed request whose payload is kept can be processed again',
          jsonb_build_object('state', r.state, 'allowed', '["failed"]'::jsonb))
        from incoming_requests r where r.id = ${id} and r.webhook_id = ${webhookId}`,
      db.update(incomingRequests).set(again).where(ofWebhook(webhookId, id)),
    ],
    oneOrThrow(db.select(requestFields).from(incomingRequests).where(ofWebhook(webhookId, id)), 'request'),
  )
}

export const deleteIncoming = (ctx: Ctx, id: string) =>
  plan(
    [lockForUpdate(ctx, incomingWebhooks, id, 'incoming webhook'), db.delete(incomingWebhooks).where(eq(incomingWebhooks.id, id))],
    constant({ id, deleted: true as const }),
  )
