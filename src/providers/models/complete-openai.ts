import * as v from 'valibot'
import type { Options } from './complete-anthropic.ts'
import { callAt, type Draft, refusedInStream, streamed } from './complete-stream.ts'
import type { CompletionRequest, ModelMessage, Models, StopReason, Tool } from './port.ts'

const STOPS: Record<string, StopReason> = { tool_calls: 'tools', length: 'length', content_filter: 'refusal' }

const CallPart = v.object({
  index: v.number(),
  id: v.optional(v.nullable(v.string())),
  function: v.optional(v.object({ name: v.optional(v.nullable(v.string())), arguments: v.optional(v.nullable(v.string())) })),
})
const Chunk = v.object({
  error: v.optional(v.object({ type: v.optional(v.nullable(v.string())), message: v.optional(v.string()) })),
  choices: v.optional(
    v.array(
      v.object({
        delta: v.optional(
          v.object({
            content: v.optional(v.nullable(v.string())),
            refusal: v.optional(v.nullable(v.string())),
            tool_calls: v.optional(v.nullable(v.array(CallPart))),
          }),
        ),
        finish_reason: v.optional(v.nullable(v.string())),
      }),
    ),
  ),
  usage: v.optional(v.nullable(v.object({ prompt_tokens: v.number(), completion_tokens: v.number() }))),
})

/**
 * A client of OpenAI Chat Completions (https://platform.openai.com/docs/api-reference/chat). `url`: https://api.openai.com, or a service
 * with the same API.
 */
export function openaiModels({ url, key, names, timeoutMs = 90_000 }: Options): Models {
  return {
    complete({ model, system, messages, tools, max_tokens, signal }: CompletionRequest) {
      const limit = AbortSignal.timeout(timeoutMs)
      return streamed({
        url: `${url}/v1/chat/completions`,
        headers: { Authorization: `Bearer ${key}` },
        body: {
          model: names[model],
          max_completion_tokens: max_tokens,
          stream: true,
          stream_options: { include_usage: true },
          messages: [{ role: 'system', content: system }, ...messages.flatMap(wireMessages)],
          ...(tools.length > 0 && { tools: tools.map(wireTool) }),
        },
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
        read,
      })
    },
  }
}

const wireTool = ({ name, description, schema }: Tool) => ({ type: 'function', function: { name, description, parameters: schema } })

function wireMessages(message: ModelMessage): object[] {
  if (message.role === 'user') return [{ role: 'user', content: message.text }]
  if (message.role === 'tools') return message.results.map(({ call_id, text }) => ({ role: 'tool', tool_call_id: call_id, content: text }))
  const calls = message.calls.map(({ id, name, arguments: text }) => ({ id, type: 'function', function: { name, arguments: text } }))
  return [{ role: 'assistant', content: message.text || null, ...(calls.length > 0 && { tool_calls: calls }) }]
}

function read(draft: Draft, data: string): void {
  if (data === '[DONE]') {
    draft.isComplete = true
    return
  }
  const parsed = v.safeParse(Chunk, JSON.parse(data))
  if (!parsed.success) return
  const { error, choices = [], usage } = parsed.output
  if (error) throw refusedInStream(error.type ?? 'error', error.message ?? '')
  if (usage) {
    draft.input = usage.prompt_tokens
    draft.output = usage.completion_tokens
  }
  for (const { delta, finish_reason } of choices.slice(0, 1)) {
    draft.text += delta?.content ?? ''
    if (delta?.refusal) {
      draft.text += delta.refusal
      draft.stop = 'refusal'
    }
    for (const part of delta?.tool_calls ?? []) addPart(draft, part)
    if (finish_reason && draft.stop !== 'refusal') draft.stop = STOPS[finish_reason] ?? 'end'
  }
}

function addPart(draft: Draft, part: v.InferOutput<typeof CallPart>): void {
  const call = callAt(draft, part.index)
  call.id ||= part.id ?? ''
  call.name ||= part.function?.name ?? ''
  call.arguments += part.function?.arguments ?? ''
}
