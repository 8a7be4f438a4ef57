import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Enum, Id, Instant, InstantOut, Integer, Multiline, Name, optional, QueryBool } from '../../../schemas/fields.ts'
import { MAX_CONFLICTS, MAX_HITS, MAX_MEMORY, MEMORY_SOURCES, ON_CONFLICT } from '../rules/memory.ts'

const TOPIC =
  'What the memory is about, in the same words each time. Memories of one subject with the same topic, whatever its case, ' +
  'answer the same question, so they contradict each other if they differ.'
const SOURCE = 'What kind of source it was learnt from. A `run` is that of a skill or of an automation.'
const FROM = 'Since when it has held.'
const UNTIL = 'Until when it holds; null: until further notice.'

const text = describe(
  v.pipe(Multiline(MAX_MEMORY), v.regex(/\S/, 'must not be empty')),
  `One fact, of at most ${MAX_MEMORY} characters.`,
  'Prefers to be called before noon.',
)
const validity = {
  valid_from: v.optional(describe(Instant, `${FROM} Now by default.`, '2026-01-31T09:30:00.000Z')),
  valid_until: optional(describe(Instant, UNTIL, '2036-12-31T00:00:00.000Z')),
}
const topic = optional(describe(Name(80), TOPIC, 'Preferred time for calls'))

export const NewMemory = v.strictObject({
  text,
  topic,
  contact_id: optional(
    describe(Id, 'The contact that it is about. Without a contact, a company and an opportunity it is about the workspace.'),
  ),
  customer_id: optional(describe(Id, 'The company that it is about.')),
  opportunity_id: optional(describe(Id, 'The opportunity that it is about.')),
  source_type: v.optional(describe(Enum(MEMORY_SOURCES), `${SOURCE} The owner of the key by default.`, 'member')),
  source_id: optional(describe(Id, 'The id of the source.')),
  ...validity,
  on_conflict: v.optional(
    describe(
      Enum(ON_CONFLICT),
      '`supersede`: the validity of what it contradicts ends where its own begins. ' +
        '`keep`: both stay valid, and each names the other in `contradicts`.',
      'supersede',
    ),
    'supersede',
  ),
})
export type NewMemory = v.InferOutput<typeof NewMemory>
export const MemoryPatch = v.partial(v.strictObject({ text, topic, ...validity }))
export type MemoryPatch = v.InferOutput<typeof MemoryPatch>

const subjectFilters = {
  contact_id: v.optional(describe(Id, 'Only memories about this contact.')),
  customer_id: v.optional(describe(Id, 'Only memories about this company.')),
  opportunity_id: v.optional(describe(Id, 'Only memories about this opportunity.')),
}
export const memoryFilters = {
  ...subjectFilters,
  source_type: v.optional(describe(Enum(MEMORY_SOURCES), 'Only memories from sources of this kind.', 'member')),
  source_id: v.optional(describe(Id, 'Only memories from this source.')),
  is_current: v.optional(describe(QueryBool, 'Only memories that hold now, or only others.')),
}

const subject = (name: string) => v.pipe(v.nullable(Id), v.description(`The ${name} that it is about.`))
const memory = {
  id: Id,
  text: v.string(),
  topic: v.pipe(v.nullable(v.string()), v.description(TOPIC)),
  contact_id: subject('contact'),
  customer_id: subject('company'),
  opportunity_id: subject('opportunity'),
  source_type: v.pipe(v.picklist(MEMORY_SOURCES), v.description(SOURCE)),
  source_id: v.pipe(Id, v.description('The id of the source, which may be deleted since.')),
  valid_from: v.pipe(InstantOut, v.description(FROM)),
  valid_until: v.pipe(v.nullable(InstantOut), v.description(UNTIL)),
  is_current: v.pipe(v.boolean(), v.description('Whether it holds now.')),
  superseded_by_id: v.pipe(v.nullable(Id), v.description('The memory that has ended its validity.')),
  contradicts: v.pipe(
    v.array(Id),
    v.description(
      `At most ${MAX_CONFLICTS} memories with the same subject and topic that say something else of a time at which this ` +
        'one holds, the latest first.',
    ),
    v.examples([[]]),
  ),
  ...timestamps,
}
export const Memory = named('Memory', v.object(memory))
export type Memory = v.InferOutput<typeof Memory>

export const MemoryQuery = v.strictObject({
  query: describe(Name(1_000), 'A question, or words that its answer has.', 'When can I call her?'),
  ...subjectFilters,
  include_former: v.optional(describe(Bool, 'Whether memories are found too that do not hold now.', false), false),
  limit: v.optional(describe(Integer(1, MAX_HITS), 'The most hits.', 5), 5),
})
export type MemoryQuery = v.InferOutput<typeof MemoryQuery>

const score = (description: string) => v.pipe(v.nullable(v.number()), v.description(description), v.examples([0.61]))
export const MemoryHit = named(
  'MemoryHit',
  v.object({
    ...memory,
    score: v.pipe(v.number(), v.description('Its rank by both scores: the higher, the better.'), v.examples([0.0328])),
    words_score: score('How well its words match (BM25); null if none does.'),
    vector_score: score('How near its meaning is: the cosine of the vectors; null if it is not among the nearest, or has no vector yet.'),
  }),
)
export type MemoryHit = v.InferOutput<typeof MemoryHit>
