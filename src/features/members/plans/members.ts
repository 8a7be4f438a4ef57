import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { apiKeys, invitations, memberConnections, memberships, users } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { type Reference, thereIs } from '../../../data/bulk.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { plan, read } from '../../../data/plan.ts'
import { assert, assertField, constant, oneOrThrow } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { assertRole, assertRoleGrant } from '../../access/plans/roles.ts'
import {
  Connection,
  Member,
  PersonalProfile,
  type PreferencesPatch,
  type ProfilePatch,
  WorkspacePreferences,
  WorkspaceProfile,
  WorkspaceRole,
} from '../schemas/members.ts'

/** A user's own profile is visible to the workspace only after they have joined; knowing their email address is not enough. */
const visibleToWorkspace = (column: PgColumn, before: SQL = sql`null`): SQL =>
  sql`case when ${memberships.joined_at} is not null then ${column} else ${before} end`
const withinWorkspace = (name: 'phone' | 'job_title' | 'department') =>
  sql`coalesce(${memberships[name]}, ${visibleToWorkspace(users[name])})`.as(name)
const fullName = sql`coalesce(${visibleToWorkspace(users.full_name)}, ${memberships.invite_name})`.as('full_name')
/** The name of a member as others see it, for a select of other rows. */
export const memberName = (userId: PgColumn) =>
  sql<string | null>`(select p.name from member_profile(current_workspace(), ${userId}) p)`.as('full_name')
const invitation = sql`(select json_build_object('status', i.status, 'sent_at', iso(i.sent_at),
  'expires_at', iso(i.expires_at), 'error', i.error)
  from ${invitations} i where i.user_id = ${memberships.user_id})`

const memberFields = columnsFor(memberships, Member, {
  id: sql`${memberships.user_id}`.as('id'),
  email: sql`${users.email}`.as('email'),
  full_name: fullName,
  phone: withinWorkspace('phone'),
  job_title: withinWorkspace('job_title'),
  department: withinWorkspace('department'),
  avatar_url: visibleToWorkspace(users.avatar_url).as('avatar_url'),
  invitation: invitation.as('invitation'),
})
const personalFields = columnsFor(users, PersonalProfile, {
  full_name: fullName,
  phone: visibleToWorkspace(users.phone).as('phone'),
  avatar_url: visibleToWorkspace(users.avatar_url).as('avatar_url'),
  status: visibleToWorkspace(users.status, sql`'invited'`).as('status'),
  job_title: visibleToWorkspace(users.job_title).as('job_title'),
  department: visibleToWorkspace(users.department).as('department'),
  created_at: visibleToWorkspace(users.created_at, sql`${memberships.created_at}`).mapWith(users.created_at).as('created_at'),
})
const roleFields = columnsFor(memberships, WorkspaceRole)
const profileFields = columnsFor(memberships, WorkspaceProfile)
const preferenceFields = columnsFor(memberships, WorkspacePreferences)

const person = eq(users.id, memberships.user_id)
const present = (id: string) => and(eq(memberships.user_id, id), ne(memberships.status, 'removed'))
export const memberBy = (condition: SQL | undefined, computed: Record<string, SQL.Aliased> = {}) =>
  oneOrThrow(
    db
      .select({ ...memberFields, ...computed })
      .from(memberships)
      .innerJoin(users, person)
      .where(condition),
    'member',
  )
export const memberRecord = (id: string) => memberBy(present(id))
const roleOf = (id: string) => oneOrThrow(db.select(roleFields).from(memberships).where(present(id)), 'member')
const profileOf = (id: string) => oneOrThrow(db.select(profileFields).from(memberships).where(present(id)), 'member')
const preferencesOf = (id: string) => oneOrThrow(db.select(preferenceFields).from(memberships).where(present(id)), 'member')

/** True for a member who was not removed. The lock blocks a concurrent removal. */
const isActiveMember = (userId: SQL): SQL =>
  sql`exists (select from memberships m where m.user_id = ${userId} and m.status <> 'removed' for share)`
const NO_MEMBER = 'No such member in this workspace'

/** Asserts that a field names a current member. `unless` is a condition that allows any value, for example the stored one. */
export const assertMember = (userId: string, field: string, unless: SQL = sql`false`): Statement =>
  assertField(sql`${isActiveMember(sql`${userId}`)} or ${unless}`, field, NO_MEMBER)

/** The same rule for a bulk call. */
export const isMember = (field: string): Reference => {
  const value = sql`r.${sql.identifier(field)}`
  return {
    field,
    condition: sql`(${value} is null or ${thereIs(sql`memberships m where m.user_id = ${value} and m.status <> 'removed'`)})`,
    message: NO_MEMBER,
  }
}

