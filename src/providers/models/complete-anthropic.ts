import * as v from 'valibot'
import { callAt, type Draft, refusedInStream, streamed } from './complete-stream.ts'
import type { CompletionRequest, ModelMessage, ModelName, Models, StopReason, Tool } from './port.ts'

export type Options = { url: string; key: string; names: Record<ModelName, string>; timeoutMs?: number }

const VERSION = '2023-06-01'
const STOPS: Record<string, StopReason> = {
  tool_use: 'tools',
  max_tokens: 'length',
  refusal: 'refusal',
  model_context_window_exceeded: 'length',
}

const Counts = v.object({
  input_tokens: v.optional(v.nullable(v.number())),
  cache_creation_input_tokens: v.optional(v.nullable(v.number())),
  cache_read_input_tokens: v.optional(v.nullable(v.number())),
  output_tokens: v.optional(v.nullable(v.number())),
})
const Event = v.variant('type', [
  v.object({ type: v.literal('message_start'), message: v.object({ usage: v.optional(Counts) }) }),
  v.object({
    type: v.literal('content_block_start'),
    index: v.number(),
    content_block: v.object({ type: v.string(), id: v.optional(v.string()), name: v.optional(v.string()) }),
  }),
  v.object({
    type: v.literal('content_block_delta'),
    index: v.number(),
    delta: v.object({ type: v.string(), text: v.optional(v.string()), partial_json: v.optional(v.string()) }),
  }),
  v.object({
    type: v.literal('message_delta'),
    delta: v.object({ stop_reason: v.optional(v.nullable(v.string())) }),
    usage: v.optional(Counts),
  }),
  v.object({ type: v.literal('message_stop') }),
  v.object({ type: v.literal('error'), error: v.object({ type: v.string(), message: v.string() }) }),
])

/**
 * A client of Anthropic Messages (https://docs.anthropic.com/en/api/messages-streaming). `url`: https://api.anthropic.com, or a service
 * with the same API.
 */
export function anthropicModels({ url, key, names, timeoutMs = 90_000 }: Options): Models {
  return {
    complete({ model, system, messages, tools, max_tokens, signal }: CompletionRequest) {
      const limit = AbortSignal.timeout(timeoutMs)
      return streamed({
        url: `${url}/v1/messages`,
        headers: { 'x-api-key': key, 'anthropic-version': VERSION },
        body: {
          model: names[model],
          max_tokens,
          stream: true,
          system,
          messages: messages.map(wireMessage),
          ...(tools.length > 0 && { tools: tools.map(wireTool) }),
        },
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
        read,
      })
    },
  }
}

const wireTool = ({ name, description, schema }: Tool) => ({ name, description, input_schema: schema })

function wireMessage(message: ModelMessage): object {
  if (message.role === 'user') return { role: 'user', content: message.text }
  if (message.role === 'tools')
    return {
      role: 'user',
      content: message.results.map(({ call_id, text, is_error }) => ({
        type: 'tool_result',
        tool_use_id: call_id,
        content: text,
        is_error,
      })),
    }
  const text = message.text === '' ? [] : [{ type: 'text', text: message.text }]
  return {
    role: 'assistant',
    content: [
      ...text,
      ...message.calls.map((call) => ({ type: 'tool_use', id: call.id, name: call.name, input: inputOf(call.arguments) })),
    ],
  }
}

/** The API takes objects only, so arguments that are no JSON go back as the text that they are. */
function inputOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text || '{}')
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { value }
  } catch {
    return { unparsed: text }
  }
}

function read(draft: Draft, data: string): void {
  const parsed = v.safeParse(Event, JSON.parse(data))
  // Pings, ends of blocks, and types of events to come.
  if (!parsed.success) return
  const event = parsed.output
  if (event.type === 'error') throw refusedInStream(event.error.type, event.error.message)
  if (event.type === 'message_start') count(draft, event.message.usage)
  if (event.type === 'message_stop') draft.isComplete = true
  if (event.type === 'content_block_start' && event.content_block.type === 'tool_use') {
    const call = callAt(draft, event.index)
    call.id = event.content_block.id ?? ''
    call.name = event.content_block.name ?? ''
  }
  if (event.type === 'content_block_delta') {
    if (event.delta.type === 'text_delta') draft.text += event.delta.text ?? ''
    // Parts of other blocks, such as tools that the provider calls itself, are no calls of ours.
    const call = event.delta.type === 'input_json_delta' ? draft.calls.get(event.index) : undefined
    if (call) call.arguments += event.delta.partial_json ?? ''
  }
  if (event.type === 'message_delta') {
    count(draft, event.usage)
    if (event.delta.stop_reason) draft.stop = STOPS[event.delta.stop_reason] ?? 'end'
  }
}

/** Input that was read from a cache, or written to one, is counted apart. */
function count(draft: Draft, usage: v.InferOutput<typeof Counts> | undefined): void {
  if (typeof usage?.input_tokens === 'number')
    draft.input = usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0)
  if (typeof usage?.output_tokens === 'number') draft.output = usage.output_tokens
}
