import { eq, sql } from 'drizzle-orm'
import { automations } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan, read } from '../../../data/plan.ts'
import { constant, mapResult, oneOrThrow } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate, selectFrom, store, updateRows } from '../../../data/store.ts'
import { assertState } from '../../../data/transitions.ts'
import { type Issue, invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { awaitedIn } from '../rules/event-waits.ts'
import { allSteps } from '../rules/program.ts'
import { AUTOMATION_TRANSITIONS } from '../rules/states.ts'
import { eventsOf } from '../rules/triggers.ts'
import type { Definition, Step } from '../rules/types.ts'
import { Automation, type AutomationFile, type AutomationPatch, type NewAutomation } from '../schemas/automations.ts'
import { readDefinition } from './definition.ts'
import { assertKnown, unknownIn } from './references.ts'

const { record } = store(automations, 'automation', selectFrom<Automation>(automations, columnsFor(automations, Automation)))
export const readAutomation = record

/** The rights that the requests of steps need, which only the registry of endpoints knows. */
export type RightsOf = (steps: Step[]) => Promise<{ scopes: string[]; admin: boolean }>
/** What checks the steps that are requests of this API, which only the registry of endpoints knows. */
export type CheckRequests = (steps: Step[]) => Promise<Issue[]>

/** The definition that was sent. @throws VALIDATION_ERROR with everything that is wrong. */
async function checked(sent: Parameters<typeof readDefinition>[0], check: CheckRequests): Promise<Definition> {
  const { definition, issues } = readDefinition(sent)
  const all = issues.length > 0 ? issues : await check(definition.steps)
  if (all.length > 0) throw invalid(all)
  return definition
}

export async function createAutomation(
  { name, description, open_to_start, ...sent }: NewAutomation,
  check: CheckRequests,
): Promise<Plan<Automation>> {
  const definition = await checked(sent, check)
  const id = newId()
  return plan([...assertKnown(definition), insertRow(automations, { id, name, description, open_to_start, ...definition })], record(id))
}

/** Changes an automation. What runs stays the published version until it is published again. */
export async function updateAutomation(ctx: Ctx, id: string, patch: AutomationPatch, check: CheckRequests): Promise<Plan<Automation>> {
  const { name, description, open_to_start, ...parts } = patch
  const definition = Object.keys(parts).length > 0 ? await changedDefinition(ctx, id, parts, check) : undefined
  const changes = definition ? { ...pick(definition, Object.keys(parts)), has_changes: true } : {}
  const opened = open_to_start === undefined ? {} : { open_to_start, has_changes: true }
  const row = { ...(name !== undefined && { name }), ...(description !== undefined && { description }), ...opened, ...changes }
  return plan(
    [
      lockForUpdate(ctx, automations, id, 'automation'),
      ...(definition ? assertKnown(definition) : []),
      updateRows(automations, row, eq(automations.id, id), { id }),
    ],
    record(id),
  )
}

/** The definition with the parts that were sent. */
const changedDefinition = async (ctx: Ctx, id: string, parts: Partial<NewAutomation>, check: CheckRequests): Promise<Definition> =>
  checked({ ...(await definitionOf(ctx, id)), ...definedOnly(parts) }, check)
const pick = (definition: Definition, names: string[]) =>
  Object.fromEntries(Object.entries(definition).filter(([name]) => names.includes(name)))

/** The definition as it is stored now, with the version of the automation. */
const definitionOf = (ctx: Ctx, id: string): Promise<Definition & { version: number }> =>
  ctx.readConfirmed(oneOrThrow(definitions(id), 'automation', id))
const definitions = (id: string) => {
  const { trigger, conditions, steps, enrolment, version } = automations
  return db.select({ trigger, conditions, steps, enrolment, version }).from(automations).where(eq(automations.id, id))
}

const definedOnly = <T extends object>(parts: T) =>
  Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as T

/** What is wrong with a definition; nothing is stored. */
export async function validateAutomation(sent: NewAutomation, check: CheckRequests) {
  const { definition, issues } = readDefinition(sent)
  const all = issues.length > 0 ? issues : await check(definition.steps)
  const shown = (found: Issue[]) => ({ valid: found.length === 0, issues: found.map(({ path, message }) => ({ path, message })) })
  return read(all.length > 0 ? constant(shown(all)) : mapResult(unknownIn(definition), shown))
}

/** Locks an automation that is in one of the states in which it can be published, paused or resumed. */
const lockIn = (ctx: Ctx, id: string, verb: keyof typeof AUTOMATION_TRANSITIONS): Statement[] => [
  lockForUpdate(ctx, automations, id, 'automation'),
  assertState(automations, 'state', id, AUTOMATION_TRANSITIONS[verb], 'The automation'),
]

/**
 * Publishes the definition as it is now. The caller becomes the publisher, with whose rights it runs; `adopts`: also the runs of earlier
 * versions that have not ended, which takes the scopes of their steps.
 */
export async function publishAutomation(
  ctx: Ctx,
  id: string,
  check: CheckRequests,
  adopts: boolean,
  rightsOf: RightsOf,
): Promise<Plan<Automation>> {
  const { open: adopted, ...stored } = await ctx.read(oneOrThrow(publishable(id, adopts), 'automation', id))
  const definition = await checked(stored, check)
  const { scopes: needed } = await rightsOf(adopted.flatMap((version) => allSteps(version.definition.steps)))
  const awaited = awaitedIn(allSteps(definition.steps))
  const unchanged = sql`select assert_condition((select version from automations where id = ${id}) = ${stored.version}::int, 'CONFLICT',
    'The automation was changed meanwhile: publish it again')`
  const publish = call(
    'publish_automation',
    id,
    arrayOf(eventsOf(definition.trigger)),
    arrayOf(awaited),
    arrayOf(adopted.map((version) => version.id)),
  )
  const mayAdopt = needed.length > 0 && call('assert_scopes', arrayOf(needed))
  const { scopes, admin } = await rightsOf(allSteps(definition.steps))
  const start = call('note_start_rights', id, arrayOf(scopes), admin)
  return plan([...lockIn(ctx, id, 'publish'), unchanged, ...assertKnown(definition), mayAdopt, publish, start], record(id))
}

/** The definition as it is stored now, and for a publication that adopts them the versions with runs that have not ended. */
function publishable(id: string, adopts: boolean) {
  const { trigger, conditions, steps, enrolment, version } = automations
  const open = sql<
    { id: string; definition: Definition }[]
  >`(select coalesce(jsonb_agg(jsonb_build_object('id', v.id, 'definition', v.definition)), '[]')
    from automation_versions v where ${adopts} and v.automation_id = automations.id and v.id in (
      select r.version_id from automation_runs r where r.automation_id = automations.id and r.ended_at is null))`
  return db
    .select({ trigger, conditions, steps, enrolment, version, open: open.as('open') })
    .from(automations)
    .where(eq(automations.id, id))
}

const arrayOf = (texts: string[]) => `{${texts.join(',')}}`

export function pauseAutomation(ctx: Ctx, id: string): Plan<Automation> {
  return plan(
    [...lockIn(ctx, id, 'pause'), updateRows(automations, { state: 'paused', paused_reason: null }, eq(automations.id, id), { id })],
    record(id),
  )
}

export function resumeAutomation(ctx: Ctx, id: string): Plan<Automation> {
  return plan(
    [...lockIn(ctx, id, 'resume'), updateRows(automations, { state: 'published', paused_reason: null }, eq(automations.id, id), { id })],
    record(id),
  )
}

/** Adds a draft with the same definition. Its steps are new steps, with ids of their own. */
export async function duplicateAutomation(ctx: Ctx, id: string, name: string, check: CheckRequests): Promise<Plan<Automation>> {
  const { version: _, ...definition } = await definitionOf(ctx, id)
  return createAutomation({ name, description: null, ...withoutIds(definition) }, check)
}

/** A definition as another workspace can import it. */
function withoutIds(definition: Definition): Definition & Pick<NewAutomation, 'trigger'> {
  const copy = structuredClone(definition)
  for (const step of allSteps(copy.steps)) delete (step as Partial<Step>).id
  return copy as Definition & Pick<NewAutomation, 'trigger'>
}

export function exportAutomation(id: string): Plan<AutomationFile> {
  return read(
    mapResult(record(id), ({ name, description, trigger, conditions, steps, enrolment }) => ({
      format: 'automation/1' as const,
      name,
      description,
      ...withoutIds({ trigger, conditions, steps, enrolment } as Definition),
    })),
  )
}
