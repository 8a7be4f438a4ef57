import { Hono } from 'hono'
import * as v from 'valibot'
import { roles } from '../../schema/index.ts'
import { assertWithinRights, createRole, deleteRole, roleFields, updateRole } from '../../src/features/access/plans/roles.ts'
import { NewRole, Role, RoleKey, RolePatch, roleFilters } from '../../src/features/access/schemas/roles.ts'
import { created } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Deleted } from '../../src/schemas/common.ts'
import { describe, Id } from '../../src/schemas/fields.ts'
import { WORKSPACE } from '../paths.ts'

export const rolesRouter = new Hono<App>()
export const rolesApi = endpoints(rolesRouter, { path: WORKSPACE.roles, tag: 'Roles and permissions' })

const params = v.object({ role_id: Id })

resource(rolesApi, {
  name: 'role',
  plural: 'roles',
  table: roles,
  returns: Role,
  computed: roleFields,
  list: { filters: roleFilters, sorts: ['created_at', 'name'] },
  get: {},
  restore: { admin: true, guards: (id) => [assertWithinRights(id)] },
  history: true,
})
rolesApi.post(
  '',
  {
    id: 'createRole',
    summary: 'Create a role',
    description:
      'A key can do what its scopes and its owner’s role both allow. ' +
      'Assign the role with PATCH /company/users/{userId}/workspace-user-roles.',
    access: { scopes: ['roles:write'], admin: true },
    body: NewRole,
    returns: created(Role),
    errors: ['CONFLICT'],
  },
  ({ body }) => createRole(body),
)
rolesApi.patch(
  '/:role_id',
  {
    id: 'updateRole',
    summary: 'Update a custom role',
    description:
      'The change applies to the next requests of its members’ keys, and to their requests that wait for approval. ' +
      'Scopes that are added must be within the calling key’s rights.',
    access: { scopes: ['roles:write'], admin: true },
    params,
    body: RolePatch,
    returns: Role,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateRole(ctx, params.role_id, body),
)
rolesApi.delete(
  '/:role_id',
  {
    id: 'deleteRole',
    summary: 'Delete a custom role',
    description:
      'A role that members have can only be deleted with reassign_to: another role, within the calling key’s rights ' +
      'or within the deleted role.',
    access: { scopes: ['roles:delete'], admin: true },
    params,
    query: v.strictObject({ reassign_to: v.optional(describe(RoleKey, 'The key of the role that its members get.', 'client_editor')) }),
    returns: Deleted,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, query }) => deleteRole(ctx, params.role_id, query.reassign_to),
)
