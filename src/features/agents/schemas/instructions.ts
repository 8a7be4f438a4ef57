import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { Id } from '../../../schemas/fields.ts'

const text = (description: string, example: string) => v.pipe(v.string(), v.description(description), v.examples([example]))
const texts = (description: string, example: string) => v.pipe(v.array(v.string()), v.description(description), v.examples([[example]]))

export const AiInstructions = named(
  'AiInstructions',
  v.object({
    text: text('All of it as a text for a model, at most 4,000 tokens.', 'You act in the workspace "Harbour" through the API below /v1.'),
    tokens: v.pipe(
      v.number(),
      v.integer(),
      v.description('An upper bound of the tokens of the text, counted without a model: it is never more than 4,000.'),
      v.examples([900]),
    ),
    credits: v.pipe(v.literal(0), v.description('What this call costs.')),
    workspace: v.pipe(v.object({ name: v.string(), timezone: v.string() }), v.description('The workspace of the key.')),
    caller: v.pipe(
      v.object({
        scopes: texts('The scopes of the key.', 'contacts:read'),
        role: text('The role of its member.', 'client_admin'),
        level: v.string(),
      }),
      v.description('What the calling key may do.'),
    ),
    pipelines: v.pipe(
      v.array(
        v.object({
          id: Id,
          name: v.string(),
          is_default: v.pipe(v.boolean(), v.description('Whether it is the default pipeline.')),
          stages: v.pipe(
            v.array(v.object({ id: Id, name: v.string(), kind: text('open, won or lost.', 'open') })),
            v.description('Its stages, in order.'),
          ),
        }),
      ),
      v.description('At most 50 pipelines; empty without pipelines:read.'),
    ),
    custom_fields: v.pipe(
      v.array(
        v.object({
          object: text('The kind of record.', 'contact'),
          key: text('The key in metadata.', 'vat_number'),
          label: text('What the field is called.', 'VAT number'),
          type: text('The type of its values.', 'text'),
          required: v.pipe(v.boolean(), v.description('Whether it must have a value.')),
        }),
      ),
      v.description('At most 200 custom fields; empty without company:read.'),
    ),
    conventions: texts('What holds for every call.', 'Lists return {data, page}.'),
    limits: texts('How much is allowed.', '100 requests in 10 seconds with this key.'),
  }),
)
export type AiInstructions = v.InferOutput<typeof AiInstructions>
