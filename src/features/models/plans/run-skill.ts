import { eq, sql } from 'drizzle-orm'
import { skillRuns } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Called, type Plan, plan, withOutside } from '../../../data/plan.ts'
import { mapResult, oneOrThrow, plainRows } from '../../../data/query.ts'
import type { Operation } from '../../../domain/operations.ts'
import { AppError, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { violationsOf } from '../rules/json-schemas.ts'
import type { RunSkill, SkillRun } from '../schemas/skills.ts'
import { type Outcome, type Runnable, runLoop, type ToolReply } from './loop.ts'
import { assertScopesOf, type FindOperations } from './skills.ts'

/** The operations of the API, and how a run sends a request to one of them as its caller. */
export type Tools = {
  find: FindOperations
  call(
    operation: string,
    input: { params: Record<string, unknown>; query: Record<string, unknown>; body: unknown },
    hold: boolean,
  ): Promise<ToolReply>
}

/** Runs a skill: reserves what it may cost, lets the model work, and settles what it has used. */
export async function runSkill(ctx: Ctx, { skill_id, name, input, max_credits }: RunSkill, tools: Tools): Promise<Plan<SkillRun>> {
  const { models } = ctx.deployment
  if (!models) throw new AppError('CHANNEL_NOT_CONFIGURED', 'This deployment has no model provider: see “Models” in the guide to operating')
  const skill = await skillOf(ctx, skill_id, name)
  const faults = skill.input_schema ? violationsOf(skill.input_schema, input) : []
  if (faults.length > 0) throw invalid(faults.map(({ path, message }) => ({ path: path ? `input.${path}` : 'input', message })))
  const operations = skill.tools.length > 0 ? await tools.find(skill.tools) : []
  assertKnown(skill, operations)
  const credits = Math.min(max_credits ?? skill.credits_per_run, skill.credits_per_run)
  const id = newId()
  const begin = call('begin_skill_run', JSON.stringify({ id, skill_id: skill.id, credits, skill_limit: skill.credits_per_day }))
  return withOutside<{ id: string }, Outcome, SkillRun>(plan([operations.length > 0 && assertScopesOf(operations), begin], begun(id)), {
    call: (run) =>
      runLoop({
        skill,
        input,
        credits,
        operations,
        models,
        call: tools.call,
        note: (progress) =>
          ctx.read(plainRows(sql`select 1 from note_skill_run(${run.id}::uuid, ${JSON.stringify(progress)}::jsonb)`, ['noted'])),
      }),
    settle: (run, called) => [call('end_skill_run', run.id, JSON.stringify(outcomeOf(run.id, called)))],
    result: (run) => recordOf(run.id),
  })
}

const begun = (id: string) => oneOrThrow(db.select({ id: skillRuns.id }).from(skillRuns).where(eq(skillRuns.id, id)), 'run of a skill')

async function skillOf(ctx: Ctx, id: string | undefined, name: string | undefined): Promise<Runnable> {
  const query = call('runnable_skills', id ?? null, name ?? null)
  const [found] = await ctx.readConfirmed(plainRows<{ skills: Runnable[] }>(query, ['skills']))
  const [skill, other] = found?.skills ?? []
  if (!skill) throw new AppError('NOT_FOUND', `There is no skill ${id ?? `“${name}”`} in this workspace, nor among the public ones`)
  if (other) throw new AppError('CONFLICT', `Several public skills are called “${name}”: send skill_id`, { ids: [skill.id, other.id] })
  if (skill.status === 'disabled')
    throw new AppError('INVALID_STATE', 'The skill is disabled', { state: 'disabled', allowed: ['draft', 'active'] })
  return skill
}

/** An operation that a skill names may have gone since. */
function assertKnown({ tools }: Runnable, operations: Operation[]): void {
  const missing = tools.find((name) => !operations.some(({ id }) => id === name))
  if (missing) throw new AppError('INVALID_STATE', `The skill names the operation ${missing}, which no longer exists: change its tools`)
}

const NOTHING = { input_tokens: 0, output_tokens: 0, steps: 0, is_estimate: false, credits: 0, tool_calls: [] }

function outcomeOf(run: string, called: Called<Outcome>): Outcome {
  if (called.ok) return called.value
  console.error(JSON.stringify({ level: 'error', message: 'run of a skill', run_id: run, error: String(called.error) }))
  const error = { code: 'INTERNAL', message: 'Something went wrong on our side with this run' }
  return { ...NOTHING, status: 'failed', output: null, error }
}

const columns = {
  id: skillRuns.id,
  skill_id: skillRuns.skill_id,
  status: skillRuns.status,
  output: skillRuns.output,
  tool_calls: skillRuns.tool_calls,
  error: skillRuns.error,
  steps: skillRuns.steps,
  input_tokens: skillRuns.input_tokens,
  output_tokens: skillRuns.output_tokens,
  credits: skillRuns.credits,
  is_estimate: skillRuns.is_estimate,
  created_at: skillRuns.created_at,
  ended_at: skillRuns.ended_at,
}

/** The run as it is stored. One that has failed at the provider before it did anything is the provider's error. */
const recordOf = (id: string) =>
  mapResult(oneOrThrow(db.select(columns).from(skillRuns).where(eq(skillRuns.id, id)), 'run of a skill'), (row): SkillRun => {
    const { steps, input_tokens, output_tokens, credits, is_estimate, ...run } = row
    if (run.error?.code === 'PROVIDER_ERROR' && run.tool_calls.length === 0 && credits === 0)
      throw new AppError('PROVIDER_ERROR', run.error.message)
    return { ...run, usage: { steps, input_tokens, output_tokens, credits, is_estimate } }
  })
