import type { Endpoint } from './endpoint.ts'

/**
 * The scopes of the operations with these ids; the function returns undefined for one that does not exist. Without ids nothing is loaded.
 */
export async function operationScopes(
  ids: readonly string[],
  all: () => Promise<Endpoint[]>,
): Promise<(operationId: string) => string[] | undefined> {
  const known = ids.length === 0 ? new Map<string, string[]>() : new Map((await all()).map(({ id, access }) => [id, access.scopes]))
  return (operationId) => known.get(operationId)
}
