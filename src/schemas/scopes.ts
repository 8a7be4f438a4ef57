import * as v from 'valibot'

const Scope = v.pipe(
  v.string(),
  v.regex(
    /^(\*|[a-z][a-z-]{0,40}):(\*|read|write|delete|send)$/,
    'must be <resource>:<action>, such as contacts:read, contacts:* or *:read',
  ),
  v.examples(['contacts:read']),
)

/** What a key or a role may do, each scope once and in order. GET /permissions tells what each opens. */
export const Scopes = v.pipe(
  v.array(Scope, 'must be a list of scopes'),
  v.minLength(1, 'must have at least one scope'),
  v.maxLength(200, 'must have at most 200 scopes'),
  v.description('<resource>:<action>; contacts:*, *:read and *:* stand for many. At most the calling key’s own.'),
  v.examples([['contacts:read', 'contacts:write', 'opportunities:*']]),
  v.transform((scopes) => [...new Set(scopes)].sort()),
)
