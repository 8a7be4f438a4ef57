import * as v from 'valibot'
import { archivedOut, named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Enum, HexColor, Id, Integer, Multiline, Name, optional, Percent } from '../../../schemas/fields.ts'
import { moneyOut } from '../../../schemas/pipes.ts'
import { isStageField, MAX_ROTTING_DAYS, MAX_STAGE_FIELDS, MAX_STAGES, STAGE_FIELDS, STAGE_KINDS } from '../rules/pipeline.ts'
import { conversion, converted } from './exchange-rates.ts'

const requiredFields = v.pipe(
  v.array(
    v.pipe(
      v.string('must be the name of a field'),
      v.check(isStageField, `must be one of: ${STAGE_FIELDS.join(', ')}, or metadata.<key> of a custom field`),
    ),
    'must be a list of fields',
  ),
  v.maxLength(MAX_STAGE_FIELDS, `must be at most ${MAX_STAGE_FIELDS} fields`),
  v.description(
    `The fields without which an opportunity cannot enter the stage: ${STAGE_FIELDS.join(', ')}, or metadata.<key> of a custom field. ` +
      'An opportunity in the stage keeps its values of them. Those that are in the stage already are not checked, ' +
      'and a value of 0 counts as none.',
  ),
  v.examples([[]]),
  v.transform((fields) => [...new Set(fields)]),
)
const rottingDays = describe(
  Integer(1, MAX_ROTTING_DAYS),
  'After this many days in the stage an open opportunity is rotting: see is_rotting. Null for never.',
  14,
)
export const stageFields = {
  name: describe(Name(80), 'The stage’s name; unique in its pipeline.', 'Qualified'),
  kind: v.optional(Enum(STAGE_KINDS, 'The kind of stage. Moving an opportunity to a won or lost stage marks it won or lost.')),
  probability: v.optional(
    describe(Percent, 'The probability of winning in this stage, 0 to 100. Defaults to 100 for a won stage and 0 otherwise.', 30),
  ),
  color: optional(HexColor),
  required_fields: v.optional(requiredFields),
  rotting_days: v.optional(v.nullable(rottingDays)),
}
export const NewStage = v.strictObject({
  ...stageFields,
  position: v.optional(describe(Integer(0, 200), 'The position; 0 is first. Defaults to the end.', 1)),
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
    required_fields: v.array(v.string()),
    rotting_days: v.nullable(v.pipe(v.number(), v.integer())),
    ...timestamps,
  }),
)

export const NewPipeline = v.strictObject({
  name: describe(Name(120), 'The pipeline’s name; unique in the workspace.', 'Hardware sales'),
  description: optional(Multiline(2000)),
  is_default: v.optional(describe(Bool, 'Whether new opportunities start in this pipeline by default.', false)),
  stages: v.optional(
    v.pipe(
      v.array(v.strictObject(stageFields), 'must be a list of stages'),
      v.minLength(1, 'must have at least one stage'),
      v.maxLength(MAX_STAGES, `must have at most ${MAX_STAGES} stages`),
      v.description('The stages in order. Defaults to New, Qualified, Proposal, Won, Lost.'),
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
    stages: v.pipe(
      v.array(v.pick(Stage, ['id', 'name', 'kind', 'probability', 'color', 'position', 'required_fields', 'rotting_days'])),
      v.description('The stages in order.'),
    ),
    ...timestamps,
  }),
)

const count = v.pipe(v.number(), v.integer())
const CurrencyTotal = named(
  'CurrencyTotal',
  v.object({
    currency: v.string(),
    count,
    value: moneyOut,
    weighted_value: v.pipe(moneyOut, v.description('The sum of value × probability.')),
  }),
)
const inOneCurrency = 'Null when the opportunities have different currencies, which are never added: see by_currency.'
const totals = {
  count,
  value: v.pipe(v.nullable(moneyOut), v.description(`The sum of their values. ${inOneCurrency}`)),
  by_currency: v.pipe(v.array(CurrencyTotal), v.description('The sums of each currency, in the order of their codes.')),
  converted,
}

export const Card = named(
  'Card',
  v.object({
    id: Id,
    name: v.string(),
    value: moneyOut,
    assigned_to: v.nullable(Id),
    customer_id: v.nullable(Id),
    company_name: v.nullable(v.string()),
    stage_entered_at: v.nullable(v.string()),
    days_in_stage: v.nullable(v.pipe(v.number(), v.integer())),
    is_rotting: v.boolean(),
    expected_close_date: v.nullable(v.string()),
    next_action_at: v.nullable(v.string()),
  }),
)

export const Board = named(
  'Board',
  v.object({
    pipeline_id: Id,
    name: v.string(),
    conversion,
    columns: v.array(
      v.object({
        stage_id: Id,
        name: v.string(),
        kind: v.picklist(STAGE_KINDS),
        color: v.nullable(v.string()),
        rotting_days: v.nullable(v.pipe(v.number(), v.integer())),
        ...totals,
        cards: v.array(Card),
      }),
    ),
  }),
)

export const Summary = named(
  'PipelineSummary',
  v.object({
    pipeline_id: Id,
    conversion,
    stages: v.array(
      v.object({
        stage_id: Id,
        name: v.string(),
        kind: v.picklist(STAGE_KINDS),
        ...totals,
        weighted_value: v.pipe(v.nullable(moneyOut), v.description(`The sum of value × probability. ${inOneCurrency}`)),
      }),
    ),
    open: v.object(totals),
    won: v.object(totals),
    lost: v.object(totals),
    conversion_percent: v.pipe(v.nullable(v.number()), v.description('The percentage won of all that were won or lost.')),
    average_days_to_close: v.pipe(
      v.nullable(v.number()),
      v.description('The average number of days from opened_at (or created_at) to closed_at of won opportunities.'),
    ),
    without_company: v.pipe(v.number(), v.integer(), v.description('The number of opportunities without a company.')),
  }),
)

export const CardsMoved = named(
  'CardsMoved',
  v.object({
    id: Id,
    deleted: v.pipe(v.boolean(), v.description('Whether it was deleted; false as long as there are opportunities left to move.')),
    changed: v.pipe(v.number(), v.integer(), v.description('The number of opportunities moved: at most 2,000 in one call.')),
    more: v.pipe(v.boolean(), v.description('Whether there are more to move: repeat the request.')),
  }),
)
