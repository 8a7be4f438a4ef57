import { Hono } from 'hono'
import * as v from 'valibot'
import { read } from '../../src/data/plan.ts'
import { constant } from '../../src/data/query.ts'
import { METHODS } from '../../src/domain/access.ts'
import { scopes } from '../../src/http/modes.ts'
import { filterPermissions, permissionsOf } from '../../src/http/permissions.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { describe, Enum, SingleLine } from '../../src/schemas/fields.ts'
import { Permission } from '../../src/schemas/permissions.ts'
import { allEndpoints } from '../index.ts'
import { WORKSPACE } from '../paths.ts'

export const permissionsRouter = new Hono<App>()
export const permissionsApi = endpoints(permissionsRouter, { path: WORKSPACE.permissions, tag: 'Roles and permissions' })

/** Computed once, because the registry never changes. */
let permissions: Promise<Permission[]> | undefined
function allPermissions(): Promise<Permission[]> {
  permissions ??= allEndpoints().then(permissionsOf)
  return permissions
}

permissionsApi.get(
  '',
  {
    id: 'listPermissions',
    summary: 'List permissions',
    description:
      'Lists the scopes of each resource that keys and roles can have, with the endpoints that require them. Every key may call this.',
    access: scopes(),
    query: v.strictObject({
      resource: v.optional(describe(SingleLine(60), 'The part of a scope before the colon.', 'contacts')),
      method: v.optional(Enum(METHODS, 'Only endpoints with this method.')),
    }),
    returns: v.array(Permission),
  },
  ({ query }) => allPermissions().then((all) => read(constant(filterPermissions(all, query)))),
)
