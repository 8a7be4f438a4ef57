import type * as v from 'valibot'
import { partsOf, TWO_DECIMALS } from './pipes.ts'

type Write = (value: unknown) => unknown
/** The parts of a valibot schema that lead to amounts of money. */
type Node = {
  entries?: Record<string, Node>
  item?: Node
  wrapped?: Node
  pipe?: (Node | object)[]
}

declare global {
  interface JSON {
    /** Text that JSON.stringify writes as it is. TypeScript does not declare it yet. */
    rawJSON(text: string): unknown
  }
}

const twoDecimals: Write = (value) => (typeof value === 'number' ? JSON.rawJSON(value.toFixed(2)) : value)

const writers = new WeakMap<object, { write: Write | undefined }>()

/** How amounts of money in values of this schema are written: with two decimals, as the database writes them. Undefined without any. */
function writerOf(schema: Node): Write | undefined {
  const cached = writers.get(schema)
  if (cached) return cached.write
  const write = makeWriter(schema)
  writers.set(schema, { write })
  return write
}

const isMoney = ({ pipe = [] }: Node): boolean => pipe.some((part) => part === TWO_DECIMALS || ('pipe' in part && isMoney(part)))

function makeWriter(schema: Node): Write | undefined {
  if (isMoney(schema)) return twoDecimals
  if (schema.wrapped) return writerOf(schema.wrapped)
  if (schema.item) {
    const each = writerOf(schema.item)
    return each && ((value) => (Array.isArray(value) ? value.map(each) : value))
  }
  const fields = Object.entries(schema.entries ?? {}).flatMap(([name, field]) => {
    const write = writerOf(field)
    return write ? [[name, write] as const] : []
  })
  if (fields.length === 0) return undefined
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    const written: Record<string, unknown> = { ...value }
    for (const [name, write] of fields) if (name in written) written[name] = write(written[name])
    return written
  }
}

/** The data of a response, or each item of a list, ready for JSON.stringify. */
export function withMoney(schema: v.GenericSchema, data: unknown): unknown {
  const write = writerOf(partsOf<Node>(schema))
  if (!write) return data
  return Array.isArray(data) ? data.map(write) : write(data)
}
