import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import { agentVersions, voiceAgentConfigs } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { assert, constant, mapResult, oneOrThrow, rows } from '../../../data/query.ts'
import { assertExists, columnsFor, insertRow, lockForDelete, lockForUpdate, updateRows } from '../../../data/store.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { VOICE_MODELS } from '../rules/agents.ts'
import { scopesOfVoiceTools, voiceToolFaults } from '../rules/voice-tools.ts'
import { AgentDetails, type AgentPatch, AgentVersion, type NewAgent } from '../schemas/agents.ts'
import { assertVoice } from './voices.ts'

export const WHAT = 'agent'
const { id, type, is_external } = voiceAgentConfigs

export const agentDetails = columnsFor(voiceAgentConfigs, AgentDetails, {
  has_unpublished_changes: sql<boolean>`((published_agent_content(voice_agent_configs) is distinct from agent_content(voice_agent_configs)
    or lacks_tool_key(voice_agent_configs)) and not ${is_external})`.as('has_unpublished_changes'),
})
export const agentOf = (agentId: string) =>
  oneOrThrow(db.select(agentDetails).from(voiceAgentConfigs).where(eq(id, agentId)), WHAT, agentId)
export const getAgent = (agentId: string): Plan<AgentDetails> => read(agentOf(agentId))

/** Finds the scopes of the operations that text agents name as tools; undefined for one that does not exist. Routes know them. */
export type OperationScopes = (ids: readonly string[]) => Promise<(operationId: string) => string[] | undefined>

type ToolFields = Pick<NewAgent, 'tools' | 'event_type_id' | 'transfer_number' | 'model' | 'voice_id'>

/** The scopes of the tools of an agent. @throws VALIDATION_ERROR */
async function toolScopesOf(
  kind: 'voice' | 'text',
  { tools = [], event_type_id = null, transfer_number = null, model }: ToolFields,
  operations: OperationScopes,
) {
  const scopesOf = await operations(kind === 'voice' ? [] : tools)
  const faults = kind === 'voice' ? voiceToolFaults({ tools, event_type_id, transfer_number }) : operationFaults(tools, scopesOf)
  if (kind === 'voice' && model && !VOICE_MODELS.some((known) => known === model))
    faults.push({ path: 'model', message: `must be one of: ${VOICE_MODELS.join(', ')}` })
  if (faults.length > 0) throw invalid(faults)
  if (kind === 'voice') return scopesOfVoiceTools(tools)
  return [...new Set(tools.flatMap((tool) => scopesOf(tool) ?? []))].toSorted()
}

const operationFaults = (tools: string[], scopesOf: (id: string) => string[] | undefined) =>
  tools.flatMap((tool, at) =>
    scopesOf(tool)
      ? []
      : [{ path: `tools.${at}`, message: 'must be the operationId of an endpoint, such as getContact (see /openapi.json)' }],
  )

const assertToolScopes = (needed: string[]): Statement | undefined =>
  needed.length > 0 ? sql`select assert_scopes(array(select jsonb_array_elements_text(${JSON.stringify(needed)}::jsonb)))` : undefined

/** Fields that text agents do not have. */
function assertOwnFields({ type: kind, ...fields }: NewAgent): void {
  if (kind === 'voice' && !fields.voice_id)
    throw invalid([{ path: 'voice_id', message: 'is required for a voice agent: GET /voices lists them' }])
  if (kind === 'voice') return
  const faults = VOICE_FIELDS.filter((field) => fields[field]).map((path) => ({ path, message: 'is for voice agents only' }))
  if (faults.length > 0) throw invalid(faults)
}
const VOICE_FIELDS = ['greeting', 'voice_id', 'event_type_id', 'transfer_number'] as const

/** The statements that add the draft of an agent. @throws VALIDATION_ERROR */
export async function newAgent(ctx: Ctx, agentId: string, fields: NewAgent, scopesOf: OperationScopes): Promise<(Statement | undefined)[]> {
  assertOwnFields(fields)
  const tool_scopes = await toolScopesOf(fields.type, fields, scopesOf)
  await assertVoice(ctx, fields.voice_id)
  const row = { ...fields, id: agentId, is_external: false, status: 'draft', tool_scopes }
  return [assertToolScopes(tool_scopes), insertRow(voiceAgentConfigs, row)]
}

export async function createAgent(ctx: Ctx, fields: NewAgent, scopesOf: OperationScopes): Promise<Plan<AgentDetails>> {
  const agentId = newId()
  return plan(await newAgent(ctx, agentId, fields, scopesOf), agentOf(agentId))
}

