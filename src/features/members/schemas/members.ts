import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Email, Enum, Id, InstantOut, Name, optional, pageQuery, SingleLine } from '../../../schemas/fields.ts'
import { LocalPhone } from '../../../schemas/parsers.ts'
import { RoleKey } from '../../access/schemas/roles.ts'
import { INVITATION_STATUSES, MEMBER_STATUSES } from '../rules/members.ts'

const text = v.nullable(v.string())

/** The member in the path. */
export const memberInPath = v.object({
  userId: v.pipe(
    Id,
    v.description('The user id of the member. The specification of this API spells this parameter in camel case, unlike all others.'),
  ),
})

/** Fields that a workspace stores about a member, beside the person's own profile. */
const profileFields = {
  phone: optional(LocalPhone),
  job_title: optional(describe(SingleLine(120), 'Job title.', 'Sales Manager')),
  department: optional(describe(SingleLine(120), 'Department.', 'Sales')),
  office: optional(describe(SingleLine(120), 'The office that the member works from.', 'Newcastle')),
  manager_user_id: optional(describe(Id, 'The member to whom this one reports.')),
}

export const Invite = v.strictObject({
  email: describe(Email, 'The address to which the invitation is sent.', 'ana@example.com'),
  full_name: optional(describe(SingleLine(120), 'The person’s name until they set it themselves.', 'Ana Lee')),
  role: v.optional(describe(RoleKey, 'The role. Defaults to client_editor.', 'client_editor')),
  ...profileFields,
})
export type Invite = v.InferOutput<typeof Invite>

export const ProfilePatch = v.strictObject(profileFields)
export type ProfilePatch = v.InferOutput<typeof ProfilePatch>
export const RolePatch = v.strictObject({ role: RoleKey })
export const PreferencesPatch = v.strictObject({
  default_pipeline_id: v.optional(v.nullable(describe(Id, 'The member’s default pipeline; null for none.'))),
})
export type PreferencesPatch = v.InferOutput<typeof PreferencesPatch>
export const Accept = v.strictObject({
  token: v.pipe(
    v.string('must be the token of an invitation'),
    v.maxLength(200),
    v.description('The token from the link in the invitation.'),
  ),
  full_name: v.optional(describe(Name(120), 'Your name.', 'Ana Lee')),
})

export const memberQuery = v.strictObject({
  ...pageQuery,
  status: v.optional(Enum(MEMBER_STATUSES, 'The status of the members. By default all but removed members.')),
  role: v.optional(RoleKey),
})

const role = v.pipe(v.string(), v.description('The key of the role; see GET /roles.'), v.examples(['client_editor']))
const status = v.pipe(v.picklist(MEMBER_STATUSES), v.description('The status of the member. `removed`: access was revoked permanently.'))

export const Member = named(
  'Member',
  v.object({
    id: v.pipe(Id, v.description('The person’s user id, which is the same in every workspace.')),
    email: v.string(),
    full_name: text,
    phone: v.pipe(
      text,
      v.description('The value set in this workspace, or else in the person’s own profile. The same applies to job_title and department.'),
    ),
    job_title: text,
    department: text,
    office: text,
    manager_user_id: v.nullable(Id),
    avatar_url: text,
    role,
    status,
    joined_at: v.nullable(InstantOut),
    invitation: v.pipe(
      v.nullable(
        v.object({ status: v.picklist(INVITATION_STATUSES), sent_at: v.nullable(InstantOut), expires_at: InstantOut, error: text }),
      ),
      v.description('The invitation, until it is accepted.'),
    ),
    ...timestamps,
  }),
)

export const InvitedMember = named(
  'InvitedMember',
  v.object({
    ...Member.entries,
    id: v.pipe(
      v.nullable(Id),
      v.description('The person’s user id, which is the same in every workspace. Null in a dry run, for every address.'),
    ),
  }),
)

export const PersonalProfile = named(
  'PersonalProfile',
  v.object({
    id: Id,
    full_name: text,
    email: v.string(),
    phone: text,
    avatar_url: text,
    status: v.pipe(v.picklist(['active', 'invited']), v.description('`invited`: the person has not accepted an invitation yet.')),
    job_title: text,
    department: text,
    created_at: InstantOut,
  }),
)

const versioned = { version: timestamps.version, updated_at: InstantOut }

export const WorkspaceProfile = named(
  'WorkspaceProfile',
  v.object({ phone: text, job_title: text, department: text, office: text, manager_user_id: v.nullable(Id), ...versioned }),
)
export const WorkspaceRole = named('WorkspaceRole', v.object({ role, created_at: InstantOut, ...versioned }))
export const WorkspacePreferences = named('WorkspacePreferences', v.object({ default_pipeline_id: v.nullable(Id), ...versioned }))

export const Connection = named(
  'Connection',
  v.object({
    id: Id,
    platform_type: v.string(),
    platform_account_name: v.string(),
    status: v.picklist(['connected', 'disconnected', 'error']),
    calendar_synced: v.boolean(),
    mailbox_aliases: v.array(v.string()),
    created_at: InstantOut,
    updated_at: InstantOut,
  }),
)

export const Accepted = named(
  'Accepted',
  v.object({
    user_id: Id,
    email: v.string(),
    full_name: text,
    role,
    workspace: v.object({ id: Id, name: v.string(), slug: v.string() }),
  }),
)
