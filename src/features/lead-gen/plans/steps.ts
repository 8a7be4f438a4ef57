import { and, eq, sql } from 'drizzle-orm'
import { automations, leadInitiativeSteps, leadInitiatives } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { assertField, constant, oneOrThrow } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate, updateRows } from '../../../data/store.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import type { CheckRequests, RightsOf } from '../../automations/plans/automations.ts'
import { readDefinition } from '../../automations/plans/definition.ts'
import { assertKnown } from '../../automations/plans/references.ts'
import { allSteps } from '../../automations/rules/program.ts'
import { MAX_LEAD_STEPS } from '../rules/initiatives.ts'
import { LeadInitiativeStep, type LeadStepPatch, type NewLeadStep } from '../schemas/initiatives.ts'
import { INITIATIVE } from './initiatives.ts'

const steps = leadInitiativeSteps
const WHAT = 'step'
const TOO_MANY = `An initiative has at most ${MAX_LEAD_STEPS} steps: delete one first`
const fields = columnsFor(steps, LeadInitiativeStep)
const isStep = (initiative: string, id: string) => and(eq(steps.initiative_id, initiative), eq(steps.id, id))
const stepOf = (initiative: string, id: string) =>
  oneOrThrow<LeadInitiativeStep>(db.select(fields).from(steps).where(isStep(initiative, id)), WHAT)

/** Adds a step: with an automation of its own that does one thing (quick mode), or with one that exists. */
export async function createStep(initiative: string, sent: NewLeadStep, check: CheckRequests, rightsOf: RightsOf) {
  const { sort_order: order, action_type, action_config, automation_id, ...rest } = sent
  const id = newId()
  const made = action_type === undefined ? undefined : await quickAutomation(id, { type: action_type, ...action_config }, check, rightsOf)
  const linked = automation_id === undefined ? [] : mayStart(automation_id)
  const row = {
    ...rest,
    id,
    initiative_id: initiative,
    automation_id: made?.id ?? automation_id,
    sort_order:
      order ??
      sql`(select case when max(sort_order) is null then 0 else max(sort_order) + 1 end from ${steps}
        where ${eq(steps.initiative_id, initiative)})`,
    ...(action_type !== undefined && { action_type, action_config: action_config ?? {} }),
  }
  const few = sql`(select count(*) from ${steps} where ${eq(steps.initiative_id, initiative)}) < ${MAX_LEAD_STEPS}::int`
  return plan(
    [
      lockForUpdate({ ifMatch: undefined }, leadInitiatives, initiative, INITIATIVE),
      assertField(few, 'sort_order', TOO_MANY),
      ...(made?.statements ?? linked),
      insertRow(steps, row),
    ],
    stepOf(initiative, id),
  )
}

const mayStart = (id: string): Statement[] => [
  assertField(
    sql`exists (select from ${automations} where ${automations.id} = ${id})`,
    'automation_id',
    'does not exist in this workspace',
  ),
  call('assert_may_start', id),
]

/**
 * The published automation of a step in quick mode. Its runs act with the rights of the caller. @throws VALIDATION_ERROR for its settings.
 */
async function quickAutomation(step: string, action: { type: string }, check: CheckRequests, rightsOf: RightsOf) {
  const { definition, issues } = readDefinition({ trigger: { type: 'manual' }, steps: [action] })
  const found = issues.length > 0 ? issues : await check(definition.steps)
  if (found.length > 0)
    throw invalid(found.map(({ path, message }) => ({ path: path.replace(/^steps\.0/, 'action_config').replace(/\.type$/, ''), message })))
  const { scopes, admin } = await rightsOf(allSteps(definition.steps))
  const id = newId()
  return {
    id,
    statements: [
      ...assertKnown(definition),
      insertRow(automations, { id, name: `Initiative step ${step}`, ...definition }),
      call('publish_automation', id, '{}', '{}', '{}'),
      call('note_start_rights', id, `{${scopes.join(',')}}`, admin),
    ],
  }
}

const lockStep = (ctx: Ctx, initiative: string, id: string): Statement[] => [
  lockForUpdate({ ifMatch: undefined }, leadInitiatives, initiative, INITIATIVE),
  sql`select assert_version((select version from ${steps} where ${isStep(initiative, id)} for update),
    ${ctx.ifMatch ?? null}::int, ${WHAT})`,
]

/** Tasks that wait for the step keep their time. */
export const updateStep = (ctx: Ctx, initiative: string, id: string, patch: LeadStepPatch): Plan<LeadInitiativeStep> =>
  plan(
    [...lockStep(ctx, initiative, id), updateRows(steps, patch, isStep(initiative, id), { id, initiative_id: initiative })],
    stepOf(initiative, id),
  )

export const deleteStep = (ctx: Ctx, initiative: string, id: string) =>
  plan([...lockStep(ctx, initiative, id), db.delete(steps).where(isStep(initiative, id))], constant({ id, deleted: true as const }))