type Stored = Required<ToolFields> & { type: 'voice' | 'text'; is_external: boolean }
const stored = {
  is_external,
  type,
  tools: voiceAgentConfigs.tools,
  event_type_id: voiceAgentConfigs.event_type_id,
  transfer_number: voiceAgentConfigs.transfer_number,
  model: voiceAgentConfigs.model,
  voice_id: voiceAgentConfigs.voice_id,
}

/**
 * Changes the draft. What was published stays as it is. Tools and what they need are checked together, so that a change of one of them is
 * planned with the others as they are. @throws VALIDATION_ERROR, INVALID_STATE
 */
export async function updateAgent(ctx: Ctx, agentId: string, patch: AgentPatch, scopesOf: OperationScopes): Promise<Plan<AgentDetails>> {
  const lock = lockForUpdate(ctx, voiceAgentConfigs, agentId, WHAT)
  const isContent = Object.keys(patch).some((field) => field !== 'name')
  if (!CHECKED_TOGETHER.some((field) => field in patch))
    return plan([lock, isContent && assertOwnContent(agentId), change(agentId, patch)], agentOf(agentId))
  const current = db.select(stored).from(voiceAgentConfigs).where(eq(id, agentId))
  const [found] = await ctx.readConfirmed(rows(current))
  const before: Stored = found ?? {
    type: 'voice',
    tools: [],
    event_type_id: null,
    transfer_number: null,
    model: null,
    voice_id: null,
    is_external: true,
  }
  const after = { ...before, ...patch }
  if (!before.is_external) assertOwnFields({ name: '', prompt: '', ...after })
  const tool_scopes = !before.is_external ? await toolScopesOf(before.type, after, scopesOf) : []
  await assertVoice(ctx, patch.voice_id)
  return plan(
    [
      lock,
      assertSame(agentId, before),
      assertOwnContent(agentId),
      patch.tools && assertToolScopes(tool_scopes),
      change(agentId, { ...patch, tool_scopes }),
    ],
    agentOf(agentId),
  )
}
const CHECKED_TOGETHER = ['tools', 'event_type_id', 'transfer_number', 'model', 'voice_id', 'greeting'] as const

const assertOwnContent = (agentId: string): Statement =>
  assert(
    sql`not exists (select from voice_agent_configs where id = ${agentId} and is_external)`,
    'INVALID_STATE',
    'The agent was added by its id at the voice provider: only its name can be changed here',
    { state: 'external', allowed: ['draft', 'published'] },
  )

const change = (agentId: string, patch: object) => updateRows(voiceAgentConfigs, patch, eq(id, agentId), { id: agentId })

/** What the change was planned with has not been changed meanwhile. */
function assertSame(agentId: string, { tools = [], event_type_id, transfer_number }: Stored): SQL {
  const same = sql`exists (select from voice_agent_configs where id = ${agentId} and to_jsonb(tools) = ${JSON.stringify(tools)}::jsonb
    and event_type_id is not distinct from ${event_type_id ?? null}::uuid
    and transfer_number is not distinct from ${transfer_number ?? null})`
  return assert(same, 'CONFLICT', 'The agent was changed at the same time: repeat the request', { id: agentId })
}

/** Deletes an agent, and revokes the key of its tools. At the voice provider it stays, so that it can be restored. */
export function deleteAgent(ctx: Ctx, agentId: string): Plan<{ id: string; deleted: true }> {
  return plan(
    [
      ...lockForDelete(ctx, voiceAgentConfigs, agentId, WHAT),
      call('revoke_tool_key', agentId),
      db.delete(voiceAgentConfigs).where(eq(id, agentId)),
    ],
    constant({ id: agentId, deleted: true as const }),
  )
}

/** The most versions that a list shows. */
const SHOWN_VERSIONS = 100
const versionColumns = columnsFor(agentVersions, AgentVersion)

/** The latest 100 versions, newest first. */
export function listVersions(agentId: string): Plan<AgentVersion[]> {
  const latest = db.select(versionColumns).from(agentVersions).where(eq(agentVersions.agent_id, agentId))
  return plan(
    [assertExists(voiceAgentConfigs, agentId, WHAT)],
    mapResult(rows(latest.orderBy(desc(agentVersions.number)).limit(SHOWN_VERSIONS)), (all) => all),
  )
}

export function getVersion(agentId: string, number: number): Plan<AgentVersion> {
  const version = db.select(versionColumns).from(agentVersions)
  return read(
    oneOrThrow(version.where(and(eq(agentVersions.agent_id, agentId), eq(agentVersions.number, number))), 'version of this agent'),
  )
}
