import * as v from 'valibot'
import { Deleted, named } from './common.ts'
import { Id, InstantOut, QueryBool } from './fields.ts'

export const Purge = v.strictObject({
  purge: v.optional(
    v.pipe(QueryBool, v.description('Erase all that is known of the record too. Only for keys whose owner is a client_admin.')),
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
          'With purge: how many rows of each kind went, and how many places of the history, events, approvals, kept answers and journals lost their values.',
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
