import { eq, sql } from 'drizzle-orm'
import { opportunities, stageMoves, stages } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { assertReferences, type Reference, refersTo, updateEach } from '../../../data/bulk.ts'
import { db } from '../../../data/db.ts'
import { type PageQuery, page } from '../../../data/page.ts'
import { plan } from '../../../data/plan.ts'
import { assert, assertField } from '../../../data/query.ts'
import { assertExists, columnsFor, lockForUpdate } from '../../../data/store.ts'
import { validateEach, valuesOf } from '../../../schemas/bulk.ts'
import { bulkWriteWithWarnings } from '../../records/plans/bulk.ts'
import { type Move, MoveWithId, StageMove } from '../schemas/opportunities.ts'
import { bulk, describeOpportunity, notArchived, record, recordWithWarnings } from './opportunities.ts'
import { checkOpportunities } from './opportunity-rules.ts'
import { mergeReasons } from './reasons.ts'

const OTHER_PIPELINE = 'The stage belongs to another pipeline: omit pipeline_id, or send the stage’s own'

/** Moves the card to a stage of any pipeline. A trigger updates status, probability, timestamps and reasons. */
export function moveOpportunity(ctx: Ctx, id: string, { stage_id, pipeline_id, skip_action_ids: _, ...fields }: Move) {
  const stage = sql`(select s.pipeline_id from stages s where s.id = ${stage_id})`
  return plan(
    [
      lockForUpdate(ctx, opportunities, id, 'opportunity'),
      assertField(sql`${stage} is not null`, 'stage_id', 'No such stage in this workspace'),
      assertReferences(opportunities, { id, stage_id }, notArchived),
      pipeline_id !== undefined && assertField(sql`${stage} = ${pipeline_id}`, 'pipeline_id', OTHER_PIPELINE),
      updateEach(opportunities, [{ id, stage_id, ...fields }], [], mergeReasons([fields])),
    ],
    recordWithWarnings(id, fields),
  )
}

const STAGES: Reference[] = [
  refersTo('stage_id', stages),
  {
    field: 'pipeline_id',
    condition: sql`(p.patch ->> 'pipeline_id' is null
      or not exists (select from stages t where t.id = r.stage_id and t.pipeline_id <> r.pipeline_id))`,
    message: OTHER_PIPELINE,
  },
  ...notArchived.filter(({ field }) => field === 'stage_id'),
]

export function moveOpportunities(records: unknown[]) {
  const validated = validateEach(MoveWithId, records, (move) => move)
  const moves = valuesOf(validated)
  const update = updateEach(opportunities, moves, STAGES, mergeReasons(moves))
  return bulkWriteWithWarnings(
    [{ ...bulk, references: STAGES }, validated, checkOpportunities(moves), update],
    records,
    describeOpportunity,
  )
}

/** Removes the card from its pipeline's board. The opportunity keeps its status. */
export function removeCard(ctx: Ctx, id: string, pipelineId: string) {
  return plan(
    [
      lockForUpdate(ctx, opportunities, id, 'opportunity'),
      assertField(sql`exists (select from pipelines where id = ${pipelineId})`, 'pipeline_id', 'No such pipeline in this workspace'),
      assert(
        sql`exists (select from opportunities where id = ${id} and pipeline_id = ${pipelineId})`,
        'INVALID_STATE',
        'The opportunity has no card in this pipeline',
        { state: 'not placed', allowed: ['placed'] },
      ),
      db.update(opportunities).set({ stage_id: null }).where(eq(opportunities.id, id)),
    ],
    record(id),
  )
}

/** Lists the stages that the card has entered and left, newest first. */
export function listStageMoves(opportunityId: string, query: PageQuery) {
  return plan(
    [assertExists(opportunities, opportunityId, 'opportunity')],
    page({
      select: (keys) => db.select({ ...columnsFor(stageMoves, StageMove), ...keys }).from(stageMoves),
      id: stageMoves.id,
      where: [eq(stageMoves.opportunity_id, opportunityId)],
      sorts: { id: stageMoves.id },
      name: `stage moves ${opportunityId}`,
      query: { ...query, sort: '-id' },
    }),
  )
}
