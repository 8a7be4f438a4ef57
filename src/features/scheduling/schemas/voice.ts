import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { describe, Enum, Id, InstantOut, SingleLine } from '../../../schemas/fields.ts'
import { VOICE_PROVIDERS } from '../rules/voice/providers.ts'
import type { Tool } from '../rules/voice/texts.ts'
import { type ArgumentName, argumentOf, namesOf, TOOL_ARGUMENTS } from '../rules/voice/tools.ts'

/** Any object: what a provider adds is passed over. */
const anyCall = (description: string, example: Record<string, unknown>) =>
  v.pipe(
    v.custom<Record<string, unknown>>((body) => typeof body === 'object' && body !== null && !Array.isArray(body), 'must be an object'),
    v.description(
      'A tool call as the provider sends it: {"name", "call", "args"}, {"message": {"toolCallList"}}, ' +
        `or the arguments alone. ${description}`,
    ),
    v.metadata({ type: 'object', additionalProperties: true }),
    v.examples([example]),
  )

const argumentLine = (name: ArgumentName) => {
  const [, ...aliases] = namesOf(name)
  return (
    `- \`${name}\`${aliases.length > 0 ? ` (or ${aliases.map((alias) => `\`${alias}\``).join(', ')})` : ''}: ` +
    `${argumentOf(name).description}`
  )
}
/** The call of a tool, with the descriptions of its arguments. */
export const toolCall = (tool: Tool, example: Record<string, unknown>) =>
  anyCall(`Arguments:\n${TOOL_ARGUMENTS[tool].map(argumentLine).join('\n')}`, example)

export const TOOLS = ['find', 'slots', 'book', 'cancel', 'reschedule'] as const
export const SimulateCall = v.pipe(
  v.strictObject({
    tool: Enum(TOOLS, 'The tool that is called.'),
    event_type_id: v.optional(describe(Id, 'The event type; needed by the tools slots and book.')),
    envelope: anyCall('The arguments are those of the tool.', { args: { phone: '+61412345678' } }),
  }),
  v.forward(
    v.check(
      ({ tool, event_type_id }) => !['slots', 'book'].includes(tool) || event_type_id !== undefined,
      'is needed by the tools slots and book',
    ),
    ['event_type_id'],
  ),
)
export type SimulateCall = v.InferOutput<typeof SimulateCall>
export const SimulatedCall = named(
  'SimulatedCall',
  v.object({
    result: v.pipe(v.picklist(['success', 'failure', 'pending_approval']), v.description('Whether it is a success.')),
    text: v.pipe(v.string(), v.description('What the agent would receive, with status 200.')),
    content_type: v.string(),
  }),
)
export type SimulatedCall = v.InferOutput<typeof SimulatedCall>

export const VoiceProviderIn = v.strictObject({
  secret: describe(
    SingleLine(500),
    'Retell: the API key with the webhook badge, by which it signs. Vapi: the secret that it sends in X-Vapi-Secret.',
    'key_3b1d5c',
  ),
})
const Provider = v.pipe(v.picklist(VOICE_PROVIDERS), v.description('The provider.'))
export const VoiceProvider = named('VoiceProvider', v.object({ provider: Provider, updated_at: InstantOut }))
export const DeletedVoiceProvider = v.object({ provider: Provider, deleted: v.literal(true) })
export type VoiceProvider = v.InferOutput<typeof VoiceProvider>
