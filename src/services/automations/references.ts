import { sql } from 'drizzle-orm'
import type { Statement } from '../../data/db.ts'
import { assertNoPaths } from '../../data/query.ts'
import { partsOf } from '../../domain/automations/program.ts'
import type { Definition, Step } from '../../domain/automations/types.ts'

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

function ofSteps(steps: Step[], path: string): Reference[] {
  return steps.flatMap((step, index) => {
    const at = `${path}.${index}`
    return [...referencesIn(step, at), ...partsOf(step).flatMap((part, number) => ofSteps(part, `${at}.${number}`))]
  })
}

/** Asserts that the stages, lists, members and automations that a definition names belong to the workspace. */
export function assertKnown({ trigger, steps }: Definition): Statement | undefined {
  const references = [...referencesIn(trigger, 'trigger'), ...ofSteps(steps, 'steps')]
  if (references.length === 0) return undefined
  const missing = sql`array(select r.path from jsonb_to_recordset(${JSON.stringify(references)}::jsonb) r(path text, kind text, id uuid) where not case r.kind
    when 'stage' then exists (select from stages where stages.id = r.id) when 'pipeline' then exists (select from pipelines where pipelines.id = r.id)
    when 'list' then exists (select from lists where lists.id = r.id) when 'webhook' then exists (select from webhooks where webhooks.id = r.id) when 'automation' then exists (select from automations where automations.id = r.id)
    else exists (select from memberships where memberships.user_id = r.id and memberships.status = 'active') end)`
  return assertNoPaths(missing, 'is not in this workspace')
}
