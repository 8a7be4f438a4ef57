import { Hono } from 'hono'
import * as v from 'valibot'
import { searchKnowledge } from '../../src/features/knowledge/plans/ai-search.ts'
import { AiKnowledgeHit, AiKnowledgeQuery } from '../../src/features/knowledge/schemas/ai-search.ts'
import { one, scopes } from '../../src/http/modes.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { KNOWLEDGE } from '../paths.ts'

const router = new Hono<App>()
export const aiKnowledgeApi = endpoints(router, { path: KNOWLEDGE.ai, tag: 'AI Knowledge' })

aiKnowledgeApi.post(
  '/search',
  {
    id: 'searchAiKnowledge',
    summary: 'Search everything that the workspace knows',
    description:
      'Passages of knowledge bases and memories that hold now are found by words and by meaning; contacts, companies, ' +
      'opportunities and documents by the' +
      ' names, addresses, numbers and ids in the question: written with capitals, or as a question of at most six words. ' +
      'The best hits of each kind come' +
      ' first. Each kind needs its scope, such as `knowledge:read` or `contacts:read`; what the key may not read is left out ' +
      'and named in `_warnings`.',
    access: scopes(),
    effect: 'read',
    body: AiKnowledgeQuery,
    returns: one(v.array(AiKnowledgeHit)),
  },
  ({ ctx, body }) => searchKnowledge(ctx, body),
)
