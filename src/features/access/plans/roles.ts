import { eq, type SQL, sql } from 'drizzle-orm'
import { roles } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { blockers } from '../../../data/blockers.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { plan } from '../../../data/plan.ts'
import { assertField, constant, oneOrThrow } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate, updateRows } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { keyOfName } from '../rules/roles.ts'
import { type NewRole, Role, type RolePatch } from '../schemas/roles.ts'

/** Counts the members with the role; removed members do not count. */
const membersOf = (key: SQL): SQL<number> => sql`(select count(*)::int from memberships m where m.role = ${key} and m.status <> 'removed')`
export const roleFields = { members: membersOf(sql`roles.role_key`).as('members') }
const record = (id: string) =>
  oneOrThrow(
    db
      .select(columnsFor(roles, Role, roleFields))
      .from(roles)
      .where(eq(roles.id, id)),
    'role',
  )

/** Asserts that a field holds the key of an existing role. */
export const assertRole = (key: string, field: string): Statement =>
  assertField(sql`exists (select from roles where role_key = ${key})`, field, `No such role in this workspace (${key}): see GET /roles`)

/** Asserts that the caller may give the role to a member who has the role `present` (SQL). Reducing a member's rights is always allowed. */
export const assertRoleGrant = (role: string, present: SQL): Statement => call('assert_role_grant', role, present)

/** Creates a role within the rights of the caller. Its key never changes, so that the role can be renamed without touching its members. */
export function createRole({ key, ...fields }: NewRole) {
  const id = newId()
  const own = key ?? keyOfName(fields.name) ?? `role_${id.slice(-12)}`
  const within = sql`select assert_grant(array(select jsonb_array_elements_text(${JSON.stringify(fields.scopes)}::jsonb)),
    ${fields.can_write ?? true}, false)`
  return plan([within, insertRow(roles, { ...fields, id, key: own })], record(id))
}

/**
 * Updates a role. What it gains must be within the rights of the caller. The change applies to its members' keys from the next request on.
 */
export function updateRole(ctx: Ctx, id: string, patch: RolePatch) {
  return plan(
    [
      lockForUpdate(ctx, roles, id, 'role'),
      call('assert_role_change', id, JSON.stringify(patch)),
      updateRows(roles, patch, eq(roles.id, id), { id }),
    ],
    record(id),
  )
}

/** Asserts that the caller has all rights of the role. */
export const assertWithinRights = (id: string): Statement => sql`select assert_grant(scopes, can_write, false) from roles where id = ${id}`

const key = (id: string) => sql`(select role_key from roles where id = ${id})`
const unused = (id: string): Statement =>
  sql`select assert_condition(n = 0, 'CONFLICT', 'Members have this role: send reassign_to with the key of another role',
    jsonb_build_object('members', n,
    'ids', ${blockers(sql`select m.user_id from memberships m where m.role = ${key(id)} and m.status <> 'removed'`)}))
    from (select ${membersOf(key(id))} as n) counted`

/** Deletes a role and assigns its members to `reassignTo`. Without that, the role must have no current members. */
export function deleteRole(ctx: Ctx, id: string, reassignTo: string | undefined) {
  const inherit = reassignTo !== undefined && [
    assertRole(reassignTo, 'reassign_to'),
    assertField(sql`${key(id)} <> ${reassignTo}`, 'reassign_to', 'must be a different role'),
    assertRoleGrant(reassignTo, key(id)),
    sql`update memberships set role = ${reassignTo} where role = ${key(id)} and status <> 'removed'`,
  ]
  return plan(
    [
      lockForUpdate(ctx, roles, id, 'role'),
      ...(inherit || [unused(id)]),
      sql`update memberships set role = 'client_viewer' where role = ${key(id)}`,
      db.delete(roles).where(eq(roles.id, id)),
    ],
    constant({ id, deleted: true as const }),
  )
}
