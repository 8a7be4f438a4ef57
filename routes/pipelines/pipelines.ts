import { Hono } from 'hono'
import * as v from 'valibot'
import { pipelines, stages } from '../../schema/index.ts'
import { boardOf, summaryOf } from '../../src/features/pipelines/plans/pipeline-reports.ts'
import {
  assertStageOf,
  createPipeline,
  deletePipeline,
  deleteStage,
  getPipeline,
  listStages,
  reorderStages,
  stageRows,
  stagesOf,
  updatePipeline,
} from '../../src/features/pipelines/plans/pipelines.ts'
import { MAX_STAGES } from '../../src/features/pipelines/rules/pipeline.ts'
import { conversionQuery } from '../../src/features/pipelines/schemas/exchange-rates.ts'
import {
  Board,
  CardsMoved,
  NewPipeline,
  NewStage,
  Pipeline,
  PipelinePatch,
  Stage,
  StagePatch,
  Summary,
} from '../../src/features/pipelines/schemas/pipelines.ts'
import { children } from '../../src/http/children.ts'
import { scopes } from '../../src/http/modes.ts'
import { history, resource } from '../../src/http/resource.ts'
import { type App, endpoints } from '../../src/http/router.ts'
import { describe, Enum, Id, Ids, IsoDate, QueryInt } from '../../src/schemas/fields.ts'
import { PIPELINE } from '../parents.ts'
import { CRM } from '../paths.ts'

export const pipelinesRouter = new Hono<App>()
export const pipelinesApi = endpoints(pipelinesRouter, { path: CRM.pipelines, tag: 'Pipelines' })

const params = v.object({ pipeline_id: Id })
const ofStage = v.object({ pipeline_id: Id, stage_id: Id })
const moveTo = v.strictObject({
  move_to_stage_id: v.optional(describe(Id, 'The stage that the opportunities move to. Required if there are any.')),
})

resource(pipelinesApi, {
  name: 'pipeline',
  plural: 'pipelines',
  table: pipelines,
  returns: Pipeline,
  computed: { stages: stagesOf },
  list: { sorts: ['created_at', 'updated_at'] },
  get: { summary: 'Get a pipeline with its stages', plan: getPipeline },
  create: { summary: 'Create a pipeline with its stages', body: NewPipeline, plan: createPipeline },
  update: { body: PipelinePatch, plan: updatePipeline },
  restore: {},
  history: true,
})
pipelinesApi.delete(
  '/:pipeline_id',
  {
    id: 'deletePipeline',
    summary: 'Delete a pipeline',
    description:
      'If it has opportunities, move_to_stage_id names the stage that they move to. ' +
      'One call moves at most 2,000; repeat it while `more` is true.',
    access: scopes('pipelines:delete'),
    params,
    query: moveTo,
    returns: CardsMoved,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, query }) => deletePipeline(ctx, params.pipeline_id, query.move_to_stage_id),
)

pipelinesApi.get(
  '/:pipeline_id/board',
  {
    id: 'getPipelineBoard',
    summary: "Get a pipeline's board",
    access: scopes('pipelines:read', 'opportunities:read'),
    params,
    query: v.strictObject({
      cards: v.optional(describe(QueryInt(0, 50), 'The maximum number of cards in a column.', 10), 10),
      assigned_to: v.optional(Id),
      ...conversionQuery,
    }),
    returns: Board,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, query }) => boardOf(ctx, params.pipeline_id, query),
)
pipelinesApi.get(
  '/:pipeline_id/summary',
  {
    id: 'getPipelineSummary',
    summary: 'Get a pipeline report',
    description:
      'Returns the numbers and values by stage, of won and of lost opportunities, the conversion and the days to close. ' +
      'Covers all time, or a range of dates (inclusive, in UTC), and all owners or one.',
    access: scopes('pipelines:read', 'opportunities:read'),
    params,
    query: v.strictObject({
      from: v.optional(IsoDate),
      to: v.optional(IsoDate),
      assigned_to: v.optional(Id),
      ...conversionQuery,
      date_field: v.optional(Enum(['created_at', 'opened_at', 'closed_at'], 'The date that from and to apply to.'), 'created_at'),
    }),
    returns: Summary,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, query }) => summaryOf(ctx, params.pipeline_id, query),
)

pipelinesApi.get(
  '/:pipeline_id/stages',
  {
    id: 'listPipelineStages',
    summary: "List a pipeline's stages, in order",
    access: scopes('pipelines:read'),
    params,
    returns: v.array(v.omit(Stage, ['version', 'created_at', 'updated_at'])),
    errors: ['NOT_FOUND'],
  },
  ({ params }) => listStages(params.pipeline_id),
)
pipelinesApi.post(
  '/:pipeline_id/stages/reorder',
  {
    id: 'reorderPipelineStages',
    summary: "Reorder a pipeline's stages",
    access: scopes('pipelines:write'),
    params,
    body: v.strictObject({ stage_ids: Ids(MAX_STAGES) }),
    returns: Pipeline,
    errors: ['NOT_FOUND'],
  },
  ({ ctx, params, body }) => reorderStages(ctx, params.pipeline_id, body.stage_ids),
)
children(pipelinesApi, {
  parent: PIPELINE,
  path: '/stages',
  name: 'stage',
  key: 'stage_id',
  rows: stageRows,
  returns: Stage,
  create: { summary: 'Create a stage in a pipeline', body: NewStage, errors: ['NOT_FOUND', 'CONFLICT'] },
  get: {},
  update: {
    description: 'A new kind changes the status of the opportunities in the stage.',
    body: StagePatch,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  restore: {},
})
pipelinesApi.delete(
  '/:pipeline_id/stages/:stage_id',
  {
    id: 'deletePipelineStage',
    summary: "Delete a pipeline's stage",
    description:
      'If it has opportunities, move_to_stage_id names the stage that they move to. ' +
      'One call moves at most 2,000; repeat it while `more` is true.',
    access: scopes('pipelines:delete'),
    params: ofStage,
    query: moveTo,
    returns: CardsMoved,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, query }) => deleteStage(ctx, params.pipeline_id, params.stage_id, query.move_to_stage_id),
)
history(pipelinesApi, '/:pipeline_id/stages/:stage_id/history', {
  entity: 'stage',
  name: 'pipeline_stage',
  table: stages,
  param: 'stage_id',
  scopes: ['pipelines:read'],
  within: ({ pipeline_id, stage_id }) => assertStageOf(pipeline_id as string, stage_id as string),
})
