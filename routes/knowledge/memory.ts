import { Hono } from 'hono'
import * as v from 'valibot'
import { memories } from '../../schema/index.ts'
import { addMemory, columns, forgetMemory, getMemory, listMemories, updateMemory } from '../../src/features/memory/plans/memories.ts'
import { searchMemories } from '../../src/features/memory/plans/search.ts'
import { Memory, MemoryHit, MemoryPatch, MemoryQuery, memoryFilters, NewMemory } from '../../src/features/memory/schemas/memory.ts'
import { added, one, scopes } from '../../src/http/modes.ts'
import { resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { Deleted } from '../../src/schemas/common.ts'
import { Id } from '../../src/schemas/fields.ts'
import { KNOWLEDGE } from '../paths.ts'

const router = new Hono<App>()
export const memoryApi = endpoints(router, { path: KNOWLEDGE.memory, tag: 'Agent Memory' })

memoryApi.post(
  '/search',
  {
    id: 'searchMemories',
    summary: 'Search memories by what they are about',
    description:
      'By words and by meaning. Only memories that hold now are found, unless include_former is true. ' +
      'A memory is found by its words at once, and by its' +
      ' meaning as soon as the background has embedded it.',
    access: scopes('memory:read'),
    effect: 'read',
    body: MemoryQuery,
    returns: one(v.array(MemoryHit)),
  },
  ({ ctx, body }) => searchMemories(ctx, body),
)
memoryApi.post(
  '',
  {
    id: 'createMemory',
    summary: 'Remember a fact',
    description:
      'A fact is about one record or about the workspace, and was learnt from a source. ' +
      'Of memories of one subject with the same topic the one whose' +
      ' validity begins last holds: an earlier one stays readable, with the end of its validity and superseded_by_id. ' +
      'A fact that is known already' +
      ' changes nothing: 200 instead of 201.',
    access: scopes('memory:write'),
    body: NewMemory,
    returns: added(Memory),
  },
  ({ ctx, body }) => addMemory(ctx, body),
)
resource(memoryApi, {
  name: 'memory',
  plural: 'memories',
  scope: 'memory',
  table: memories,
  returns: Memory,
  computed: { is_current: columns.is_current, contradicts: columns.contradicts },
  list: { filters: memoryFilters, plan: listMemories },
  get: { plan: getMemory },
  update: {
    description: 'Corrects a memory. It supersedes nothing: what it contradicts then is shown in `contradicts`.',
    body: MemoryPatch,
    plan: updateMemory,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  history: true,
})
memoryApi.delete(
  '/:memory_id',
  {
    id: 'deleteMemory',
    summary: 'Forget a memory',
    description:
      'Deletes it for good: it cannot be restored, and no value of it stays in its history, in events, ' +
      'in stored responses and in logs. What it has' +
      ' superseded stays superseded.',
    access: scopes('memory:write'),
    params: v.object({ memory_id: Id }),
    returns: one(Deleted),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params }) => forgetMemory(ctx, params.memory_id),
)
