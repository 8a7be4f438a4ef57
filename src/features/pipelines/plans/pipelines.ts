import { eq, type SQL, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { pipelines, stages } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { assertNone } from '../../../data/blockers.ts'
import { childrenOf } from '../../../data/children.ts'
import { db, type Statement, writing } from '../../../data/db.ts'
import { plan, read } from '../../../data/plan.ts'
import { type Ordered, reorder } from '../../../data/position.ts'
import { assert, assertField, assertNoPaths, mapResult, oneOrThrow } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate, updateRows } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { CHANGE_LIMIT, changed, inBatches } from '../../settings/plans/picklists.ts'
import { customKeyOf, DEFAULT_STAGES, MAX_STAGES } from '../rules/pipeline.ts'
import { type NewPipeline, type NewStage, Pipeline, type PipelinePatch, Stage, type StagePatch } from '../schemas/pipelines.ts'

type Input<S extends v.GenericSchema> = v.InferOutput<S>
type StageOfPipeline = {
  id: string
  name: string
  kind: 'open' | 'won' | 'lost'
  probability: number
  color: string | null
  position: number
  required_fields: string[]
  rotting_days: number | null
}

export const stagesOf = sql<
  StageOfPipeline[]
>`(select coalesce(json_agg(json_build_object('id', s.id, 'name', s.name, 'kind', s.kind, 'probability', s.probability, 'color', s.color,
  'position', s.position, 'required_fields', s.required_fields, 'rotting_days', s.rotting_days)
  order by s.position, s.id), '[]') from stages s where s.workspace_id = pipelines.workspace_id and s.pipeline_id = pipelines.id)`.as(
  'stages',
)

const pipeline = (id: string) =>
  oneOrThrow(
    db
      .select(columnsFor(pipelines, Pipeline, { stages: stagesOf }))
      .from(pipelines)
      .where(eq(pipelines.id, id)),
    'pipeline',
  )

/** Serialises changes of the default pipeline, so that only one remains the default. */
const defaultPipelineLock = sql`select pg_advisory_xact_lock(hashtextextended(current_workspace()::text || ' default pipeline', 0))`

/** Without a probability, a won stage gets 100 and any other stage 0. */
export const withProbability = <S extends { kind?: string; probability?: number }>(stage: S) => ({
  ...stage,
  probability: stage.probability ?? (stage.kind === 'won' ? 100 : 0),
})

/** Asserts that the custom fields among a stage's required fields are defined. `at` is the path of the stage in the body. */
function knownFields(fields: string[] | undefined, at = ''): Statement | undefined {
  const custom = (fields ?? []).flatMap((field, index) => ({ key: customKeyOf(field), index })).filter(({ key }) => key !== undefined)
  if (custom.length === 0) return undefined
  return assertNoPaths(
    sql`array(select ${`${at}required_fields.`} || (g ->> 'index') from jsonb_array_elements(${JSON.stringify(custom)}::jsonb) g
      where not exists (select from custom_fields f where f.object = 'opportunity' and f.field_key = g ->> 'key'))`,
    'Opportunities have no custom field with this key',
  )
}

const clearDefault = (id: string): Statement => db.update(pipelines).set({ is_default: false }).where(sql`is_default and id <> ${id}`)

export const getPipeline = (id: string) => read(pipeline(id))

export function createPipeline(_ctx: Ctx, { stages: requested = DEFAULT_STAGES, ...fields }: Input<typeof NewPipeline>) {
  const id = newId()
  const rows = requested.map((one, position) => ({ ...withProbability(one), id: newId(), pipeline_id: id, position }))
  return plan(
    [
      fields.is_default && defaultPipelineLock,
      fields.is_default && clearDefault(id),
      insertRow(pipelines, { ...fields, id }),
      ...rows.map((row, at) => knownFields(row.required_fields, `stages.${at}.`)),
      writing(stages, rows, db.insert(stages).values(rows)),
    ],
    pipeline(id),
  )
}

