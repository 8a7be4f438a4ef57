import * as v from 'valibot'
import { BulkIds } from '../../../schemas/bulk.ts'
import { named } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, pageQuery, QueryInstant } from '../../../schemas/fields.ts'
import { DEAD_LETTER_STATUSES, QUEUE_NAMES } from '../rules/dead-letters.ts'

const text = v.nullable(v.string())

export const deadLetterQuery = v.strictObject({
  ...pageQuery,
  queue: v.optional(Enum(QUEUE_NAMES, 'Only messages of this queue.')),
  status: v.optional(Enum(DEAD_LETTER_STATUSES, 'Only dead letters in this status.')),
  created_from: v.optional(describe(QueryInstant, 'Only dead letters since this time.')),
  created_to: v.optional(describe(QueryInstant, 'Only dead letters before this time.')),
})
export type DeadLetterQuery = v.InferOutput<typeof deadLetterQuery>

export const DeadLetter = named(
  'DeadLetter',
  v.object({
    id: Id,
    queue: Enum(QUEUE_NAMES, 'The queue of the message.'),
    type: v.pipe(text, v.description('The type of the message; null for a malformed one.'), v.examples(['import.run'])),
    message: v.pipe(
      v.record(v.string(), v.unknown()),
      v.description('The message. It has the ids of what it is about.'),
      v.examples([
        {
          type: 'work.run',
          kind: 'import.run',
          workspace_id: '0199a3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6b',
          item_id: '0199a3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6c',
        },
      ]),
    ),
    status: Enum(DEAD_LETTER_STATUSES, '`replayed`: handed to its queue again. If it then fails again, that is another dead letter.'),
    attempts: v.pipe(v.number(), v.integer(), v.description('How often the queue has tried to process it.'), v.examples([6])),
    last_error: v.pipe(text, v.description('The error of the last attempt; null if it is not known.')),
    created_at: v.pipe(InstantOut, v.description('When its attempts were used up for the first time.')),
    last_failed_at: v.pipe(InstantOut, v.description('When they were used up for the last time.')),
    replayed_at: v.pipe(v.nullable(InstantOut), v.description('When it was replayed last.'), v.examples([null])),
  }),
)
export type DeadLetter = v.InferOutput<typeof DeadLetter>

export const BulkReplay = v.strictObject({ ids: BulkIds(100) })
