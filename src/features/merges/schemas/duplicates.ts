import * as v from 'valibot'
import { RECORD_ENTITIES } from '../../../domain/records.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Id, InstantOut, QueryDecimal, QueryInt } from '../../../schemas/fields.ts'

const Text = v.nullable(v.string())

const RecordPreview = v.object({
  id: Id,
  name: v.string(),
  email: v.optional(Text),
  phone: v.optional(Text),
  external_id: v.optional(Text),
  created_at: InstantOut,
})

export const Candidate = named(
  'DuplicateCandidate',
  v.object({
    record: RecordPreview,
    score: v.pipe(
      v.number(),
      v.description(
        'The similarity, from 0 to 1: the probability that at least one of the reasons is right, if they are independent, ' +
          'reduced by each of the differences.',
      ),
      v.examples([0.93]),
    ),
    reasons: v.pipe(
      v.array(v.object({ field: v.string(), kind: v.picklist(['exact', 'similar']), value: v.string() })),
      v.description('The fields that are equal or similar, strongest first, with the candidate’s values.'),
    ),
    differences: v.pipe(v.array(v.string()), v.description('The fields that differ and lower the score.'), v.examples([['email']])),
  }),
)

export const Duplicates = named(
  'Duplicates',
  v.object({
    record: RecordPreview,
    candidates: v.pipe(v.array(Candidate), v.description('Records that may be duplicates, most likely first.')),
  }),
)

export const minScore = v.optional(
  describe(
    QueryDecimal(0, 1),
    'The lowest score to report, from 0 to 1. 0.4 by default, and 0.7 for opportunities. ' +
      'Lower it to see more pairs, raise it to see only the surest.',
    0.6,
  ),
)

export const CandidatesQuery = v.strictObject({
  limit: v.optional(describe(QueryInt(1, 100), 'The maximum number of candidates.', 20), 20),
  min_score: minScore,
})

export const Dismiss = v.strictObject({
  ids: v.pipe(
    v.array(Id, 'must be a list of UUIDs'),
    v.length(2, 'must contain the ids of two records'),
    v.check(([a, b]) => a !== b, 'must contain two different ids'),
    v.description('The two records that are not duplicates of each other.'),
    v.examples([['01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3d', '01939f6e-8b5a-7c31-9d24-6f0e8a1b2c3e']]),
  ),
})

export const Dismissed = named(
  'DismissedDuplicate',
  v.object({
    id: Id,
    object: v.picklist(RECORD_ENTITIES),
    first_id: Id,
    second_id: Id,
    dismissed_by: v.nullable(Id),
    ...timestamps,
  }),
)
