import { invalid } from '../errors.ts'
import { pathTo } from '../lib/objects.ts'
import type { Input } from './check.ts'
import type { Endpoint, Rehearsal } from './endpoint.ts'
import { splitReadOnly } from './read-only.ts'

type Found = Omit<Rehearsal, 'data'>

/** What an approval stores of a request (create_approval). */
export function pendingRequest(endpoint: Endpoint, input: Input, { changes, required_scopes, requires_admin, policy_ids }: Found) {
  // A bulk call may have records that are refused one by one, and PostgreSQL cannot store this character.
  const path = pathTo(input.body, '\u0000')
  if (path !== undefined) throw invalid([{ path, message: 'must not contain the character U+0000' }])
  return {
    resource: endpoint.path.split('/')[1],
    method: endpoint.method,
    path: endpoint.path,
    // The version and the time of the last change may have moved on by the time it is approved.
    request: { ...input, body: splitReadOnly(endpoint, input.body).body },
    changes,
    required_scopes,
    requires_admin,
    policy_ids,
  }
}
