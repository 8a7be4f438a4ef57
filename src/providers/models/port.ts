import { storableText } from '../../lib/text.ts'

/** What a deployment calls its models: customers name these, and the settings say which model of the provider each is. */
export type ModelName = 'standard' | 'small'

/** A call of a tool as the model wrote it. `arguments` is its text, which may be no JSON. */
export type ToolCall = { id: string; name: string; arguments: string }
export type ToolResult = { call_id: string; text: string; is_error: boolean }
/** A function that the model may call, and the JSON Schema of its arguments. */
export type Tool = { name: string; description: string; schema: object }
export type ModelMessage =
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; calls: ToolCall[] }
  | { role: 'tools'; results: ToolResult[] }

export type CompletionRequest = {
  model: ModelName
  system: string
  messages: ModelMessage[]
  tools: Tool[]
  /** The tokens that the answer may have. */
  max_tokens: number
  /** Ends the call, however far it is. */
  signal?: AbortSignal
}

export type Usage = { input_tokens: number; output_tokens: number }
/** Why the answer ended; `cut`: the connection broke after its first token. */
export type StopReason = 'end' | 'tools' | 'length' | 'refusal' | 'cut'
/** `usage`: what the provider has reported; null if it has not, for example because the stream was cut. */
export type Completion = { text: string; calls: ToolCall[]; stop: StopReason; usage: Usage | null }

/** Nothing was answered, and nothing was used. `temporary`: the same call may succeed later. */
export class ModelFailure extends Error {
  override name = 'ModelFailure'
  readonly temporary: boolean
  constructor(message: string, temporary: boolean) {
    super(storableText(message))
    this.temporary = temporary
  }
}

export type Models = {
  /** Lets a model continue a conversation. @throws ModelFailure before the first token. */
  complete(request: CompletionRequest): Promise<Completion>
}