/** New cards go to the default pipeline, so that it is never archived. */
function assertKeepsDefault(id: string, patch: Input<typeof PipelinePatch>): Statement {
  const { archived, is_default } = pipelines
  const ends = sql`exists (select from ${pipelines}
    where ${pipelines.id} = ${id} and ${patch.archived ?? archived} and ${patch.is_default ?? is_default})`
  const field = patch.archived ? 'archived' : 'is_default'
  return assertField(sql`not ${ends}`, field, 'The default pipeline cannot be archived: make another pipeline the default first')
}

export function updatePipeline(ctx: Ctx, id: string, patch: Input<typeof PipelinePatch>) {
  return plan(
    [
      patch.is_default && defaultPipelineLock,
      lockForUpdate(ctx, pipelines, id, 'pipeline'),
      patch.is_default && clearDefault(id),
      (patch.archived || patch.is_default) && assertKeepsDefault(id, patch),
      updateRows(pipelines, patch, eq(pipelines.id, id), { id }),
    ],
    pipeline(id),
  )
}

/** Deletes a pipeline. If it has cards, `moveTo` must name a stage of another pipeline that takes them. */
export function deletePipeline(ctx: Ctx, id: string, moveTo: string | undefined) {
  const cards = sql`pipeline_id = ${id}`
  const elsewhere = sql`exists (select from stages s join pipelines p on p.workspace_id = s.workspace_id and p.id = s.pipeline_id
    where s.id = ${moveTo} and p.id <> ${id} and not p.archived)`
  return plan(
    [
      lockForUpdate(ctx, pipelines, id, 'pipeline'),
      ...moveCards(cards, moveTo, elsewhere),
      sql`delete from pipelines where id = ${id} and not exists (select from opportunities where ${cards})`,
    ],
    deletion(pipelines, id),
  )
}

/** Whether the row was deleted: while cards are left, repeating the request moves the next ones. */
function deletion(table: typeof pipelines | typeof stages, id: string) {
  const remains = sql<boolean>`exists (select from ${table} t where t.id = ${id})`
  const result = db
    .select({
      id: sql<string>`${id}::uuid`.as('id'),
      deleted: sql<boolean>`not ${remains}`.as('deleted'),
      changed,
      more: remains.as('more'),
    })
    .from(sql`(select) one`)
  return oneOrThrow(result, 'stage')
}

/** Moves up to CHANGE_LIMIT cards to the given stage or, without one, asserts that there are none. */
function moveCards(cards: SQL, moveTo: string | undefined, fits: SQL): Statement[] {
  if (moveTo === undefined) {
    return [
      assertNone(
        sql`select id from opportunities where ${cards}`,
        'opportunities',
        'It has cards: send move_to_stage_id with the stage to move them to',
      ),
    ]
  }
  return [
    assertField(fits, 'move_to_stage_id', 'must be another stage of this workspace, whose pipeline is not archived'),
    ...inBatches(
      (limit) =>
        sql`update opportunities set stage_id = ${moveTo}
          where id = any(array(select id from opportunities where ${cards} limit ${limit}))`,
    ),
  ]
}

/** Serialises changes to a pipeline's stages, so that their positions stay consistent. */
const lockPipeline = (ctx: Ctx, id: string) => lockForUpdate({ ...ctx, ifMatch: undefined }, pipelines, id, 'pipeline')
const lockStage = (ctx: Ctx, pipelineId: string, id: string): Statement =>
  sql`select assert_version((select version from stages where id = ${id} and pipeline_id = ${pipelineId} for update),
    ${ctx.ifMatch ?? null}::int, 'stage')`

export const listStages = (pipelineId: string) =>
  read(mapResult(pipeline(pipelineId), (row) => row.stages.map((one) => ({ ...one, pipeline_id: pipelineId }))))

const stagesIn = (pipelineId: string): Ordered => ({ table: stages, parent: stages.pipeline_id, parentId: pipelineId })

