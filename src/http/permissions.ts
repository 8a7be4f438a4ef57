import * as v from 'valibot'
import { read } from '../data/plan.ts'
import { constant } from '../data/query.ts'
import { METHODS } from '../domain/access.ts'
import { about, Enum, SingleLine } from '../schemas/fields.ts'
import { Permission } from '../schemas/permissions.ts'
import { type Endpoint, group, type Method } from './endpoint.ts'

const ACTIONS: Record<string, string> = { read: 'Read', write: 'Create and update', delete: 'Delete', send: 'Send' }
const ORDER = Object.keys(ACTIONS)

/** The scopes that endpoints require, each with its endpoints, by resource in the order of the endpoint registry. */
function permissionsOf(endpoints: Endpoint[]): Permission[] {
  const scopes = [...new Set(endpoints.flatMap(({ scopes }) => scopes))]
  const resources = [...new Set(scopes.map((scope) => scope.split(':')[0] as string))]
  const place = (scope: string) => ORDER.indexOf(scope.split(':')[1] as string)
  return resources.map((resource) => ({
    resource,
    scopes: scopes
      .filter((scope) => scope.startsWith(`${resource}:`))
      .sort((a, b) => place(a) - place(b))
      .map((scope) =>
        scopeOf(
          scope,
          endpoints.filter((endpoint) => endpoint.scopes.includes(scope)),
        ),
      ),
  }))
}

function scopeOf(scope: string, opened: Endpoint[]): Permission['scopes'][number] {
  const what = [...new Set(opened.filter(({ successor }) => !successor).map(({ tag }) => tag.toLowerCase()))]
  return {
    scope,
    description: `${ACTIONS[scope.split(':')[1] as string]}: ${what.join(', ')}.`,
    endpoints: opened.map(({ method, path, summary, scopes, admin = false, successor }) => ({
      method,
      path,
      summary,
      scopes,
      admin,
      deprecated: successor !== undefined,
    })),
  }
}

/** The permissions that match the filter, without scopes that have no matching endpoint. */
function filterPermissions(
  permissions: Permission[],
  { resource, method }: { resource?: string | undefined; method?: Method | undefined },
): Permission[] {
  return permissions
    .filter((permission) => resource === undefined || permission.resource === resource)
    .map((permission) => ({
      ...permission,
      scopes: permission.scopes
        .map((scope) => ({ ...scope, endpoints: scope.endpoints.filter((endpoint) => method === undefined || endpoint.method === method) }))
        .filter(({ endpoints }) => endpoints.length > 0),
    }))
    .filter(({ scopes }) => scopes.length > 0)
}

/** GET /permissions: the scopes of the endpoint registry. */
export function permissionsApi(register: () => Promise<Endpoint[]>) {
  const api = group('/permissions', 'Roles and permissions')
  let all: Permission[] | undefined
  api.get(
    '',
    {
      id: 'listPermissions',
      summary: 'List permissions',
      description: 'The scopes that keys and roles can have, by resource, each with the endpoints that require it. Any key can call this.',
      scopes: [],
      query: v.strictObject({
        resource: v.optional(about(SingleLine(60), 'The part of a scope before the colon.', 'contacts')),
        method: v.optional(Enum(METHODS, 'Only endpoints with this method.')),
      }),
      returns: v.array(Permission),
    },
    async ({ query }) => {
      all ??= permissionsOf(await register())
      return read(constant(filterPermissions(all, query)))
    },
  )
  return api
}
