import * as v from 'valibot'
import { RECORD_ENTITIES } from '../domain/records.ts'
import { named, timestamps } from './common.ts'
import { about, Id, InstantOut, QueryInt } from './fields.ts'

const Text = v.nullable(v.string())

const Shown = v.object({
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
    record: Shown,
    score: v.pipe(
      v.number(),
      v.description('From 0 to 1: the chance that one of the reasons is right, if they were independent.'),
      v.examples([0.93]),
    ),
    reasons: v.pipe(
      v.array(v.object({ field: v.string(), kind: v.picklist(['exact', 'similar']), value: v.string() })),
      v.description('What is the same or similar, the surest first, and the candidate’s value of it.'),
    ),
  }),
)

export const Duplicates = named(
  'Duplicates',
  v.object({ record: Shown, candidates: v.pipe(v.array(Candidate), v.description('What it may be the same as, the likeliest first.')) }),
)

export const CandidatesQuery = v.strictObject({ limit: v.optional(about(QueryInt(1, 100), 'How many candidates to answer with.', 20), 20) })

export const Dismiss = v.strictObject({
  ids: v.pipe(
    v.array(Id, 'must be a list of UUIDs'),
    v.length(2, 'must name two records'),
    v.check(([a, b]) => a !== b, 'must name two records'),
    v.description('The two records that are not the same.'),
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
