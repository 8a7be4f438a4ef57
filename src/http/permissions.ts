import type { Permission } from '../schemas/permissions.ts'
import type { Endpoint, Method } from './endpoint.ts'

const ACTIONS: Record<string, string> = { read: 'Read', write: 'Create and update', delete: 'Delete', send: 'Send' }
const ORDER = Object.keys(ACTIONS)

/** The scopes that endpoints require, each with its endpoints, by resource in the order of the endpoint registry. */
export function permissionsOf(endpoints: Endpoint[]): Permission[] {
  const scopes = [...new Set(endpoints.flatMap(({ access }) => access.scopes))]
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
          endpoints.filter((endpoint) => endpoint.access.scopes.includes(scope)),
        ),
      ),
  }))
}

function scopeOf(scope: string, opened: Endpoint[]): Permission['scopes'][number] {
  const what = [...new Set(opened.filter(({ successor }) => !successor).map(({ tag }) => tag.toLowerCase()))]
  return {
    scope,
    description: `${ACTIONS[scope.split(':')[1] as string]}: ${what.join(', ')}.`,
    endpoints: opened.map(({ method, path, summary, access: { scopes, admin = false }, successor }) => ({
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
export function filterPermissions(
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
