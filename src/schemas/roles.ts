import * as v from 'valibot'
import { ROLES } from '../domain/members.ts'
import { named, timestamps } from './common.ts'
import { about, Bool, Id, Multiline, Name, optional, QueryBool } from './fields.ts'
import { Scope, Scopes } from './scopes.ts'

/** What a role is called in requests and answers. */
export const RoleKey = v.pipe(
  v.string('must be the key of a role, such as client_editor'),
  v.regex(/^[a-z][a-z0-9_]{0,59}$/, 'must be the key of a role: lower-case letters, digits and _, such as client_editor'),
  v.description(
    `${ROLES.join(', ')}, or the key of a role of the workspace’s own. client_admin has full access, client_editor edits, client_viewer only reads.`,
  ),
  v.examples(['client_editor']),
)

const fields = {
  name: about(Name(80), 'What it is called.', 'Field sales'),
  description: optional(about(Multiline(500), 'Whom it is for.', 'Sellers who visit customers.')),
  scopes: about(Scopes, 'What its members’ keys may do at most; a key’s own scopes may narrow it. At most the calling key’s own.', [
    'contacts:*',
    'opportunities:*',
    'companies:read',
  ]),
  can_write: v.optional(about(Bool, 'Whether its members’ keys may write at all; true unless given.', true)),
}
export const NewRole = v.strictObject({
  ...fields,
  key: v.optional(
    v.pipe(
      v.string('must be a key, such as field_sales'),
      v.regex(/^[a-z][a-z0-9_]{0,59}$/, 'must be lower-case letters, digits and _, such as field_sales'),
      v.description('What members and requests call it, for good; made from the name unless given.'),
      v.examples(['field_sales']),
    ),
  ),
})
export type NewRole = v.InferOutput<typeof NewRole>
export const RolePatch = v.partial(v.strictObject(fields))
export type RolePatch = v.InferOutput<typeof RolePatch>

export const roleFilters = { built_in: v.optional(about(QueryBool, 'Those that every workspace has, or its own.', false)) }

export const Role = named(
  'Role',
  v.object({
    id: Id,
    key: v.pipe(v.string(), v.description('What members and requests call it.'), v.examples(['field_sales'])),
    name: v.string(),
    description: v.nullable(v.string()),
    scopes: v.array(Scope),
    can_write: v.boolean(),
    built_in: v.pipe(v.boolean(), v.description('Every workspace has it, and nobody can change it.')),
    members: v.pipe(v.number(), v.integer(), v.description('How many members have it, invited ones included.')),
    ...timestamps,
  }),
)
