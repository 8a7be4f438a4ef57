import * as v from 'valibot'
import { Deleted, named } from '../../../schemas/common.ts'
import { Id, InstantOut, QueryBool } from '../../../schemas/fields.ts'

export const Purge = v.strictObject({
  purge: v.optional(
    v.pipe(
      QueryBool,
      v.description(
        'Also erase the record from history, events, approvals and logs. ' +
          'Requires the scope `*:delete` and a key whose owner is a client_admin.',
      ),
    ),
  ),
})

export const Purged = named(
  'Purged',
  v.object({
    ...Deleted.entries,
    purged: v.optional(
      v.pipe(
        v.record(v.string(), v.pipe(v.number(), v.integer())),
        v.description(
          'With purge: the number of rows of each kind that were deleted, and of entries in history, events, approvals, ' +
            'stored responses and log tables that were redacted.',
        ),
      ),
    ),
  }),
)

export const Tombstone = named(
  'Tombstone',
  v.object({
    id: v.pipe(Id, v.description('The record that was purged.')),
    purged_at: InstantOut,
    purged_by: v.nullable(Id),
    key_id: v.nullable(Id),
    request_id: v.nullable(v.string()),
  }),
)
