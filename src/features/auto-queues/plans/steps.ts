import { type SQL, sql } from 'drizzle-orm'
import { automations, autoQueueSteps, autoQueues } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { childrenOf } from '../../../data/children.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { assertField, type Query } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { type Issue, invalid } from '../../../errors.ts'
import { readDefinition } from '../../automations/plans/definition.ts'
import type { Step } from '../../automations/rules/types.ts'
import { EFFECTS, MAX_QUEUE_STEPS, type StepChangeKind } from '../rules/auto-queues.ts'
import { AutoQueueStep, type NewQueueStep, type QueueStepPatch } from '../schemas/auto-queues.ts'
import { capped, republish } from './queues.ts'

export const queueSteps = childrenOf<AutoQueueStep, object, object>({
  parent: { table: autoQueues, name: 'queue' },
  what: 'step on this queue',
  table: autoQueueSteps,
  link: autoQueueSteps.auto_queue_id,
  select: (keys) => db.select({ ...columnsFor(autoQueueSteps, AutoQueueStep), ...keys }).from(autoQueueSteps),
  sort: 'position',
  max: { rows: MAX_QUEUE_STEPS, field: 'action', message: `A queue has at most ${MAX_QUEUE_STEPS} steps` },
  lockParent: true,
})

/** What checks a step that is a request of this API, which only the registry of endpoints knows. */
type CheckRequests = (steps: Step[]) => Promise<Issue[]>
type Inside = { enrolments: number; at_step: number; effect: string }

export async function createStep(ctx: Ctx, queue: string, input: NewQueueStep, check: CheckRequests) {
  const step = await checked(input, check)
  const { statements, result } = queueSteps.create(ctx, queue, step)
  const changed = withInside(result as Query<AutoQueueStep>, queue, 'created', sql`null::uuid`, beside)
  return plan([...startable(input), ...statements, republish(queue)], changed)
}

export async function updateStep(ctx: Ctx, queue: string, id: string, patch: QueueStepPatch, check: CheckRequests) {
  const columns = {
    ...(await checked(patch, check)),
    ...(patch.action && { automation_id: null }),
    ...(patch.automation_id && { action: null }),
  }
  const { statements, result } = queueSteps.update(ctx, queue, id, columns)
  return plan([...startable(patch), ...statements, republish(queue)], withInside(result, queue, 'updated', sql`${id}::uuid`, beside))
}

export function removeStep(ctx: Ctx, queue: string, id: string): Plan<{ id: string; deleted: true; inside: Inside }> {
  const { statements, result } = queueSteps.remove(ctx, queue, id)
  return plan(
    [...statements, republish(queue)],
    withInside({ ...result, hidden: 1 }, queue, 'deleted', sql`${id}::uuid`, (_, inside) => ({ id, deleted: true as const, inside })),
  )
}

export function reorderSteps(ctx: Ctx, queue: string, ids: string[]) {
  const { statements, result } = queueSteps.reorder(ctx, queue, ids, 'step_ids')
  return plan(
    [...statements, republish(queue)],
    withInside(result, queue, 'reordered', sql`null::uuid`, ({ items }, inside) => ({ steps: items, inside })),
  )
}

const beside = (step: AutoQueueStep, inside: Inside) => ({ ...step, inside })

/** A result with the enrolments that the change is about, in two further columns of its rows. */
function withInside<Found, Out>(
  result: Query<Found>,
  queue: string,
  kind: StepChangeKind,
  step: SQL,
  join: (found: Found, inside: Inside) => Out,
): Query<Out> {
  const { fields, hidden = 0 } = result
  const columns = fields.length + hidden
  const open = sql`from automation_runs r where r.automation_id = ${queue} and r.ended_at is null`
  return {
    ...result,
    query: sql`select q.*, ${capped(open)}, ${capped(sql`${open} and r.queue_step_id = ${step}`)} from (${result.query.getSQL()}) q`,
    hidden: hidden + 2,
    decode: (rows, raw) =>
      join(result.decode(rows, raw), {
        enrolments: Number(raw[0]?.[columns] ?? 0),
        at_step: Number(raw[0]?.[columns + 1] ?? 0),
        effect: EFFECTS[kind],
      }),
    json: undefined,
  }
}

/** The step as it is stored. @throws VALIDATION_ERROR with everything that is wrong with its action. */
async function checked<Sent extends QueueStepPatch>(sent: Sent, check: CheckRequests): Promise<Sent> {
  if (!sent.action) return sent
  const { definition, issues } = readDefinition({ trigger: { type: 'auto_queue' }, steps: [sent.action] })
  const found = issues.length > 0 ? issues : await check(definition.steps)
  if (found.length > 0) throw invalid(found.map(({ path, message }) => ({ path: path.replace(/^steps\.[^.]+/, 'action'), message })))
  const [{ id: _, ...action }] = definition.steps as [Step]
  return { ...sent, action }
}

const startable = ({ automation_id }: QueueStepPatch) =>
  automation_id
    ? [
        assertField(
          sql`exists (select from ${automations} where ${automations.id} = ${automation_id})`,
          'automation_id',
          'does not exist in this workspace',
        ),
      ]
    : []
