import * as v from 'valibot'

const Scope = v.pipe(
  v.string(),
  v.regex(
    /^(\*|[a-z][a-z-]{0,40}):(\*|read|write|delete|send)$/,
    'must be <resource>:<action>, such as contacts:read, contacts:* or *:read',
  ),
  v.examples(['contacts:read']),
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
