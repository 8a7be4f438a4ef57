import { Hono } from 'hono'
import * as v from 'valibot'
import { memberships } from '../schema/index.ts'
import { acceptInvitation, inviteMember, resendInvitation } from '../src/features/members/plans/invitations.ts'
import {
  getMember,
  getPersonalProfile,
  getPreferences,
  getProfile,
  getRole,
  listConnections,
  listMembers,
  removeMember,
  updatePreferences,
  updateProfile,
  updateRole,
} from '../src/features/members/plans/members.ts'
import {
  Accept,
  Accepted,
  Connection,
  Invite,
  InvitedMember,
  Member,
  memberInPath,
  memberQuery,
  PersonalProfile,
  PreferencesPatch,
  ProfilePatch,
  RolePatch,
  WorkspacePreferences,
  WorkspaceProfile,
  WorkspaceRole,
} from '../src/features/members/schemas/members.ts'
import { created, listOf, scopes } from '../src/http/modes.ts'
import { history } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Deleted } from '../src/schemas/common.ts'
import { pageQuery } from '../src/schemas/fields.ts'
import { WORKSPACE } from './paths.ts'

export const membersRouter = new Hono<App>()
export const membersApi = endpoints(membersRouter, { path: WORKSPACE.members, tag: 'Members' })
export const invitationsRouter = new Hono<App>()
export const invitationsApi = endpoints(invitationsRouter, { path: WORKSPACE.invitations, tag: 'Members' })

const params = memberInPath

membersApi.get(
  '',
  {
    id: 'listMembers',
    summary: "List the workspace's members",
    description: 'Removed members are left out by default; use `status` to include them.',
    access: scopes('users:read'),
    query: memberQuery,
    returns: listOf(Member),
  },
  ({ query }) => listMembers(query),
)
membersApi.get(
  '/:userId',
  { id: 'getMember', summary: 'Get a member', access: scopes('users:read'), params, returns: Member, errors: ['NOT_FOUND'] },
  ({ params }) => getMember(params.userId),
)
membersApi.post(
  '/invite',
  {
    id: 'inviteMember',
    summary: 'Invite a person by email',
    description:
      'The person becomes a member with the status `invited` and receives a link that is valid for 7 days. ' +
      'Inviting the person again sends a new link, and the previous one stops working. ' +
      'The role must be within the calling key’s rights. A dry run returns no user id, and its changes have a ' +
      'placeholder for the person.',
    access: { scopes: ['users:write'], admin: true },
    limits: { rate: 'sends' },
    body: Invite,
    returns: created(InvitedMember),
    errors: ['CONFLICT'],
  },
  ({ body }) => inviteMember(body),
)
membersApi.post(
  '/:userId/resend-invitation',
  {
    id: 'resendInvitation',
    summary: 'Resend an invitation',
    description: 'Sends a new link that is valid for 7 days. The previous link stops working.',
    access: { scopes: ['users:write'], admin: true },
    limits: { rate: 'sends' },
    params,
    returns: Member,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => resendInvitation(ctx, params.userId),
)
membersApi.delete(
  '/:userId',
  {
    id: 'removeMember',
    summary: 'Remove a member',
    description:
      'Revokes access permanently. The member’s keys stop working immediately. You cannot remove yourself or the last client_admin.',
    access: { scopes: ['users:delete'], admin: true },
    params,
    returns: Deleted,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => removeMember(ctx, params.userId),
)

membersApi.get(
  '/:userId/personal-user-profile',
  {
    id: 'getMemberPersonalProfile',
    summary: "Get a member's personal profile",
    access: scopes('users:read'),
    params,
    returns: PersonalProfile,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getPersonalProfile(params.userId),
)
membersApi.get(
  '/:userId/workspace-user-profile',
  {
    id: 'getMemberProfile',
    summary: "Get a member's profile in this workspace",
    description: 'Values of this profile take precedence over the personal profile. Null means not set.',
    access: scopes('users:read'),
    params,
    returns: WorkspaceProfile,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getProfile(params.userId),
)
membersApi.patch(
  '/:userId/workspace-user-profile',
  {
    id: 'updateMemberProfile',
    summary: "Update a member's profile in this workspace",
    description: 'Members can update their own; a client_admin can update those of all members.',
    access: scopes('users:write'),
    params,
    body: ProfilePatch,
    returns: WorkspaceProfile,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateProfile(ctx, params.userId, body),
)
membersApi.get(
  '/:userId/workspace-user-connections',
  {
    id: 'listMemberConnections',
    summary: "List a member's connected calendars and mailboxes",
    access: scopes('users:read'),
    params,
    query: v.strictObject(pageQuery),
    returns: listOf(Connection),
    errors: ['NOT_FOUND'],
  },
  ({ params, query }) => listConnections(params.userId, query),
)
membersApi.get(
  '/:userId/workspace-user-roles',
  {
    id: 'getMemberRole',
    summary: "Get a member's role",
    access: scopes('users:read'),
    params,
    returns: WorkspaceRole,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getRole(params.userId),
)
membersApi.patch(
  '/:userId/workspace-user-roles',
  {
    id: 'updateMemberRole',
    summary: "Update a member's role",
    description:
      'client_admin has full access, client_editor can edit, client_viewer can only read. GET /roles lists these and the custom roles. ' +
      'The new role must be within the calling key’s rights, or within the member’s current role. ' +
      'The role of the last client_admin cannot be changed.',
    access: { scopes: ['users:write'], admin: true },
    params,
    body: RolePatch,
    returns: WorkspaceRole,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateRole(ctx, params.userId, body.role),
)
membersApi.get(
  '/:userId/workspace-user-preferences',
  {
    id: 'getMemberPreferences',
    summary: "Get a member's preferences",
    access: scopes('users:read'),
    params,
    returns: WorkspacePreferences,
    errors: ['NOT_FOUND'],
  },
  ({ params }) => getPreferences(params.userId),
)
membersApi.patch(
  '/:userId/workspace-user-preferences',
  {
    id: 'updateMemberPreferences',
    summary: "Update a member's preferences",
    description: 'Members can update their own; a client_admin can update those of all members.',
    access: scopes('users:write'),
    params,
    body: PreferencesPatch,
    returns: WorkspacePreferences,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updatePreferences(ctx, params.userId, body),
)
history(membersApi, '/:userId/history', {
  entity: 'member',
  table: memberships,
  key: memberships.user_id,
  param: 'userId',
  scopes: ['users:read'],
})

invitationsApi.post(
  '/accept',
  {
    id: 'acceptInvitation',
    summary: 'Accept an invitation',
    description: 'Send the token from the link in the email. It is valid once, for 7 days.',
    access: { scopes: [], direct: true, public: true },
    body: Accept,
    returns: Accepted,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, body }) => acceptInvitation(ctx, body),
)
