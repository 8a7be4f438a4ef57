import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Id, Ids, InstantOut, Integer, Multiline, Name, optional, Url } from '../../../schemas/fields.ts'
import { ENTRY_SOURCES, ENTRY_STATUSES, MAX_ENTRY_TEXT } from '../rules/entries.ts'
import { MAX_CHOSEN } from '../rules/syncs.ts'

const RESYNC = 'Whether pages that were added by their address are read again by themselves.'
const HOURS = 'After how many hours they are read again.'
const HELP_CENTER = 'The help centre at Zendesk whose articles sync-help-center reads, with its language.'
const fields = {
  name: describe(Name(120), 'What the knowledge base is called.', 'Returns and warranty'),
  description: optional(describe(Multiline(2_000), 'What it is about.', 'How customers return goods, and what is covered.')),
  auto_resync_enabled: v.optional(describe(Bool, RESYNC, true)),
  auto_resync_hours: v.optional(describe(Integer(1, 720), HOURS, 24)),
  help_center_url: v.optional(v.nullable(describe(Url, HELP_CENTER, 'https://harbour.zendesk.com/hc/en-au'))),
}
export const NewKnowledgeBase = v.strictObject(fields)
export type NewKnowledgeBase = v.InferOutput<typeof NewKnowledgeBase>
export const KnowledgeBasePatch = v.partial(v.strictObject(fields))
export type KnowledgeBasePatch = v.InferOutput<typeof KnowledgeBasePatch>

const count = (description: string) => v.pipe(v.number(), v.integer(), v.description(description), v.examples([3]))
export const KnowledgeBase = named(
  'KnowledgeBase',
  v.object({
    id: Id,
    name: v.string(),
    description: v.nullable(v.string()),
    auto_resync_enabled: v.pipe(v.boolean(), v.description(RESYNC)),
    auto_resync_hours: v.pipe(v.number(), v.integer(), v.description(HOURS), v.examples([24])),
    help_center_url: v.pipe(v.nullable(v.string()), v.description(HELP_CENTER)),
    ...timestamps,
  }),
)
export type KnowledgeBase = v.InferOutput<typeof KnowledgeBase>
export const SyncOutcome = named(
  'SyncOutcome',
  v.object({
    added: count('Entries that are new.'),
    updated: count('Entries whose source has changed. Their former text is found until the new one is indexed.'),
    unchanged: count('Entries whose source is as it was.'),
    removed: count('Entries whose source is gone, and which were deleted.'),
    synced_at: v.pipe(InstantOut, v.description('When the entries were compared with their source.')),
  }),
)
export type SyncOutcome = v.InferOutput<typeof SyncOutcome>
export const KnowledgeBaseDetails = named(
  'KnowledgeBaseDetails',
  v.object({
    ...KnowledgeBase.entries,
    entry_count: count('How many entries it has.'),
    agent_count: count('How many agents answer from it.'),
    last_syncs: v.pipe(
      v.object({ help_center: v.optional(SyncOutcome), product: v.optional(SyncOutcome) }),
      v.description('What the latest synchronisation with each source has done.'),
    ),
  }),
)
export type KnowledgeBaseDetails = v.InferOutput<typeof KnowledgeBaseDetails>

const title = describe(Name(300), 'The title of the text, which is searched too.', 'How to return an order')
const EntryText = describe(
  v.pipe(Multiline(MAX_ENTRY_TEXT), v.regex(/\S/, 'must not be empty')),
  `Text or markdown of at most ${MAX_ENTRY_TEXT} characters. Its headings are shown with what is found.`,
  '## Within 30 days\n\nSend the parcel back unopened, with form R-17.',
)
export const TextToIngest = v.strictObject({ title, text: EntryText })
export type TextToIngest = v.InferOutput<typeof TextToIngest>
export const PageToIngest = v.strictObject({
  url: describe(
    Url,
    'The address of the page. Everybody must be able to read it; an address that the base has already is read again.',
    'https://example.com/returns',
  ),
})
export type PageToIngest = v.InferOutput<typeof PageToIngest>
export const ArticlesToSync = v.strictObject({
  article_ids: v.optional(
    describe(
      v.pipe(
        v.array(Integer(1, Number.MAX_SAFE_INTEGER), 'must be a list of numbers'),
        v.minLength(1, 'must have at least one number; leave it out for all articles'),
        v.maxLength(MAX_CHOSEN, `must have at most ${MAX_CHOSEN} numbers; leave it out for all articles`),
      ),
      'The articles by their numbers; all by default.',
      [360001234],
    ),
  ),
})
export type ArticlesToSync = v.InferOutput<typeof ArticlesToSync>
export const EntryPatch = v.partial(v.strictObject({ title, text: EntryText }))
export type EntryPatch = v.InferOutput<typeof EntryPatch>

