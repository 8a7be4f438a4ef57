import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { read } from '../../../data/plan.ts'
import { constant } from '../../../data/query.ts'
import { OPERATORS } from '../../../domain/filters/kinds.ts'
import { DATA_OPERATORS } from '../rules/data-tests.ts'
import { TRIGGERS } from '../rules/triggers.ts'
import { STEP_TYPES, schemaOf } from '../schemas/automation-steps.ts'
import { TRIGGER_SETTINGS } from '../schemas/automations.ts'

const json = (schema: v.GenericSchema): Record<string, unknown> => ({
  ...toJsonSchema(schema, { errorMode: 'ignore', typeMode: 'input' }),
  $schema: undefined,
})
const RECORD_OPERATORS = [...new Set(Object.values(OPERATORS).flatMap((operators) => Object.keys(operators)))]

/** The triggers, conditions and steps that automations can use, each with the JSON Schema of its settings. */
export function describeCatalogue() {
  const triggers = Object.entries(TRIGGERS).map(([type, { description }]) => ({
    type,
    description,
    settings: json(v.strictObject({ type: v.literal(type), ...TRIGGER_SETTINGS[type] })),
  }))
  const conditions = [
    ...['contact', 'company', 'opportunity'].map((on) => ({
      on,
      description: `A filter over the ${on} of the run, as the search takes it: see GET /filters/:object.`,
      operators: RECORD_OPERATORS,
    })),
    {
      on: 'trigger',
      description: 'Conditions over the data of the trigger, with paths such as payload.stage_id.',
      operators: [...DATA_OPERATORS],
    },
    {
      on: 'steps',
      description:
        'In steps only: conditions over what the steps before have led to, with paths such as reply.ended. ' +
        '`failure` of a step has its error, if it failed or was skipped, also when its message failed later.',
      operators: DATA_OPERATORS.filter((name) => !name.startsWith('changed')),
    },
  ]
  const steps = Object.entries(STEP_TYPES).map(([type, step]) => ({ type, description: step.description, settings: json(schemaOf(step)) }))
  return read(constant({ triggers, conditions, steps }))
}
