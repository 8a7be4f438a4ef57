import { sql } from 'drizzle-orm'
import { memberships, users, workspaces } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { handedText } from '../../../data/handed.ts'
import { plan } from '../../../data/plan.ts'
import { assert, oneOrThrow } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { hashKey, toHex } from '../../../lib/keys.ts'
import { assertRole } from '../../access/plans/roles.ts'
import { Accepted, type Invite } from '../schemas/members.ts'
import { assertMember, lockMember, memberBy, memberRecord } from './members.ts'

/**
 * The invited member. A dry run shows no id, and shows the address as it was sent: it uses a made-up person (see invite_member), so that
 * it reveals nothing about people outside the workspace.
 */
const invited = (email: string) =>
  memberBy(sql`${memberships.user_id} = (select ${handedText('invited_user')}::uuid)`, {
    id: sql`case when current_setting('app.mode') <> 'dry' then ${memberships.user_id} end`.as('id'),
    email: sql`${email}`.as('email'),
  })

/** Creates an invited member. The event of this change sends the email (see send-invitation.ts). */
export function inviteMember(input: Invite) {
  const { manager_user_id: manager } = input
  return plan(
    [
      !!manager && assertMember(manager, 'manager_user_id'),
      !!input.role && assertRole(input.role, 'role'),
      call('invite_member', JSON.stringify(input)),
    ],
    invited(input.email),
  )
}

/** Sends a new link to a member who has not accepted yet. */
export function resendInvitation(ctx: Ctx, id: string) {
  const isInvited = sql`exists (select from memberships where user_id = ${id} and status = 'invited')`
  return plan(
    [
      lockMember(ctx, id),
      assert(isInvited, 'INVALID_STATE', 'Only a member who has not accepted yet can be invited again', {
        state: 'active',
        allowed: ['invited'],
      }),
      call('renew_invitation', id),
    ],
    memberRecord(id),
  )
}

const workspace = sql`(select json_build_object('id', w.id, 'name', w.name, 'slug', w.slug) from ${workspaces} w)`
const acceptedFields = columnsFor(memberships, Accepted, {
  email: sql`${users.email}`.as('email'),
  full_name: sql`${users.full_name}`.as('full_name'),
  workspace: workspace.as('workspace'),
})

/** Accepts an invitation without an API key: the token proves that the person can read mail sent to that address. */
export async function acceptInvitation(ctx: Ctx, { token, full_name = null }: { token: string; full_name?: string | null | undefined }) {
  const hash = toHex(await hashKey(token))
  const mine = db
    .select(acceptedFields)
    .from(memberships)
    .innerJoin(users, sql`${users.id} = ${memberships.user_id}`)
    .where(sql`${memberships.user_id} = current_user_id()`)
  return plan([call('accept_invitation', hash, full_name, ctx.requestId)], oneOrThrow(mine, 'member'))
}
