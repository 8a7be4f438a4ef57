/**
 * The bodies in which voice providers call a tool. Formats: Retell's custom functions (`{name, call, args}`, or only the arguments), Vapi's
 * server messages (`{message: {toolCallList}}`), and the arguments alone, which others send.
 */
export type ToolArguments = Record<string, unknown>
export type Envelope = {
  format: 'vapi' | 'retell' | 'flat'
  /** The calls of a tool in the message; one, but for Vapi. */
  tools: { id: string | null; args: ToolArguments }[]
  call_id: string | null
  /** The number of who is on the line, as the provider says. */
  caller: string | null
}

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const object = (value: unknown): Json => (isObject(value) ? value : {})
const text = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 200) : null)

/** Arguments as an object, or as the JSON text of one. */
function argumentsOf(value: unknown): ToolArguments {
  if (isObject(value)) return value
  if (typeof value !== 'string') return {}
  try {
    return object(JSON.parse(value))
  } catch {
    return {}
  }
}

/** Reads any body. What it does not have is null, and an unknown shape has no arguments. */
export function readEnvelope(body: unknown): Envelope {
  const sent = object(body)
  const message = object(sent.message)
  if (Array.isArray(message.toolCallList)) return vapi(message, message.toolCallList)
  if (isObject(sent.args) || typeof sent.args === 'string') return retell(sent)
  // Of a call that sends only its arguments, nothing is known but these.
  return { format: 'flat', tools: [{ id: null, args: sent }], call_id: text(sent.call_id), caller: null }
}

function vapi(message: Json, list: unknown[]): Envelope {
  const call = object(message.call)
  const customer = object(call.customer ?? message.customer)
  return {
    format: 'vapi',
    tools: list.slice(0, 20).map((item) => {
      const { id, parameters, arguments: given, function: called } = object(item)
      const inner = object(called)
      return { id: text(id), args: argumentsOf(parameters ?? given ?? inner.arguments ?? inner.parameters) }
    }),
    call_id: text(call.id),
    caller: text(customer.number),
  }
}

function retell({ call: about, args }: Json): Envelope {
  const call = object(about)
  const caller = call.direction === 'outbound' ? call.to_number : (call.from_number ?? call.to_number)
  return {
    format: 'retell',
    tools: [{ id: text(call.tool_call_id), args: argumentsOf(args) }],
    call_id: text(call.call_id),
    caller: text(caller),
  }
}

/** A text in the format of the caller: for Vapi one line for each tool call. */
export function replyIn({ format, tools }: Envelope, text: string, others: string): { text: string; json: boolean } {
  if (format !== 'vapi') return { text, json: false }
  const first = JSON.stringify(tools[0]?.args)
  const line = (value: string) => value.replace(/\s*\n+\s*/g, '; ').slice(0, 15_000)
  const results = tools.map(({ id, args }) => ({ toolCallId: id, result: line(JSON.stringify(args) === first ? text : others) }))
  return { text: JSON.stringify({ results }), json: true }
}
