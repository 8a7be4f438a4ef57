import { sql } from 'drizzle-orm'
import type { Statement } from '../../../data/db.ts'
import { assertNoPaths, mapResult, plainRows, type Query } from '../../../data/query.ts'
import type { Issue } from '../../../errors.ts'
import { placedSteps } from '../rules/program.ts'
import type { Definition, Trigger } from '../rules/types.ts'

const KINDS: Record<string, string> = {
  stage_id: 'stage',
  pipeline_id: 'pipeline',
  list_id: 'list',
  automation_id: 'automation',
  user_ids: 'member',
  webhook_id: 'webhook',
}
type Reference = { path: string; kind: string; id: string }

const isId = (value: unknown): value is string => typeof value === 'string' && !value.includes('{{')

function referencesIn(settings: Record<string, unknown>, path: string): Reference[] {
  return Object.entries(KINDS).flatMap(([name, kind]) => {
    const value = settings[name]
    if (Array.isArray(value)) return value.flatMap((id, index) => (isId(id) ? [{ path: `${path}.${name}.${index}`, kind, id }] : []))
    return isId(value) ? [{ path: `${path}.${name}`, kind, id: value }] : []
  })
}

/** The references of a trigger, or of an exit of a queue. Entering and leaving is announced by lists that track their members only. */
const ofTrigger = (trigger: Trigger, path: string): Reference[] =>
  referencesIn(trigger, path).map((one) => (one.kind === 'list' ? { ...one, kind: 'tracked_list' } : one))

const ofDefinition = ({ trigger, steps }: Definition) => [
  ...ofTrigger(trigger, 'trigger'),
  ...placedSteps(steps).flatMap(({ step, path }) => referencesIn(step, path)),
]

/** The paths of references that are not in the workspace, as an SQL text[]. */
const missingOf = (references: Reference[]) =>
  sql`array(select r.path from jsonb_to_recordset(${JSON.stringify(references)}::jsonb) r(path text, kind text, id uuid)
    where not case r.kind
    when 'stage' then exists (select from stages where stages.id = r.id)
      when 'pipeline' then exists (select from pipelines where pipelines.id = r.id)
    when 'list' then exists (select from lists where lists.id = r.id)
      when 'webhook' then exists (select from webhooks where webhooks.id = r.id)
      when 'automation' then exists (select from automations where automations.id = r.id)
    when 'tracked_list' then exists (select from lists where lists.id = r.id)
    else exists (select from memberships where memberships.user_id = r.id and memberships.status = 'active') end)`

/** The paths of lists that announce nothing. */
const untrackedOf = (references: Reference[]) =>
  sql`array(select r.path from jsonb_to_recordset(${JSON.stringify(references)}::jsonb) r(path text, kind text, id uuid)
    join lists on lists.id = r.id where r.kind = 'tracked_list' and not lists.tracks_membership)`

const MISSING = 'is not in this workspace'
const UNTRACKED = 'is a list that does not track its membership: no event says who comes or leaves. Change its tracks_membership first'

const assertAll = (references: Reference[]): Statement[] =>
  references.length === 0 ? [] : [assertNoPaths(missingOf(references), MISSING), assertNoPaths(untrackedOf(references), UNTRACKED)]

/**
 * Asserts that the stages, lists, members and automations that a definition names belong to the workspace, and that its trigger can occur.
 */
export const assertKnown = (definition: Definition): Statement[] => assertAll(ofDefinition(definition))

/** The same for the exits of a queue. */
export const assertExits = (exits: Trigger[]): Statement[] => assertAll(exits.flatMap((exit, index) => ofTrigger(exit, `exits.${index}`)))

/** What assertKnown would refuse. */
export function unknownIn(definition: Definition): Query<Issue[]> {
  const references = ofDefinition(definition)
  const found = sql`select ${missingOf(references)} as missing, ${untrackedOf(references)} as untracked`
  return mapResult(plainRows<{ missing: string[]; untracked: string[] }>(found, ['missing', 'untracked']), ([row]) => [
    ...(row?.missing ?? []).map((path) => ({ path, message: MISSING })),
    ...(row?.untracked ?? []).map((path) => ({ path, message: UNTRACKED })),
  ])
}
