import * as v from 'valibot'
import { JOB_STATES, JOB_TYPES } from '../../../domain/deletions.ts'
import { named } from '../../../schemas/common.ts'
import { Enum, Id, InstantOut } from '../../../schemas/fields.ts'

const count = v.pipe(v.number(), v.integer())

const Loss = named(
  'JobWarning',
  v.object({
    code: v.pipe(v.string(), v.description('NOT_RESTORED.'), v.examples(['NOT_RESTORED'])),
    field: v.pipe(v.string(), v.description('The field that did not come back; empty for a whole row.'), v.examples(['contact_id'])),
    message: v.string(),
    details: v.pipe(
      v.record(v.string(), v.unknown()),
      v.description('The table, the id and the field of the row, and the reason; for the last one `more`, the number of the others.'),
    ),
  }),
)

const STATES =
  '`running` until everything is done, then `completed`. `failed` after several attempts, of which `error` says why they failed. ' +
  'A record whose deletion has failed stays deleted: restore it, remove what is in the way, and delete it again. ' +
  'A purge that has failed keeps what it has erased: remove what is in the way, and purge the record again or replay the dead letter ' +
  'of the job. A record whose restore has failed is there: restore it again, and the job goes on. ' +
  'So it does when its dead letter is replayed.'

export const Job = named(
  'Job',
  v.object({
    id: Id,
    type: Enum(JOB_TYPES, 'What the job does.'),
    state: Enum(JOB_STATES, STATES),
    entity: v.pipe(v.string(), v.description('The kind of the record that is deleted, purged or restored.'), v.examples(['contact'])),
    entity_id: v.pipe(Id, v.description('The record that is deleted, purged or restored.')),
    processed: v.pipe(
      count,
      v.description('The rows that were deleted, erased or restored so far, and the references to them that were cleared or set again.'),
      v.examples([12_500]),
    ),
    total: v.pipe(
      v.nullable(count),
      v.description(
        'How many there are, about; null while a restore counts them, for a record that was deleted before its purge, ' +
          'and if there are more than 100,000.',
      ),
      v.examples([20_000]),
    ),
    warnings: v.pipe(
      v.array(Loss),
      v.description('What a restore could not bring back (code NOT_RESTORED): the first 100, and how many more.'),
    ),
    error: v.pipe(v.nullable(v.string()), v.description('Why the last attempt failed; null after one that did not.'), v.examples([null])),
    created_at: InstantOut,
    ended_at: v.pipe(v.nullable(InstantOut), v.description('When it had done everything, or had failed; null while it is running.')),
  }),
)
