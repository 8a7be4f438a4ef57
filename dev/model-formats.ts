import { keyOf, type ModelRequest, type ModelTurn } from './model-turns.ts'

// biome-ignore lint/suspicious/noExplicitAny: requests of either format
type Json = any
/** The events of a stream; those before `head` have no token. */
export type Events = { lines: string[]; head: number }

const textOf = (content: Json): string[] =>
  typeof content === 'string'
    ? [content]
    : (content ?? []).flatMap((part: Json) => (part.type === 'tool_result' ? textOf(part.content) : (part.text ?? [])))

/** @throws Error with what the provider would say about the request. */
export function readAnthropic(body: Json): ModelRequest {
  assertForm(body, 'max_tokens')
  const open = new Set<string>()
  for (const { role, content } of body.messages) {
    for (const part of Array.isArray(content) ? content : []) {
      if (role === 'assistant' && part.type === 'tool_use') open.add(part.id)
      if (part.type === 'tool_result' && !open.delete(part.tool_use_id)) throw new Error(`unexpected tool_use_id ${part.tool_use_id}`)
    }
  }
  if (open.size > 0) throw new Error('tool_use ids were found without tool_result blocks immediately after')
  return {
    model: body.model,
    max_tokens: body.max_tokens,
    tools: (body.tools ?? []).map(({ name }: Json) => name),
    texts: [
      ...textOf(body.system),
      ...body.messages.filter(({ role }: Json) => role === 'user').flatMap(({ content }: Json) => textOf(content)),
    ],
    called: body.messages.flatMap(({ content }: Json) =>
      (Array.isArray(content) ? content : []).filter(({ type }) => type === 'tool_use').map(({ name, input }) => keyOf(name, input)),
    ),
  }
}

/** @throws Error with what the provider would say about the request. */
export function readOpenai(body: Json): ModelRequest {
  assertForm(body, 'max_completion_tokens')
  const open = new Set<string>()
  for (const { role, tool_calls, tool_call_id } of body.messages) {
    for (const { id } of tool_calls ?? []) open.add(id)
    if (role === 'tool' && !open.delete(tool_call_id)) throw new Error(`messages with role 'tool' must follow a message with 'tool_calls'`)
  }
  if (open.size > 0) throw new Error('An assistant message with tool_calls must be followed by tool messages')
  return {
    model: body.model,
    max_tokens: body.max_completion_tokens ?? 4096,
    tools: (body.tools ?? []).map((tool: Json) => tool.function.name),
    texts: body.messages.filter(({ role }: Json) => role !== 'assistant').flatMap(({ content }: Json) => textOf(content)),
    called: body.messages.flatMap(({ tool_calls }: Json) =>
      (tool_calls ?? []).map((call: Json) => keyOf(call.function.name, parsed(call.function.arguments))),
    ),
  }
}

function assertForm({ model, messages, ...body }: Json, limit: string): void {
  if (typeof model !== 'string' || model === '') throw new Error('model: field required')
  if (!Array.isArray(messages) || messages.length === 0) throw new Error('messages: at least one message is required')
  if (body[limit] !== undefined && !(body[limit] >= 1)) throw new Error(`${limit}: must be greater than or equal to 1`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const halves = (text: string) => [text.slice(0, Math.ceil(text.length / 2)), text.slice(Math.ceil(text.length / 2))]
const argumentsOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
/** The calls, each in two parts: one after the other, or in turns. */
function partsOf({ calls = [], fault }: ModelTurn): [index: number, part: string][] {
  const all = calls.map(({ arguments: args }, index) => halves(argumentsOf(args)).map((part): [number, string] => [index, part]))
  return fault === 'interleaved' ? [0, 1].flatMap((n) => all.flatMap((parts) => parts.slice(n, n + 1))) : all.flat()
}

export type Tokens = { input: number; output: number }

/** The counts of Anthropic that this emulator has nothing to say about. */
const UNCOUNTED = { cache_creation_input_tokens: 0, output_tokens_details: null, server_tool_use: null }
const UNCHARGED = { cache_creation: null, inference_geo: null, service_tier: 'standard', speed: null }

export function writeAnthropic(turn: ModelTurn, model: string, tokens: Tokens, id: () => string): Events {
  const { text = '', calls = [], stop, fault } = turn
  const event = (type: string, data: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
  const counts = { ...UNCOUNTED, input_tokens: tokens.input, cache_read_input_tokens: 0 }
  const usage = fault === 'no_usage' ? undefined : { ...UNCHARGED, ...counts, output_tokens: 1 }
  const message = {
    id: `msg_${id()}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    container: null,
    diagnostics: null,
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage,
  }
  const head = [event('message_start', { message }), event('ping', {})]
  const first = text ? 1 : 0
  const words = text && [
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '', citations: null } }),
    ...halves(text).map((part) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: part } })),
    event('content_block_stop', { index: 0 }),
  ]
  const starts = calls.map(({ name }, n) =>
    event('content_block_start', {
      index: first + n,
      content_block: { type: 'tool_use', id: `toolu_${id()}`, name, input: {}, caller: { type: 'direct' } },
    }),
  )
  const parts = partsOf(turn).map(([n, partial_json]) =>
    event('content_block_delta', { index: first + n, delta: { type: 'input_json_delta', partial_json } }),
  )
  const stops = calls.map((_, n) => event('content_block_stop', { index: first + n }))
  const reason = { length: 'max_tokens', refusal: 'refusal', none: calls.length > 0 ? 'tool_use' : 'end_turn' }[stop ?? 'none']
  const end = [
    event('message_delta', {
      delta: { stop_reason: reason, stop_sequence: null, stop_details: null, container: null },
      ...(fault !== 'no_usage' && { usage: { ...counts, output_tokens: tokens.output } }),
    }),
    event('message_stop', {}),
  ]
  return { lines: [...head, ...(words || []), ...starts, ...parts, ...stops, ...end], head: head.length }
}

export function writeOpenai(turn: ModelTurn, model: string, tokens: Tokens, id: () => string): Events {
  const { text = '', calls = [], stop, fault } = turn
  const common = { id: `chatcmpl-${id()}`, object: 'chat.completion.chunk', created: 1_790_000_000, model }
  const line = (rest: object) => `data: ${JSON.stringify({ ...common, ...rest })}\n\n`
  const chunk = (delta: object, finish_reason: string | null = null) => line({ choices: [{ index: 0, delta, finish_reason }], usage: null })
  const head = [chunk({ role: 'assistant', content: '' })]
  const words = text ? halves(text).map((content) => chunk(stop === 'refusal' ? { refusal: content } : { content })) : []
  const starts = calls.map(({ name }, index) =>
    chunk({ tool_calls: [{ index, id: `call_${id()}`, type: 'function', function: { name, arguments: '' } }] }),
  )
  const parts = partsOf(turn).map(([index, part]) => chunk({ tool_calls: [{ index, function: { arguments: part } }] }))
  const reason = { length: 'length', refusal: 'content_filter', none: calls.length > 0 ? 'tool_calls' : 'stop' }[stop ?? 'none']
  const usage = { prompt_tokens: tokens.input, completion_tokens: tokens.output, total_tokens: tokens.input + tokens.output }
  const end = [chunk({}, reason), ...(fault === 'no_usage' ? [] : [line({ choices: [], usage })]), 'data: [DONE]\n\n']
  return { lines: [...head, ...words, ...starts, ...parts, ...end], head: head.length }
}
