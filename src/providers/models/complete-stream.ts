import { EventSourceParserStream } from 'eventsource-parser/stream'
import { sleep } from '../../lib/sleep.ts'
import { type Completion, ModelFailure, type StopReason, type ToolCall, type Usage } from './port.ts'

/** Attempts until the first token; after it none, because text would be doubled and paid twice. */
const MAX_ATTEMPTS = 3
const MAX_WAIT_MS = 2_000
/** The text and the arguments of one answer, in characters. */
const MAX_ANSWER = 400_000

/**
 * An answer while its stream is read. Calls of tools are assembled by the index that the provider gives them, because they may interleave.
 */
export type Draft = {
  text: string
  calls: Map<number, ToolCall>
  stop: StopReason | undefined
  input: number | undefined
  output: number | undefined
  /** Whether the provider has said that the stream is complete. */
  isComplete: boolean
}

type Stream = { url: string; headers: Record<string, string>; body: object; signal: AbortSignal; read(draft: Draft, data: string): void }

/** Sends a request and reads its stream of events. @throws ModelFailure when there was no token. */
export async function streamed(stream: Stream): Promise<Completion> {
  for (let attempt = 1; ; attempt++) {
    const draft: Draft = { text: '', calls: new Map(), stop: undefined, input: undefined, output: undefined, isComplete: false }
    try {
      await readInto(draft, stream)
      if (!draft.isComplete) throw new ModelFailure('The model provider has ended the stream early', true)
      return completionOf(draft)
    } catch (error) {
      if (hasBegun(draft)) return completionOf({ ...draft, isComplete: false })
      const failure = failureOf(error, stream.signal)
      if (!failure.temporary || attempt >= MAX_ATTEMPTS || stream.signal.aborted) throw failure
      await sleep(Math.min(MAX_WAIT_MS, failure.waitMs ?? 200 * 2 ** attempt))
    }
  }
}

const hasBegun = ({ text, calls }: Draft) => text !== '' || calls.size > 0

async function readInto(draft: Draft, { url, headers, body, signal, read }: Stream): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream', ...headers },
    body: JSON.stringify(body),
    signal,
  })
  if (!response.ok || !response.body) throw await refusalOf(response)
  const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream({ maxBufferSize: MAX_ANSWER }))
  for await (const { data } of events) {
    read(draft, data)
    if (lengthOf(draft) > MAX_ANSWER) return
  }
}

const lengthOf = ({ text, calls }: Draft) => [...calls.values()].reduce((sum, call) => sum + call.arguments.length, text.length)

function completionOf({ text, calls, stop, input, output, isComplete }: Draft): Completion {
  const usage: Usage | null =
    isComplete && input !== undefined && output !== undefined ? { input_tokens: input, output_tokens: output } : null
  const ordered = [...calls].sort(([a], [b]) => a - b).map(([, call]) => call)
  return { text, calls: ordered, stop: isComplete ? (stop ?? 'end') : 'cut', usage }
}

/** The call with this index, which begins with its first part. */
export function callAt(draft: Draft, index: number): ToolCall {
  const known = draft.calls.get(index) ?? { id: '', name: '', arguments: '' }
  draft.calls.set(index, known)
  return known
}

class ProviderRefusal extends ModelFailure {
  readonly waitMs: number | undefined
  constructor(message: string, temporary: boolean, waitMs?: number) {
    super(message, temporary)
    this.waitMs = waitMs
  }
}

/** An error that arrives inside a stream. */
export const refusedInStream = (type: string, message: string) =>
  new ProviderRefusal(
    `The model provider answers with ${type}: ${message}`,
    /overloaded|rate_limit|api_error|server_error|timeout/.test(type),
  )

async function refusalOf(response: Response): Promise<ProviderRefusal> {
  const text = (await response.text().catch(() => '')).slice(0, 500)
  const { status } = response
  const seconds = Number(response.headers.get('retry-after'))
  const wait = Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : undefined
  return new ProviderRefusal(`The model provider answers with ${status}: ${text}`, status === 408 || status === 429 || status >= 500, wait)
}

function failureOf(error: unknown, signal: AbortSignal): ProviderRefusal {
  if (error instanceof ProviderRefusal) return error
  if (error instanceof ModelFailure) return new ProviderRefusal(error.message, error.temporary)
  if (signal.aborted) return new ProviderRefusal('The model provider has not answered in time', true)
  return new ProviderRefusal(`The model provider cannot be reached: ${String(error)}`, true)
}
