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

const same = (args: ToolArguments, others: ToolArguments | undefined) => JSON.stringify(args) === JSON.stringify(others)

/** The calls of a tool in a message that differ in their arguments: the index of the first of each. */
export const distinctCalls = ({ tools }: Envelope): number[] =>
  tools.flatMap(({ args }, index) => (tools.findIndex((other) => same(args, other.args)) === index ? [index] : []))

/**
 * The texts in the format of the caller: for Vapi one line for each tool call. `texts`: those of the distinct calls, the first one at
 * least.
 */
export function replyIn(envelope: Envelope, texts: string[], others: string): { text: string; json: boolean } {
  const { format, tools } = envelope
  if (format !== 'vapi') return { text: texts[0] as string, json: false }
  const distinct = distinctCalls(envelope)
  const line = (value: string) =>
    value
      .split('\n')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .join('; ')
      .slice(0, 15_000)
  const results = tools.map(({ id, args }) => {
    const at = distinct.findIndex((index) => same(args, tools[index]?.args))
    return { toolCallId: id, result: line(texts[at] ?? others) }
  })
  return { text: JSON.stringify({ results }), json: true }
}
