import * as v from 'valibot'
import { STAGE_KINDS } from '../domain/pipeline.ts'
import { archivedOut, named, timestamps } from './common.ts'
import { about, Bool, Enum, HexColor, Id, Integer, Multiline, Name, optional, Percent } from './fields.ts'

export const stageFields = {
  name: about(Name(80), 'The stage’s name, once in its pipeline.', 'Qualified'),
  kind: v.optional(Enum(STAGE_KINDS, 'Entering a won or lost stage marks the opportunity won or lost.')),
  probability: v.optional(about(Percent, 'The chance of winning from here, 0 to 100. Unless given: 100 for won, 0 else.', 30)),
  color: optional(HexColor),
}
export const NewStage = v.strictObject({
  ...stageFields,
  position: v.optional(about(Integer(0, 200), 'Where to put it; 0 is first. Last unless given.', 1)),
})
export const StagePatch = v.partial(v.strictObject(stageFields))

export const Stage = named(
  'Stage',
  v.object({
    id: Id,
    pipeline_id: Id,
    name: v.string(),
    kind: v.picklist(STAGE_KINDS),
    probability: Percent,
    color: v.nullable(v.string()),
    position: v.pipe(v.number(), v.integer()),
    ...timestamps,
  }),
)

export const NewPipeline = v.strictObject({
  name: about(Name(120), 'The pipeline’s name, once in the workspace.', 'Hardware sales'),
  description: optional(Multiline(2000)),
  is_default: v.optional(about(Bool, 'New opportunities land here unless they say otherwise.', false)),
  stages: v.optional(
    v.pipe(
      v.array(v.strictObject(stageFields), 'must be a list of stages'),
      v.minLength(1, 'must have at least one stage'),
      v.maxLength(100, 'must have at most 100 stages'),
      v.description('The stages in order. Unless given: New, Qualified, Proposal, Won, Lost.'),
    ),
  ),
})
const { stages: _, ...pipelineFields } = NewPipeline.entries
export const PipelinePatch = v.strictObject({ ...v.partial(v.strictObject(pipelineFields)).entries, archived: v.optional(archivedOut) })

export const Pipeline = named(
  'Pipeline',
  v.object({
    id: Id,
    name: v.string(),
    description: v.nullable(v.string()),
    is_default: v.boolean(),
    archived: archivedOut,
    stages: v.pipe(v.array(v.pick(Stage, ['id', 'name', 'kind', 'probability', 'color', 'position'])), v.description('In order.')),
    ...timestamps,
  }),
)

const counted = { count: v.pipe(v.number(), v.integer()), value: v.number() }

export const Card = named(
  'Card',
  v.object({
    id: Id,
    name: v.string(),
    value: v.number(),
    assigned_to: v.nullable(Id),
    customer_id: v.nullable(Id),
    company_name: v.nullable(v.string()),
    stage_entered_at: v.nullable(v.string()),
    expected_close_date: v.nullable(v.string()),
    next_action_at: v.nullable(v.string()),
  }),
)

export const Board = named(
  'Board',
  v.object({
    pipeline_id: Id,
    name: v.string(),
    columns: v.array(
      v.object({
        stage_id: Id,
        name: v.string(),
        kind: v.picklist(STAGE_KINDS),
        color: v.nullable(v.string()),
        ...counted,
        cards: v.array(Card),
      }),
    ),
  }),
)

export const Summary = named(
  'PipelineSummary',
  v.object({
    pipeline_id: Id,
    stages: v.array(v.object({ stage_id: Id, name: v.string(), kind: v.picklist(STAGE_KINDS), ...counted, weighted_value: v.number() })),
    open: v.object(counted),
    won: v.object(counted),
    lost: v.object(counted),
    conversion_percent: v.pipe(v.nullable(v.number()), v.description('Won of all that were won or lost.')),
    average_days_to_close: v.pipe(v.nullable(v.number()), v.description('From opened_at (else created_at) to closed_at, of those won.')),
    without_company: v.pipe(v.number(), v.integer(), v.description('Opportunities with no company.')),
  }),
)

export const CardsMoved = named(
  'CardsMoved',
  v.object({
    id: Id,
    deleted: v.pipe(v.boolean(), v.description('False as long as there are cards left to move.')),
    changed: v.pipe(v.number(), v.integer(), v.description('How many cards were moved: at most 2,000 in one call.')),
    more: v.pipe(v.boolean(), v.description('Whether there are others: send the same again.')),
  }),
)
