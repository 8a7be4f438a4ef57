import { eq, type SQL, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { apiKeys, memberships, users, workspaces } from '../../schema/index.ts'
import type { Ctx } from '../context.ts'
import { db, type Statement } from '../data/db.ts'
import { plan, read } from '../data/plan.ts'
import { assert, assertField, mapResult, oneOrThrow, WithWarnings } from '../data/query.ts'
import { columnsFor, lockForUpdate } from '../data/store.ts'
import { newId } from '../lib/ids.ts'
import { hashKey, newKey, toHex } from '../lib/keys.ts'
import { ApiKey, type KeyPatch, type NewKey } from '../schemas/keys.ts'

const record = (id: string) => oneOrThrow(db.select(columnsFor(apiKeys, ApiKey)).from(apiKeys).where(eq(apiKeys.id, id)), 'API key')

/** A guard for scopes that a key or a role is to have: nobody hands out more than their own key may do. */
export function assertScopesWithinCaller(scopes: string[] | undefined): Statement | undefined {
  if (!scopes) return undefined
  const lacking = sql`lacking_scopes((select scopes from api_keys where id = current_key_id()), array(select jsonb_array_elements_text(${JSON.stringify(scopes)}::jsonb)))`
  return assert(sql`${lacking} is null`, 'FORBIDDEN', 'A key can only give scopes that it has itself')
}

/** A new secret, as the columns that recognise it and the key that is shown once. */
async function secret(): Promise<{ key: string; columns: { public_id: string; key_hash: SQL } }> {
  const { key, public_id } = newKey()
  return { key, columns: { public_id, key_hash: sql`decode(${toHex(await hashKey(key))}, 'hex')` } }
}

/** The record with its key: a repetition finds another public id stored than the one made for it, and must do without. */
const issued = (id: string, key: string, publicId: string) =>
  mapResult(record(id), (row) => {
    const shown = row.public_id === publicId
    const warning = { code: 'KEY_SHOWN_ONCE', field: 'key', message: 'The key was shown when it was made: rotate it if it was lost' }
    return new WithWarnings({ ...row, key: shown ? key : null }, shown ? [] : [warning])
  })

export async function createKey(_ctx: Ctx, { user_id, ...fields }: v.InferOutput<typeof NewKey>) {
  const id = newId()
  const { key, columns } = await secret()
  const member =
    user_id !== undefined &&
    assertField(
      sql`exists (select from memberships where user_id = ${user_id} and status = 'active')`,
      'user_id',
      'No such active member of this workspace',
    )
  const values = { ...fields, ...columns, id, user_id: user_id ?? sql`current_user_id()` }
  return plan(
    [assertScopesWithinCaller(fields.scopes), member, db.insert(apiKeys).values(values as never)],
    issued(id, key, columns.public_id),
  )
}

export function updateKey(ctx: Ctx, id: string, patch: v.InferOutput<typeof KeyPatch>) {
  const changes = Object.keys(patch).length > 0
  return plan(
    [
      lockForUpdate(ctx, apiKeys, id, 'API key'),
      notRevoked(id),
      assertScopesWithinCaller(patch.scopes),
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

/** A new secret for the same key: the old one stops working at once. */
export async function rotateKey(ctx: Ctx, id: string) {
  const { key, columns } = await secret()
  return plan(
    [
      lockForUpdate(ctx, apiKeys, id, 'API key'),
      notRevoked(id),
      db
        .update(apiKeys)
        .set(columns as never)
        .where(eq(apiKeys.id, id)),
    ],
    issued(id, key, columns.public_id),
  )
}

/** Revoking twice changes nothing. */
export function revokeKey(ctx: Ctx, id: string) {
  return plan(
    [
      lockForUpdate(ctx, apiKeys, id, 'API key'),
      db
        .update(apiKeys)
        .set({ revoked_at: sql`coalesce(revoked_at, now())` as never })
        .where(eq(apiKeys.id, id)),
    ],
    record(id),
  )
}

export const getKey = (id: string) => read(record(id))

/** The workspace, person and key behind a request. */
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
