import * as kinds from '../kinds.ts'
import type { Kind } from './kind.ts'

/** The kinds of background work: all that queues/kinds.ts exports. */
export const KINDS = (Object.values(kinds) as Kind<unknown>[]).toSorted((a, b) => (a.name < b.name ? -1 : 1))

const byName = new Map(KINDS.map((kind) => [kind.name, kind]))
export const KIND_NAMES = [...byName.keys()]

export function kindOf(name: string): Kind<unknown> {
  const kind = byName.get(name)
  if (!kind) throw new Error(`There is no kind of work named ${name}`)
  return kind
}
