import { Hono } from 'hono'
import * as v from 'valibot'
import { knowledgeBases, knowledgeEntries } from '../../schema/index.ts'
import { createBase, getBase, updateBase } from '../../src/features/knowledge/plans/bases.ts'
import { getEntry, ingestText, listEntries, updateEntry } from '../../src/features/knowledge/plans/entries.ts'
import { queryKnowledge } from '../../src/features/knowledge/plans/query.ts'
import {
  EntryPatch,
  entryFilters,
  KnowledgeBase,
  KnowledgeBaseDetails,
  KnowledgeBasePatch,
  KnowledgeEntry,
  KnowledgeEntryDetails,
  KnowledgeHit,
  KnowledgeQuestion,
  NewKnowledgeBase,
  TextToIngest,
} from '../../src/features/knowledge/schemas/knowledge.ts'
import { listBelow } from '../../src/http/children.ts'
import { created, one, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id, pageQuery } from '../../src/schemas/fields.ts'
import { KNOWLEDGE } from '../paths.ts'

const TAG = 'Knowledge Bases'
const basesRouter = new Hono<App>()
const basesApi = endpoints(basesRouter, { path: KNOWLEDGE.bases, tag: TAG })
const entriesRouter = new Hono<App>()
const entriesApi = endpoints(entriesRouter, { path: KNOWLEDGE.entries, tag: TAG })
const params = v.object({ kb_id: Id })

basesApi.post(
  '/query',
  {
    id: 'queryKnowledge',
    summary: 'Find the passages that answer a question',
    description: 'By words and by meaning. A part number finds its page. Texts of entries that are `pending` are not found yet.',
    access: scopes('knowledge:read'),
    effect: 'read',
    body: KnowledgeQuestion,
    returns: one(v.array(KnowledgeHit)),
    errors: ['CHANNEL_NOT_CONFIGURED', 'PROVIDER_ERROR'],
  },
  ({ ctx, body }) => queryKnowledge(ctx, body),
)
resource(basesApi, {
  name: 'knowledge_base',
  param: 'kb_id',
  plural: 'knowledge-bases',
  scope: 'knowledge',
  table: knowledgeBases,
  returns: KnowledgeBase,
  record: KnowledgeBaseDetails,
  list: {},
  get: { description: 'With the number of its entries.', plan: getBase },
  create: { body: NewKnowledgeBase, plan: createBase, errors: [] },
  update: { body: KnowledgeBasePatch, plan: updateBase, errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  remove: { description: 'Its entries stay, without a base.', errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  history: true,
})
basesApi.post(
  '/:kb_id/ingest-text',
  {
    id: 'ingestText',
    summary: 'Add a text to a knowledge base',
    description:
      'The text is split along its headings, and can be found when the response says `ready`. If embeddings are unavailable, it says `pending`,' +
      ' and the background tries again.',
    access: scopes('knowledge:write'),
    limits: { body: 1_000_000 },
    params,
    body: TextToIngest,
    returns: created(KnowledgeEntryDetails, KNOWLEDGE.entries),
    errors: ['NOT_FOUND', 'CONFLICT', 'CHANNEL_NOT_CONFIGURED'],
  },
  ({ ctx, params, body }) => ingestText(ctx, params.kb_id, body),
)
listBelow(basesApi, {
  parent: { name: 'knowledge_base', param: 'kb_id', scope: 'knowledge' },
  path: '/entries',
  name: 'entry',
  plural: 'entries',
  description: 'Without their texts.',
  query: v.strictObject(pageQuery),
  returns: KnowledgeEntry,
  list: listEntries,
})
resource(entriesApi, {
  name: 'knowledge_entry',
  plural: 'knowledge-entries',
  scope: 'knowledge',
  table: knowledgeEntries,
  returns: KnowledgeEntry,
  record: KnowledgeEntryDetails,
  list: { description: 'Without their texts. Entries whose base was deleted are listed too.', filters: entryFilters },
  get: { description: 'With its text.', plan: getEntry },
  update: {
    description: 'The former text is found until the new one is indexed.',
    body: EntryPatch,
    plan: updateEntry,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'CHANNEL_NOT_CONFIGURED'],
  },
  remove: { description: 'It is found no more from then on.', errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  history: true,
})

/** The resources of this area, in the order in which their paths are matched and documented. */
export const apis = [basesApi, entriesApi]
