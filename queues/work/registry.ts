import * as kinds from '../kinds.ts'
import * as sets from '../sets.ts'
import type { Kind } from './kind.ts'
import type { WorkSet } from './set.ts'

const byName = <One extends { name: string }>(all: One[]): One[] => all.toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** The kinds of background work whose items are claimed one by one: all that queues/kinds.ts exports. */
export const KINDS = byName(Object.values(kinds) as Kind<unknown>[])
/** The sets that are claimed by statements of their own: all that queues/sets.ts exports. */
export const SETS: WorkSet[] = byName(Object.values(sets))

const kindNamed = new Map(KINDS.map((kind) => [kind.name, kind]))
const setNamed = new Map(SETS.map((set) => [set.name, set]))
/** What a message may name. */
export const WORK_NAMES = [...kindNamed.keys(), ...setNamed.keys()]

export const setOf = (name: string): WorkSet | undefined => setNamed.get(name)

export function kindOf(name: string): Kind<unknown> {
  const kind = kindNamed.get(name)
  if (!kind) throw new Error(`There is no kind of work named ${name}`)
  return kind
}
