import { eq, type SQL, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { apiKeys, apiKeyUses, memberships, users, workspaces } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { plan, read } from '../../../data/plan.ts'
import { assert, assertField, mapResult, oneOrThrow, WithWarnings } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate, updateRows } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { hashKey, newKey, toHex } from '../../../lib/keys.ts'
import { endToolKey } from '../../agents/plans/tool-keys.ts'
import { ApiKey, type KeyPatch, type NewKey, type Rotate } from '../schemas/keys.ts'

/** The computed fields of a key. */
export const keyFields = {
  previous_expires_at: sql<string | null>`case when api_keys.previous_expires_at > now() then api_keys.previous_expires_at end`
    .mapWith(apiKeys.previous_expires_at)
    .as('previous_expires_at'),
  last_used_at: sql<string | null>`(select u.last_used_at from api_key_uses u where u.key_id = api_keys.id)`
    .mapWith(apiKeyUses.last_used_at)
    .as('last_used_at'),
}

const record = (id: string) =>
  oneOrThrow(
    db
      .select(columnsFor(apiKeys, ApiKey, keyFields))
      .from(apiKeys)
      .where(eq(apiKeys.id, id)),
    'API key',
  )

/** Generates a secret: the columns that identify it, and the key itself, which is shown once. */
async function secret(): Promise<{ key: string; columns: { public_id: string; key_hash: SQL } }> {
  const { key, public_id } = newKey()
  return { key, columns: { public_id, key_hash: sql`decode(${toHex(await hashKey(key))}, 'hex')` } }
}

/**
 * The record with its new key. A repeated request (Idempotency-Key) generates a key that was never stored: its public id differs, so the
 * key is left out.
 */
const issued = (id: string, key: string, publicId: string) =>
  mapResult(record(id), (row) => {
    const shown = row.public_id === publicId
    const warning = {
      code: 'KEY_SHOWN_ONCE',
      field: 'key',
      message: 'The key was shown once, when it was created: rotate it if it was lost',
    }
    return new WithWarnings({ ...row, key: shown ? key : null }, shown ? [] : [warning])
  })

/** A list of texts as SQL. */
const textArray = (texts: string[]): SQL => sql`array(select jsonb_array_elements_text(${JSON.stringify(texts)}::jsonb))`

/** Creates a key within the rights of the calling one. */
export async function createKey(_ctx: Ctx, { user_id, ...fields }: v.InferOutput<typeof NewKey>) {
  const { scopes, level = 'execute', expires_at = null, allowed_ranges = [] } = fields
  const id = newId()
  const { key, columns } = await secret()
  const member =
    user_id !== undefined &&
    assertField(
      sql`exists (select from memberships where user_id = ${user_id} and status = 'active')`,
      'user_id',
      'No such active member of this workspace',
    )
  const inFuture =
    expires_at !== null &&
    assertField(sql`${expires_at}::timestamptz > now()`, 'expires_at', 'must be in the future; leave it out for a key that does not expire')
  const values = { ...fields, ...columns, id, first_expires_at: expires_at, user_id: user_id ?? sql`current_user_id()` }
  const within = call('assert_key_grant', textArray(scopes), level, expires_at, textArray(allowed_ranges))
  return plan([inFuture, within, member, insertRow(apiKeys, values)], issued(id, key, columns.public_id))
}

/** Updates a key. What it gains must be within the rights of the calling key. */
export function updateKey(ctx: Ctx, id: string, patch: v.InferOutput<typeof KeyPatch>) {
  const changes = Object.keys(patch).length > 0
  return plan(
    [
      lockForUpdate(ctx, apiKeys, id, 'API key'),
      notRevoked(id),
      call('assert_key_change', id, JSON.stringify(patch)),
      changes && db.update(apiKeys).set(patch).where(eq(apiKeys.id, id)),
    ],
    record(id),
  )
}

const notRevoked = (id: string) =>
  assert(sql`exists (select from api_keys where id = ${id} and revoked_at is null)`, 'INVALID_STATE', 'The key is revoked', {
    state: 'revoked',
    allowed: ['active'],
  })

/**
 * Replaces the key's secret, for a caller who has all of its rights. The previous secret works for `overlap_minutes` more; one that a
 * rotation before left stops working.
 */
export async function rotateKey(ctx: Ctx, id: string, { overlap_minutes: minutes = 0 }: v.InferOutput<typeof Rotate>) {
  const { key, columns } = await secret()
  const previous = { previous_expires_at: minutes > 0 ? sql`now() + make_interval(mins => ${minutes}::int)` : null }
  return plan(
    [
      lockForUpdate(ctx, apiKeys, id, 'API key'),
      notRevoked(id),
      sql`select assert_key_grant(scopes, level, expires_at, allowed_ranges) from api_keys where id = ${id}`,
      updateRows(apiKeys, { ...columns, ...previous }, eq(apiKeys.id, id)),
      endToolKey(id),
    ],
    issued(id, key, columns.public_id),
  )
}

/** Revokes the key. Revoking it again changes nothing. */
export function revokeKey(ctx: Ctx, id: string) {
  return plan(
    [lockForUpdate(ctx, apiKeys, id, 'API key'), updateRows(apiKeys, { revoked_at: sql`coalesce(revoked_at, now())` }, eq(apiKeys.id, id))],
    record(id),
  )
}

export const getKey = (id: string) => read(record(id))

/** Returns the workspace, user and key of the current request. */
export function getCurrentKey() {
  const select = db
    .select({
      workspace: { id: workspaces.id, name: workspaces.name, slug: workspaces.slug, timezone: workspaces.timezone },
      user: { id: users.id, email: users.email, full_name: users.full_name, role: memberships.role },
      key: {
        id: apiKeys.id,
        name: apiKeys.name,
        public_id: apiKeys.public_id,
        scopes: apiKeys.scopes,
        level: apiKeys.level,
        expires_at: apiKeys.expires_at,
      },
    })
    .from(apiKeys)
    .innerJoin(workspaces, eq(workspaces.id, apiKeys.workspace_id))
    .innerJoin(memberships, sql`${memberships.workspace_id} = ${apiKeys.workspace_id} and ${memberships.user_id} = ${apiKeys.user_id}`)
    .innerJoin(users, eq(users.id, apiKeys.user_id))
    .where(sql`${apiKeys.id} = current_key_id()`)
  return read(oneOrThrow(select, 'key'))
}
