import { and, eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { voiceAgentConfigs } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db, type Statement } from '../../../data/db.ts'
import { listWhere, sortKeys } from '../../../data/lists.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { oneOrThrow } from '../../../data/query.ts'
import { columnsFor, lockForUpdate, updateRows } from '../../../data/store.ts'
import { deleteAgent } from '../../agents/plans/agents.ts'
import { VoiceAgentConfig } from '../schemas/phone.ts'

const WHAT = 'voice agent config'
const { id, type } = voiceAgentConfigs
const columns = columnsFor(voiceAgentConfigs, VoiceAgentConfig)
const agents = (keys: Keys) => db.select({ ...columns, ...keys }).from(voiceAgentConfigs)

/** Lists the agents of /agents that speak. */
export const listVoiceAgents = (query: Record<string, unknown>) =>
  read(
    page({
      select: agents,
      id,
      where: [...listWhere(voiceAgentConfigs, {}, query), eq(type, 'voice')],
      sorts: sortKeys(voiceAgentConfigs, ['created_at', 'updated_at']),
      name: 'voice agent configs',
      query: query as PageQuery,
    }),
  )

const record = (agentId: string) =>
  oneOrThrow(
    db
      .select(columns)
      .from(voiceAgentConfigs)
      .where(and(eq(id, agentId), eq(type, 'voice'))),
    WHAT,
    agentId,
  )
export const getVoiceAgent = (agentId: string): Plan<v.InferOutput<typeof VoiceAgentConfig>> => read(record(agentId))

/** Text agents are not found here. */
const assertSpeaks = (agentId: string): Statement =>
  sql`select assert_exists(exists (select from voice_agent_configs where id = ${agentId} and type = 'voice'), ${WHAT}, ${agentId}::uuid)`

export const renameVoiceAgent = (ctx: Ctx, agentId: string, patch: { name?: string }) =>
  plan(
    [
      lockForUpdate(ctx, voiceAgentConfigs, agentId, WHAT),
      assertSpeaks(agentId),
      updateRows(voiceAgentConfigs, patch, eq(id, agentId), { id: agentId }),
    ],
    record(agentId),
  )

export function deleteVoiceAgent(ctx: Ctx, agentId: string) {
  const { statements, result } = deleteAgent(ctx, agentId)
  return plan([...statements.slice(0, 1), assertSpeaks(agentId), ...statements.slice(1)], result)
}
