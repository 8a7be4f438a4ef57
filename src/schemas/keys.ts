import * as v from 'valibot'
import { LEVELS } from '../domain/access.ts'
import { named, timestamps } from './common.ts'
import { describe, Enum, Id, Instant, InstantOut, Name } from './fields.ts'
import { Scope, Scopes } from './scopes.ts'

const fields = {
  name: describe(Name(120), 'The name of the key, which says what it is for.', 'Website form'),
  scopes: Scopes,
  level: v.optional(
    Enum(LEVELS, '`execute`: writes are executed at once; `approval`: writes wait for approval; `read_only`: writes are refused.'),
  ),
  expires_at: v.optional(
    v.nullable(describe(Instant, 'When the key stops working. By default it does not expire.', '2027-11-20T00:00:00Z')),
  ),
}
export const NewKey = v.strictObject({
  ...fields,
  user_id: v.optional(describe(Id, 'The member who owns the key and whose role limits it. Defaults to the owner of the calling key.')),
})
export const KeyPatch = v.partial(v.strictObject(fields))

export const ApiKey = named(
  'ApiKey',
  v.object({
    id: Id,
    name: v.string(),
    public_id: v.pipe(v.string(), v.description('The 8 characters after wck_, which identify the key.')),
    user_id: Id,
    scopes: v.array(Scope),
    level: v.picklist(LEVELS),
    expires_at: v.nullable(InstantOut),
    revoked_at: v.nullable(InstantOut),
    ...timestamps,
  }),
)
export const IssuedKey = named(
  'IssuedKey',
  v.object({
    ...ApiKey.entries,
    key: v.pipe(v.nullable(v.string()), v.description('The key itself. It is shown only once: null when the request is replayed.')),
  }),
)

export const Me = named(
  'Me',
  v.object({
    workspace: v.object({ id: Id, name: v.string(), slug: v.string(), timezone: v.string() }),
    user: v.object({ id: Id, email: v.string(), full_name: v.nullable(v.string()), role: v.string() }),
    key: v.object({
      id: Id,
      name: v.string(),
      public_id: v.string(),
      scopes: v.array(Scope),
      level: v.picklist(LEVELS),
      expires_at: v.nullable(InstantOut),
    }),
  }),
)
