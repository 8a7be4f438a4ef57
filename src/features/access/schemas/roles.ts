import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Id, Multiline, Name, optional, QueryBool } from '../../../schemas/fields.ts'
import { Scope, Scopes } from '../../../schemas/scopes.ts'
import { ROLES } from '../../members/rules/members.ts'

/** The key of a role in requests and responses. */
export const RoleKey = v.pipe(
  v.string('must be the key of a role, such as client_editor'),
  v.regex(/^[a-z][a-z0-9_]{0,59}$/, 'must be the key of a role: lower-case letters, digits and _, such as client_editor'),
  v.description(
    `${ROLES.join(', ')}, or the key of a custom role of the workspace. client_admin has full access, client_editor can edit, ` +
      'client_viewer can only read.',
  ),
  v.examples(['client_editor']),
)

const fields = {
  name: describe(Name(80), 'The name of the role.', 'Field sales'),
  description: optional(describe(Multiline(500), 'Who has this role.', 'Sellers who visit customers.')),
  scopes: describe(
    Scopes,
    'The scopes that keys of members with this role can have at most. They must be within the calling key’s own scopes.',
    ['contacts:*', 'opportunities:*', 'companies:read'],
  ),
  can_write: v.optional(describe(Bool, 'Whether keys of members with this role can write. Defaults to true.', true)),
}
export const NewRole = v.strictObject({
  ...fields,
  key: v.optional(
    v.pipe(
      v.string('must be a key, such as field_sales'),
      v.regex(/^[a-z][a-z0-9_]{0,59}$/, 'must be lower-case letters, digits and _, such as field_sales'),
      v.description('The key of the role, which cannot be changed. Derived from the name by default.'),
      v.examples(['field_sales']),
    ),
  ),
})
export type NewRole = v.InferOutput<typeof NewRole>
export const RolePatch = v.partial(v.strictObject(fields))
export type RolePatch = v.InferOutput<typeof RolePatch>

export const roleFilters = {
  built_in: v.optional(describe(QueryBool, 'true for the roles that every workspace has, false for custom roles.', false)),
}

export const Role = named(
  'Role',
  v.object({
    id: Id,
    key: v.pipe(v.string(), v.description('The key of the role.'), v.examples(['field_sales'])),
    name: v.string(),
    description: v.nullable(v.string()),
    scopes: v.array(Scope),
    can_write: v.boolean(),
    built_in: v.pipe(v.boolean(), v.description('Whether it is one of the roles that every workspace has, which cannot be changed.')),
    members: v.pipe(v.number(), v.integer(), v.description('The number of members with the role, including invited members.')),
    ...timestamps,
  }),
)
