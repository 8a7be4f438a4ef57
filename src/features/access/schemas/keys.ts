import * as v from 'valibot'
import { LEVELS } from '../../../domain/access.ts'
import { isAddressRange, MAX_RANGES } from '../../../domain/address-ranges.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Enum, Id, Instant, InstantOut, Integer, Name } from '../../../schemas/fields.ts'
import { Scope, Scopes } from '../../../schemas/scopes.ts'

const AddressRange = v.pipe(
  v.string(),
  v.trim(),
  v.toLowerCase(),
  v.check(isAddressRange, 'must be an IPv4 or IPv6 address, or a range such as 203.0.113.0/24'),
  v.description('An IPv4 or IPv6 address, or a range in CIDR notation.'),
  v.examples(['203.0.113.0/24']),
)

const fields = {
  name: describe(Name(120), 'The name of the key, which says what it is for.', 'Website form'),
  scopes: Scopes,
  level: v.optional(
    Enum(LEVELS, '`execute`: writes are executed at once; `approval`: writes wait for approval; `read_only`: writes are refused.'),
  ),
  expires_at: v.optional(
    v.nullable(describe(Instant, 'When the key stops working. By default it does not expire.', '2055-11-20T00:00:00Z')),
  ),
  allowed_ranges: v.optional(
    v.pipe(
      v.array(AddressRange),
      v.maxLength(MAX_RANGES, `at most ${MAX_RANGES} ranges`),
      v.description('The addresses from which the key can be used. By default, or if the list is empty, all.'),
    ),
  ),
}
export const NewKey = v.strictObject({
  ...fields,
  user_id: v.optional(describe(Id, 'The member who owns the key and whose role limits it. Defaults to the owner of the calling key.')),
})
export const KeyPatch = v.partial(v.strictObject(fields))

const MAX_OVERLAP = 24 * 60
export const Rotate = v.strictObject({
  overlap_minutes: v.optional(
    describe(
      Integer(0, MAX_OVERLAP),
      'For how many minutes the old secret still works: at most a day. By default it stops immediately.',
      60,
    ),
  ),
})

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
    allowed_ranges: v.pipe(v.array(v.string()), v.description('The addresses from which the key can be used; all if the list is empty.')),
    previous_expires_at: v.pipe(
      v.nullable(InstantOut),
      v.description('Until when the secret from before the last rotation works; null if it does not.'),
    ),
    created_by: v.pipe(
      v.nullable(Id),
      v.description(
        'The member who made the key, or replaced its secret in place of its owner. Only a key that its owner has made is used in ' +
          'person: it alone leads into the owner’s mailbox.',
      ),
    ),
    last_used_at: v.pipe(v.nullable(InstantOut), v.description('When the key was last used, to five minutes; null if it never was.')),
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
