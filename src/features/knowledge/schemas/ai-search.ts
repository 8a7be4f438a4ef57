import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, Integer, Name } from '../../../schemas/fields.ts'
import { AI_TYPES } from '../rules/ai-search.ts'

export const AiKnowledgeQuery = v.strictObject({
  query: describe(Name(1_000), 'A question, words that its answer has, or the name of a record.', 'When does Ana Lee prefer to be called?'),
  types: v.optional(
    v.pipe(
      v.array(Enum(AI_TYPES), 'must be a list of types'),
      v.minLength(1, 'must name at least one type; leave it out for all'),
      v.maxLength(AI_TYPES.length, 'must name each type once'),
      v.description('What to search; everything by default.'),
      v.examples([['passage', 'memory']]),
    ),
  ),
  limit: v.optional(describe(Integer(1, 20), 'The most hits.', 10), 10),
})
export type AiKnowledgeQuery = v.InferOutput<typeof AiKnowledgeQuery>

export const AiKnowledgeHit = named(
  'AiKnowledgeHit',
  v.object({
    type: v.picklist(AI_TYPES),
    id: v.pipe(Id, v.description('The part of an entry, the memory, or the record.')),
    title: v.pipe(v.string(), v.description('The title of the entry, the topic of the memory, or the name of the record.')),
    text: v.pipe(v.nullable(v.string()), v.description('The passage or the memory, word for word; of a record what tells it from others.')),
    score: v.pipe(v.number(), v.description('Its rank among the hits of its kind: the higher, the better.'), v.examples([0.0164])),
    source: v.pipe(
      v.object({
        type: v.pipe(
          v.string(),
          v.description('What kind of source it is: knowledge_entry, the source_type of a memory, or that of the record.'),
          v.examples(['knowledge_entry']),
        ),
        id: v.pipe(Id, v.description('The id of the source.')),
        url: v.pipe(v.nullable(v.string()), v.description('The address of the page that was read.')),
        heading_path: v.pipe(v.array(v.string()), v.description('The headings above a passage, from the outermost.'), v.examples([[]])),
        as_of: v.pipe(v.nullable(InstantOut), v.description('When an entry was last changed, or since when a memory has held.')),
      }),
      v.description('Where it is from, for a citation.'),
    ),
  }),
)
export type AiKnowledgeHit = v.InferOutput<typeof AiKnowledgeHit>
