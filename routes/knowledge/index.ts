import { Hono } from 'hono'
import * as v from 'valibot'
import { knowledgeBases, knowledgeEntries } from '../../schema/index.ts'
import { attachAgent, detachAgent, listAgents, listBases } from '../../src/features/knowledge/plans/agents.ts'
import { createBase, getBase, updateBase } from '../../src/features/knowledge/plans/bases.ts'
import { getEntry, ingestFile, ingestText, ingestUrl, listEntries, updateEntry } from '../../src/features/knowledge/plans/entries.ts'
import { queryKnowledge } from '../../src/features/knowledge/plans/query.ts'
import { syncHelpCenter, syncProducts } from '../../src/features/knowledge/plans/sync.ts'
import { adoptBase } from '../../src/features/knowledge/plans/voice-bases.ts'
import { MAX_FILE_BYTES } from '../../src/features/knowledge/rules/entries.ts'
import {
  ArticlesToSync,
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
  PageToIngest,
  SyncOutcome,
  TextToIngest,
} from '../../src/features/knowledge/schemas/knowledge.ts'
import {
  AgentOfBase,
  BaseToAdopt,
  baseFilters,
  DetachedAgent,
  KnowledgeAgent,
} from '../../src/features/knowledge/schemas/knowledge-agents.ts'
import { listBelow } from '../../src/http/children.ts'
import { added, created, one, scopes, uploadWith } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Id, pageQuery } from '../../src/schemas/fields.ts'
import { KNOWLEDGE } from '../paths.ts'
import { aiKnowledgeApi } from './ai-knowledge.ts'
import { memoryApi } from './memory.ts'
import { voiceBasesApi } from './voice-bases.ts'

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
basesApi.post(
  '/adopt',
  {
    id: 'adoptKnowledgeBase',
    summary: 'Link a knowledge base of the voice provider',
    description:
      'The base becomes a knowledge base here, its pages become entries that are read in the background, and the agents of ' +
      'this workspace that answer' +
      ' from it are attached. Nothing changes at the provider.',
    access: scopes('knowledge:write'),
    body: BaseToAdopt,
    returns: created(KnowledgeBaseDetails, KNOWLEDGE.bases),
    errors: ['CONFLICT', 'CHANNEL_NOT_CONFIGURED', 'PROVIDER_ERROR', 'KNOWLEDGE_PROVIDER_UNAVAILABLE'],
  },
  ({ ctx, body }) => adoptBase(ctx, body),
)
resource(basesApi, {
  name: 'knowledge_base',
  param: 'kb_id',
  plural: 'knowledge-bases',
  scope: 'knowledge',
  table: knowledgeBases,
  returns: KnowledgeBase,
  record: KnowledgeBaseDetails,
  list: { filters: baseFilters, plan: listBases },
  get: { description: 'With the numbers of its entries and agents.', plan: getBase },
  create: { body: NewKnowledgeBase, plan: createBase, errors: [] },
  update: { body: KnowledgeBasePatch, plan: updateBase, errors: ['NOT_FOUND', 'PRECONDITION_FAILED'] },
  remove: {
    description: 'Its entries stay, without a base. Its agents answer from it no more, and its copy at the voice provider is deleted.',
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  history: true,
})
basesApi.post(
  '/:kb_id/attach',
  {
    id: 'attachAgent',
    summary: 'Let an agent answer from a knowledge base',
    description:
      'For voice agents the voice provider gets a copy of the base in the background, which is repeated until it succeeds; ' +
      'the next published version' +
      ' of the agent answers from it. Repeated, it changes nothing: 200 instead of 201.',
    access: scopes('knowledge:write'),
    params,
    body: AgentOfBase,
    returns: added(KnowledgeAgent),
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  ({ params, body }) => attachAgent(params.kb_id, body),
)
basesApi.post(
  '/:kb_id/detach',
  {
    id: 'detachAgent',
    summary: 'Take a knowledge base from an agent',
    description:
      'The base and its entries stay. Without another voice agent the copy at the voice provider is deleted, unless it is ' +
      'kept there; otherwise the' +
      ' agent answers from it until its next version is published.',
    access: scopes('knowledge:write'),
    params,
    body: AgentOfBase,
    returns: one(DetachedAgent),
    errors: ['NOT_FOUND'],
  },
  ({ params, body }) => detachAgent(params.kb_id, body),
)
listBelow(basesApi, {
  parent: { name: 'knowledge_base', param: 'kb_id', scope: 'knowledge' },
  path: '/agents',
  name: 'agent',
  query: v.strictObject(pageQuery),
  returns: KnowledgeAgent,
  list: listAgents,
})
basesApi.post(
  '/:kb_id/ingest-text',
  {
    id: 'ingestText',
    summary: 'Add a text to a knowledge base',
    description:
      'The text is split along its headings, and can be found when the response says `ready`. ' +
      'If embeddings are unavailable, it says `pending`,' +
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
basesApi.post(
  '/:kb_id/ingest-url',
  {
    id: 'ingestUrl',
    summary: 'Add a page to a knowledge base',
    description:
      'Reads the page, and adds its text with headings and tables: 201. A page that the base has already is read again: ' +
      '200. robots.txt is respected,' +
      ' and no private address is called, also after a redirect. A page that cannot be read is an entry that says why ' +
      'in `error`; a text that was' +
      ' read before stays. With `auto_resync_enabled` of the base it is read again by itself.',
    access: scopes('knowledge:write'),
    params,
    body: PageToIngest,
    returns: added(KnowledgeEntryDetails),
    errors: ['NOT_FOUND', 'CONFLICT', 'CHANNEL_NOT_CONFIGURED'],
  },
  ({ ctx, params, body }) => ingestUrl(ctx, params.kb_id, body),
)
basesApi.post(
  '/:kb_id/ingest-file',
  {
    id: 'ingestFile',
    summary: 'Add a file to a knowledge base',
    description:
      'Send one file of at most 10 MB in the field `file`: pdf, docx, html, md, txt or csv. ' +
      'The type of a document is detected from its content, that' +
      ' of a text from the extension. Its text becomes an entry, the file is not kept.',
    access: { ...scopes('knowledge:write'), direct: true },
    body: uploadWith({}, MAX_FILE_BYTES),
    params,
    returns: created(KnowledgeEntryDetails, KNOWLEDGE.entries),
    errors: ['NOT_FOUND', 'CONFLICT', 'UNSUPPORTED_MEDIA_TYPE', 'CHANNEL_NOT_CONFIGURED'],
  },
  ({ ctx, params }) => ingestFile(ctx, params.kb_id),
)
const SYNC =
  'What is new or has changed is indexed in the background: only changed texts are embedded, and the former text of an ' +
  'entry is found until then.'
basesApi.post(
  '/:kb_id/sync-help-center',
  {
    id: 'syncHelpCenter',
    summary: 'Make the articles of a help centre entries of a knowledge base',
    description:
      'Reads the published articles at `help_center_url` of the base, and compares them with its entries: new ones are added, ' +
      'changed ones updated, and' +
      ' those that are gone deleted, all at once or, when one cannot be read, not at all. ' +
      `With article_ids only these are compared. ${SYNC}`,
    access: scopes('knowledge:write'),
    params,
    body: ArticlesToSync,
    returns: one(SyncOutcome),
    errors: ['NOT_FOUND', 'CONFLICT', 'CHANNEL_NOT_CONFIGURED', 'PROVIDER_ERROR'],
  },
  ({ ctx, params, body }) => syncHelpCenter(ctx, params.kb_id, body),
)
basesApi.post(
  '/:kb_id/sync-products',
  {
    id: 'syncProducts',
    summary: 'Make the active products entries of a knowledge base',
    description:
      'Compares the entries of products with the active catalogue; those of products that are inactive, archived or gone are deleted. ' +
      `${SYNC}`,
    access: scopes('knowledge:write'),
    params,
    returns: one(SyncOutcome),
    errors: ['NOT_FOUND', 'CONFLICT', 'CHANNEL_NOT_CONFIGURED'],
  },
  ({ ctx, params }) => syncProducts(ctx, params.kb_id),
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
export const apis = [basesApi, entriesApi, voiceBasesApi, memoryApi, aiKnowledgeApi]
