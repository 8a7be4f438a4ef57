import { and, eq, sql } from 'drizzle-orm'
import { knowledgeAgents, knowledgeBases, voiceAgentConfigs } from '../../../../schema/index.ts'
import { db, type Statement } from '../../../data/db.ts'
import { listWhere, sortKeys } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import type { Page } from '../../../data/paged.ts'
import { type Plan, plan, read, waking } from '../../../data/plan.ts'
import { type Added, addedIf, assert, assertField, constant, oneOrThrow } from '../../../data/query.ts'
import { assertExists, assertStays, columnsFor, noteAdded } from '../../../data/store.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { AGENT_KINDS } from '../rules/entries.ts'
import { KnowledgeBase } from '../schemas/knowledge.ts'
import { type AgentOfBase, type DetachedAgent, KnowledgeAgent } from '../schemas/knowledge-agents.ts'

const WHAT = 'knowledge base'
/** The most agents of a base, and the most bases of an agent. */
const MAX_AGENTS = 100
const MAX_BASES = 20

const columns = columnsFor(knowledgeAgents, KnowledgeAgent, {
  agent_type: sql<KnowledgeAgent['agent_type']>`(select case a.type when 'voice' then 'voice' else 'workflow' end from voice_agent_configs a
    where a.workspace_id = knowledge_agents.workspace_id and a.id = agent_id)`.as('agent_type'),
  name: sql<string>`(select a.name from voice_agent_configs a
    where a.workspace_id = knowledge_agents.workspace_id and a.id = agent_id)`.as('name'),
  is_live: sql<boolean>`knowledge_is_live(knowledge_agents)`.as('is_live'),
  attached_at: sql<string>`to_json(knowledge_agents.created_at)#>>'{}'`.as('attached_at'),
})

/** The agents that answer from a base. */
export const listAgents = (baseId: string, query: PageQuery): Plan<Page<KnowledgeAgent>> =>
  plan(
    [assertExists(knowledgeBases, baseId, WHAT)],
    page({
      select: (keys: Keys) => db.select({ ...columns, ...keys }).from(knowledgeAgents),
      id: knowledgeAgents.id,
      where: [eq(knowledgeAgents.knowledge_base_id, baseId)],
      sorts: { created_at: knowledgeAgents.created_at },
      name: 'knowledge-agents',
      query,
    }),
  )

const baseColumns = columnsFor(knowledgeBases, KnowledgeBase)

/** Knowledge bases; with `agent_id` those of one agent. @throws VALIDATION_ERROR for a kind without an agent */
export function listBases(query: Record<string, unknown>): Plan<Page<KnowledgeBase>> {
  const { agent_type, agent_id } = query as Partial<AgentOfBase>
  if (agent_type !== undefined && agent_id === undefined) throw invalid([{ path: 'agent_id', message: 'is required with agent_type' }])
  const ofKind =
    agent_type === undefined
      ? sql`true`
      : sql`exists (select from voice_agent_configs a where a.id = k.agent_id
    and a.type = ${AGENT_KINDS[agent_type]})`
  const ofAgent = sql`${knowledgeBases.id} = any(array(select k.knowledge_base_id from knowledge_agents k
    where k.agent_id = ${agent_id ?? null}::uuid and ${ofKind}))`
  return read(
    page({
      select: (keys: Keys) => db.select({ ...baseColumns, ...keys }).from(knowledgeBases),
      id: knowledgeBases.id,
      where: [...listWhere(knowledgeBases, {}, query), agent_id === undefined ? undefined : ofAgent],
      sorts: sortKeys(knowledgeBases, ['created_at', 'updated_at']),
      name: 'knowledge-bases',
      query: query as PageQuery,
    }),
  )
}

const assertAgent = ({ agent_type, agent_id }: AgentOfBase): Statement =>
  assertField(
    sql`exists (select from ${voiceAgentConfigs} where ${voiceAgentConfigs.id} = ${agent_id} and type = ${AGENT_KINDS[agent_type]})`,
    'agent_id',
    `must be the id of a ${AGENT_KINDS[agent_type]} agent in this workspace`,
  )

/**
 * Lets an agent answer from a base. The voice provider gets a copy of it for voice agents, from which their next published version answers.
 */
export function attachAgent(baseId: string, agent: AgentOfBase): Plan<Added<KnowledgeAgent>> {
  const id = newId()
  const { agent_id } = agent
  const isPair = and(eq(knowledgeAgents.knowledge_base_id, baseId), eq(knowledgeAgents.agent_id, agent_id))
  const few = (column: 'knowledge_base_id' | 'agent_id', value: string, most: number, message: string) =>
    assert(
      sql`(select count(*) from (select from knowledge_agents k where k.${sql.identifier(column)} = ${value}::uuid
        limit ${most + 1}) k) <= ${most}`,
      'CONFLICT',
      message,
    )
  const record = db.select(columns).from(knowledgeAgents).where(isPair)
  const isNew = sql`exists (select from ${knowledgeAgents} where ${knowledgeAgents.id} = ${id})`
  return waking(
    'knowledge.copy',
    plan(
      [
        assertStays(knowledgeBases, baseId, WHAT),
        assertAgent(agent),
        db.insert(knowledgeAgents).values({ id, knowledge_base_id: baseId, agent_id }).onConflictDoNothing(),
        few('knowledge_base_id', baseId, MAX_AGENTS, `A knowledge base has at most ${MAX_AGENTS} agents`),
        few('agent_id', agent_id, MAX_BASES, `An agent has at most ${MAX_BASES} knowledge bases`),
        noteAdded(isNew),
      ],
      addedIf(oneOrThrow(record, 'agent of this knowledge base'), isNew),
    ),
  )
}

/** Takes a base from an agent. The base and its entries stay. */
export function detachAgent(baseId: string, agent: AgentOfBase): Plan<DetachedAgent> {
  const { agent_id } = agent
  const isPair = and(eq(knowledgeAgents.knowledge_base_id, baseId), eq(knowledgeAgents.agent_id, agent_id))
  return waking(
    'knowledge.copy',
    plan(
      [assertStays(knowledgeBases, baseId, WHAT), assertAgent(agent), db.delete(knowledgeAgents).where(isPair)],
      constant({ ...agent, knowledge_base_id: baseId, detached: true as const }),
    ),
  )
}