/** Without a probability, a stage that becomes won gets 100 and one that becomes lost gets 0. */
const decided = ({ kind, probability }: Input<typeof StagePatch>) =>
  kind === undefined || kind === 'open' || probability !== undefined ? {} : { probability: kind === 'won' ? 100 : 0 }

const fewCardsOfOtherKind = (id: string, kind: string) =>
  assertNone(
    sql`select id from opportunities where stage_id = ${id} and status <> ${kind}
      and (select count(*) from (select from opportunities where stage_id = ${id} and status <> ${kind}
        limit ${CHANGE_LIMIT + 1}::int) others) > ${CHANGE_LIMIT}::int`,
    'opportunities',
    `A stage changes its kind together with its cards, of which there are more than ${CHANGE_LIMIT.toLocaleString('en')}: move them to ` +
      'a stage of that kind instead',
  )

/**
 * The stages of a pipeline. When the kind of one changes, so does the status of its cards: their number is limited to what one request can
 * update.
 */
export const stageRows = childrenOf({
  parent: { table: pipelines, name: 'pipeline' },
  what: 'stage',
  table: stages,
  link: stages.pipeline_id,
  select: (keys) => db.select({ ...columnsFor(stages, Stage), ...keys }).from(stages),
  sort: 'position',
  max: { rows: MAX_STAGES, field: 'name', message: `A pipeline has at most ${MAX_STAGES} stages` },
  create: ({ position: _, ...input }: Input<typeof NewStage>) => ({
    columns: withProbability(input),
    before: [knownFields(input.required_fields)],
  }),
  update: (patch: Input<typeof StagePatch>, { id }) => ({
    columns: { ...patch, ...decided(patch) },
    before: [knownFields(patch.required_fields), patch.kind && fewCardsOfOtherKind(id, patch.kind)],
    after: [patch.kind && sql`update opportunities set status = ${patch.kind} where stage_id = ${id} and status <> ${patch.kind}`],
  }),
})

export function deleteStage(ctx: Ctx, pipelineId: string, id: string, moveTo: string | undefined) {
  const fits = sql`${moveTo ?? null}::uuid <> ${id}
    and exists (select from stages s join pipelines p on p.workspace_id = s.workspace_id and p.id = s.pipeline_id
    where s.id = ${moveTo ?? null}::uuid and (not p.archived or p.id = ${pipelineId}))`
  return plan(
    [
      lockPipeline(ctx, pipelineId),
      lockStage(ctx, pipelineId, id),
      assert(
        sql`exists (select from stages where pipeline_id = ${pipelineId} and id <> ${id})`,
        'CONFLICT',
        'A pipeline needs at least one stage: delete the pipeline instead',
      ),
      ...moveCards(sql`stage_id = ${id}`, moveTo, fits),
      sql`delete from stages where id = ${id} and not exists (select from opportunities where stage_id = ${id})`,
    ],
    deletion(stages, id),
  )
}

/** Replaces the whole order. The request must name every stage of the pipeline exactly once. */
export const reorderStages = (ctx: Ctx, pipelineId: string, ids: string[]) =>
  plan(
    [lockPipeline(ctx, pipelineId), ...reorder(stagesIn(pipelineId), ids, 'stage_ids', 'Send every stage of this pipeline exactly once')],
    pipeline(pipelineId),
  )

/** Asserts that a stage, which may have been deleted, is not of another pipeline, and that the pipeline is or was in the workspace. */
export const assertStageOf = (pipeline: string, stage: string): Statement =>
  sql`select assert_exists((exists (select from pipelines where pipelines.id = ${pipeline}::uuid)
      or exists (select from changes where changes.entity = 'pipeline' and changes.entity_id = ${pipeline}::uuid))
    and not exists (select from stages
      where stages.id = ${stage}::uuid and stages.pipeline_id <> ${pipeline}::uuid), 'stage', ${stage}::uuid)`
