import * as v from 'valibot'
import { SCOPES } from '../domain/scopes.ts'
import { nearest } from '../lib/nearest.ts'
import { named } from './common.ts'

function unknownScope(scope: string): string {
  const suggestion = nearest(scope, SCOPES)
  return (
    'must be a scope that GET /permissions ' +
    `lists${suggestion ? `: did you mean ${suggestion}?` : ', such as contacts:read, contacts:* or *:read'}`
  )
}

export const Scope = named(
  'Scope',
  v.pipe(
    v.string(),
    v.check(
      (scope) => SCOPES.includes(scope),
      ({ input }) => unknownScope(input),
    ),
    v.metadata({ enum: SCOPES }),
    v.description('A resource and an action, such as `contacts:read`; `*` stands for every resource or every action.'),
    v.examples(['contacts:read']),
  ),
)

/** The scopes of a key or a role, without duplicates and sorted. GET /permissions lists the endpoints of each. */
export const Scopes = v.pipe(
  v.array(Scope, 'must be a list of scopes'),
  v.minLength(1, 'must have at least one scope'),
  v.maxLength(200, 'must have at most 200 scopes'),
  v.description(
    'Scopes of the form <resource>:<action>; contacts:*, *:read and *:* are wildcards. They must be within the calling key’s own scopes.',
  ),
  v.examples([['contacts:read', 'contacts:write', 'opportunities:*']]),
  v.transform((scopes) => [...new Set(scopes)].sort()),
)