/** The rule that a record of `table` is assigned to a current member. A removed member keeps what they have but cannot get more. */
export const ownerOf = (table: string): Reference => {
  const member = isMember('assigned_to')
  const stored = thereIs(sql`${sql.identifier(table)} t where t.id = r.id and t.assigned_to = r.assigned_to`)
  return { ...member, condition: sql`(${member.condition} or ${stored})` }
}

/** Locks the member for this transaction, as lockForUpdate does for a record. */
export const lockMember = (ctx: Ctx, id: string): Statement =>
  sql`select assert_version((select version from memberships where user_id = ${id} and status <> 'removed' for update),
    ${ctx.ifMatch ?? null}::int, 'member')`

const otherAdmin = (id: string): Statement => call('assert_other_admin', id)

/** All memberships, with the people. */
export const members = (keys: Keys | object) =>
  db
    .select({ ...memberFields, ...keys })
    .from(memberships)
    .innerJoin(users, person)

export function listMembers({
  status,
  role,
  ...query
}: PageQuery & { status?: 'active' | 'invited' | 'removed' | undefined; role?: string | undefined }) {
  const result = page({
    select: members,
    id: memberships.user_id,
    where: [status ? eq(memberships.status, status) : ne(memberships.status, 'removed'), role ? eq(memberships.role, role) : undefined],
    sorts: { created_at: memberships.created_at },
    name: 'members',
    query: { ...query, status, role },
  })
  return plan([!!role && assertRole(role, 'role')], result)
}

export const getMember = (id: string) => read(memberRecord(id))
export const getRole = (id: string) => read(roleOf(id))
export const getProfile = (id: string) => read(profileOf(id))
export const getPreferences = (id: string) => read(preferencesOf(id))
export const getPersonalProfile = (id: string) =>
  read(oneOrThrow(db.select(personalFields).from(memberships).innerJoin(users, person).where(present(id)), 'member'))

const change = (id: string, patch: Partial<typeof memberships.$inferInsert>) =>
  Object.values(patch).some((value) => value !== undefined) && db.update(memberships).set(patch).where(eq(memberships.user_id, id))

/** Members change their own settings, a client_admin those of everybody. */
const assertOwn = (id: string): Statement => call('assert_self_or_admin', id)

export function updateProfile(ctx: Ctx, id: string, patch: ProfilePatch) {
  const { manager_user_id: manager } = patch
  const isStored = sql`exists (select from memberships where user_id = ${id} and manager_user_id = ${manager ?? null}::uuid)`
  return plan(
    [lockMember(ctx, id), assertOwn(id), !!manager && assertMember(manager, 'manager_user_id', isStored), change(id, patch)],
    profileOf(id),
  )
}

export const updatePreferences = (ctx: Ctx, id: string, patch: PreferencesPatch) =>
  plan([lockMember(ctx, id), assertOwn(id), change(id, patch)], preferencesOf(id))

/** Changes a member's role. `role` is the key of any role in the workspace whose rights the caller has. */
export function updateRole(ctx: Ctx, id: string, role: string) {
  const within = assertRoleGrant(role, sql`(select role from memberships where user_id = ${id})`)
  return plan(
    [assertRole(role, 'role'), role !== 'client_admin' && otherAdmin(id), lockMember(ctx, id), within, change(id, { role })],
    roleOf(id),
  )
}

/** Permanently revokes the member's access and keys. Records keep their references to the member. */
export function removeMember(ctx: Ctx, id: string) {
  return plan(
    [
      assert(sql`current_user_id() <> ${id}`, 'CONFLICT', 'You cannot remove yourself: ask another client_admin'),
      otherAdmin(id),
      lockMember(ctx, id),
      change(id, { status: 'removed' }),
      db.update(apiKeys).set({ revoked_at: sql`now()` }).where(sql`${apiKeys.user_id} = ${id} and ${apiKeys.revoked_at} is null`),
      db.delete(invitations).where(eq(invitations.user_id, id)),
      call('emit', 'member.removed', 'member', id),
    ],
    constant({ id, deleted: true as const }),
  )
}

const connections = (keys: Keys) => db.select({ ...columnsFor(memberConnections, Connection), ...keys }).from(memberConnections)

export function listConnections(id: string, query: PageQuery) {
  const result = page({
    select: connections,
    id: memberConnections.id,
    where: [eq(memberConnections.user_id, id)],
    sorts: { id: memberConnections.id },
    name: `connections ${id}`,
    query: { ...query, sort: 'id' },
  })
  return plan([assert(sql`exists (select from memberships where user_id = ${id} and status <> 'removed')`, 'NOT_FOUND', NO_MEMBER)], result)
}
