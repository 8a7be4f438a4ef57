import * as v from 'valibot'
import { LEVELS } from '../domain/access.ts'
import { ROLES } from '../domain/members.ts'
import { named, stampsOut } from './common.ts'
import { about, Choice, Id, Instant, InstantOut, Name } from './fields.ts'

const Scope = v.pipe(
  v.string(),
  v.regex(
    /^(\*|[a-z][a-z-]{0,40}):(\*|read|write|delete|send)$/,
    'must be <resource>:<action>, such as contacts:read, contacts:* or *:read',
  ),
  v.examples(['contacts:read']),
)
const Scopes = v.pipe(
  v.array(Scope, 'must be a list of scopes'),
  v.minLength(1, 'must have at least one scope'),
  v.maxLength(200, 'must have at most 200 scopes'),
  v.description('<resource>:<action>; contacts:*, *:read and *:* stand for many. At most the calling key’s own.'),
  v.examples([['contacts:read', 'contacts:write', 'opportunities:*']]),
  v.transform((scopes) => [...new Set(scopes)].sort()),
)

const fields = {
  name: about(Name(120), 'What the key is for.', 'Website form'),
  scopes: Scopes,
  level: v.optional(Choice(LEVELS, 'execute: writes happen at once; approval: they wait for a person; read_only: none.')),
  expires_at: v.optional(v.nullable(about(Instant, 'When it stops working; never unless given.', '2027-11-20T00:00:00Z'))),
}
export const NewKey = v.strictObject({
  ...fields,
  user_id: v.optional(about(Id, 'The member who owns it and whose role bounds it; the calling key’s owner unless given.')),
})
export const KeyPatch = v.partial(v.strictObject(fields))

export const ApiKey = named(
  'ApiKey',
  v.object({
    id: Id,
    name: v.string(),
    public_id: v.pipe(v.string(), v.description('The 8 characters after wck_, to recognise the key by.')),
    user_id: Id,
    scopes: v.array(v.string()),
    level: v.picklist(LEVELS),
    expires_at: v.nullable(InstantOut),
    revoked_at: v.nullable(InstantOut),
    ...stampsOut,
  }),
)
export const IssuedKey = named(
  'IssuedKey',
  v.object({
    ...ApiKey.entries,
    key: v.pipe(v.nullable(v.string()), v.description('The key itself, shown this once; null when the request is repeated.')),
  }),
)

export const Me = named(
  'Me',
  v.object({
    workspace: v.object({ id: Id, name: v.string(), slug: v.string(), timezone: v.string() }),
    user: v.object({ id: Id, email: v.string(), full_name: v.nullable(v.string()), role: v.picklist(ROLES) }),
    key: v.object({
      id: Id,
      name: v.string(),
      public_id: v.string(),
      scopes: v.array(v.string()),
      level: v.picklist(LEVELS),
      expires_at: v.nullable(InstantOut),
    }),
  }),
)
