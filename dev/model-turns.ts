/** What the model says next: a text, calls of tools, or a failure. */
export type ModelTurn = {
  text?: string
  /** `arguments`: an object, or a text that is sent as it is. */
  calls?: { name: string; arguments: unknown }[]
  stop?: 'length' | 'refusal'
  fault?: ModelFault
}

/**
 * A number is the status of the response; `overloaded` begins the stream with an error; `slow` answers after half a second; `timeout` never
 * does; `cut` ends the connection in the middle of the answer; `early` before its first token; `interleaved` sends the parts of parallel
 * calls in turns; `no_usage` reports no tokens.
 */
export const MODEL_FAULTS = [
  '400',
  '401',
  '429',
  '500',
  '529',
  'overloaded',
  'slow',
  'timeout',
  'cut',
  'early',
  'interleaved',
  'no_usage',
] as const
export type ModelFault = (typeof MODEL_FAULTS)[number]

/** A request in either format, as far as the emulator reads it. */
export type ModelRequest = {
  model: string
  /** All texts of the conversation that the model reads, in order, with those of tool results. */
  texts: string[]
  /** What it has called so far. */
  called: string[]
  tools: string[]
  max_tokens: number
}

const INVISIBLE = /[\u200b-\u200f\u2060-\u2064\ufeff\u00ad]|\u{e0000}|[\u{e0020}-\u{e007f}]/gu
/** `CALL name {json}`, wherever it stands. */
const ORDER = /CALL\s+([A-Za-z_]\w*)\s*(\{)/g

/**
 * What a model answers that obeys every instruction that it reads, whoever wrote it: it makes each call that a text orders, once, one after
 * the other, whether it has the tool or not; then it repeats the text after `SAY`, if there is one.
 */
export function obey({ texts, called }: ModelRequest): ModelTurn {
  const readable = texts.map((text) => unescaped(text.replace(INVISIBLE, '')))
  const done = [...called]
  for (const order of readable.flatMap(ordersIn)) {
    const at = done.indexOf(keyOf(order.name, order.arguments))
    if (at < 0) return { calls: [order] }
    done.splice(at, 1)
  }
  return { text: readable.flatMap((text) => [...text.matchAll(/SAY:?\s+([^\n"]+)/g)].map(([, words]) => words ?? '')).at(-1) ?? 'Done.' }
}

/** Texts inside JSON, such as those of tool results, have their quotes escaped. */
const unescaped = (text: string): string => (/\\"/.test(text) ? text.replaceAll('\\"', '"').replaceAll('\\n', '\n') : text)

export const keyOf = (name: string, args: unknown) => `${name} ${typeof args === 'string' ? args : JSON.stringify(args)}`

function ordersIn(text: string): { name: string; arguments: unknown }[] {
  return [...text.matchAll(ORDER)].flatMap((match) => {
    const from = match.index + match[0].length - 1
    const json = objectAt(text, from)
    return json === undefined ? [] : [{ name: match[1] ?? '', arguments: json }]
  })
}

/** The JSON object that begins here. */
function objectAt(text: string, from: number): unknown {
  for (let to = text.indexOf('}', from); to >= 0; to = text.indexOf('}', to + 1)) {
    try {
      return JSON.parse(text.slice(from, to + 1))
    } catch {
      // Not its last brace.
    }
  }
  return undefined
}
