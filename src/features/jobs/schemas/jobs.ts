import * as v from 'valibot'
import { DELETED_IN_BATCHES, DELETION_STATES } from '../../../domain/deletions.ts'
import { named } from '../../../schemas/common.ts'
import { Enum, Id, InstantOut } from '../../../schemas/fields.ts'

const count = v.pipe(v.number(), v.integer())

export const Job = named(
  'Job',
  v.object({
    id: Id,
    type: v.pipe(v.literal('deletion'), v.description('What the job does.'), v.examples(['deletion'])),
    state: Enum(DELETION_STATES, '`running` until the last dependant is deleted, then `completed`.'),
    entity: v.pipe(v.picklist(DELETED_IN_BATCHES), v.description('The kind of the record that is deleted.'), v.examples(['contact'])),
    entity_id: v.pipe(Id, v.description('The record that is deleted.')),
    processed: v.pipe(count, v.description('The dependants that were deleted or unlinked so far.'), v.examples([12_500])),
    total: v.pipe(
      v.nullable(count),
      v.description('The dependants at the beginning, about; null if there were more than 100,000.'),
      v.examples([20_000]),
    ),
    created_at: InstantOut,
    ended_at: v.pipe(v.nullable(InstantOut), v.description('When it had done everything; null while it is running.')),
  }),
)