export const entryFilters = {
  knowledge_base_id: v.optional(describe(Id, 'Only entries of this knowledge base.')),
}

const URL = 'The address of the page that was read.'
const entry = {
  id: Id,
  knowledge_base_id: v.pipe(v.nullable(Id), v.description('The knowledge base; null after that was deleted.')),
  source: v.pipe(v.picklist(ENTRY_SOURCES), v.description('Where the text comes from.'), v.examples(['url'])),
  title: v.string(),
  url: v.pipe(v.nullable(v.string()), v.description(URL)),
  status: v.pipe(
    v.picklist(ENTRY_STATUSES),
    v.description('`pending`: it cannot be found yet. `failed`: it could not be read or embedded in several tries.'),
    v.examples(['ready']),
  ),
  error: v.pipe(v.nullable(v.string()), v.description('Why the last attempt failed. What was there before is still found.')),
  chunk_count: count('The number of parts in which it is searched.'),
  text_length: count('The number of characters of the text.'),
  text_sha256: v.pipe(v.string(), v.description('The SHA-256 digest of the text in UTF-8, in hexadecimal.')),
  synced_at: v.pipe(v.nullable(InstantOut), v.description('When its text was last read and stored.')),
  ...timestamps,
}
export const KnowledgeEntry = named('KnowledgeEntry', v.object(entry))
export type KnowledgeEntry = v.InferOutput<typeof KnowledgeEntry>
export const KnowledgeEntryDetails = named(
  'KnowledgeEntryDetails',
  v.object({ ...entry, text: v.pipe(v.string(), v.description('The text, as markdown.')) }),
)
export type KnowledgeEntryDetails = v.InferOutput<typeof KnowledgeEntryDetails>

const QUERY = 'A question, or words that its answer has.'
export const MAX_HITS = 20
export const KnowledgeQuestion = v.strictObject({
  query: describe(Name(1_000), QUERY, 'How long can a customer send goods back?'),
  knowledge_base_ids: v.optional(describe(Ids(20), 'Only texts of these knowledge bases; all by default.')),
  limit: v.optional(describe(Integer(1, MAX_HITS), 'The most hits.', 5), 5),
})
export type KnowledgeQuestion = v.InferOutput<typeof KnowledgeQuestion>

const score = (description: string) => v.pipe(v.nullable(v.number()), v.description(description), v.examples([0.61]))
export const KnowledgeHit = named(
  'KnowledgeHit',
  v.object({
    chunk_id: v.pipe(Id, v.description('The part of the entry.')),
    entry_id: v.pipe(Id, v.description('The entry.')),
    knowledge_base_id: v.nullable(Id),
    title: v.string(),
    source: v.picklist(ENTRY_SOURCES),
    url: v.pipe(v.nullable(v.string()), v.description(URL)),
    heading_path: v.pipe(
      v.array(v.string()),
      v.description('The headings above it, from the outermost.'),
      v.examples([['Within 30 days']]),
    ),
    quote: v.pipe(v.string(), v.description('The text of the part, word for word.')),
    score: v.pipe(v.number(), v.description('Its rank by both scores: the higher, the better.'), v.examples([0.081])),
    words_score: score('How well its words match (BM25); null if none does.'),
    vector_score: score('How near its meaning is: the cosine of the vectors; null if it is not among the nearest.'),
    updated_at: v.pipe(InstantOut, v.description('When the entry was last changed.')),
  }),
)
export type KnowledgeHit = v.InferOutput<typeof KnowledgeHit>
