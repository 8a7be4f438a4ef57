import { type ListKind, MAX_LIST_CONDITIONS, MAX_LIST_DEPTH } from '../../features/lists/rules/lists.ts'
import { phoneSearch } from '../phone.ts'
import type { RecordPlural } from '../records.ts'
import { parseFilter } from './parse.ts'
import type { Condition, CustomCondition, Filter, InList, Issue, RootName, Words } from './types.ts'

/** A list as it is stored, with the filter as it was sent. */
export type StoredList = {
  id: string
  name: string
  object: RecordPlural
  kind: ListKind
  filter: Record<string, unknown> | null
  search: string | null
}
type Leaf = Condition | CustomCondition | InList | Words

/** Replaces the conditions of a filter over an object, and of those on related records. */
function mapConditions(object: RootName, filter: Filter, replace: (condition: Leaf, object: RootName) => Filter): Filter {
  const within = (member: Filter) => mapConditions(object, member, replace)
  switch (filter.type) {
    case 'all':
    case 'any':
      return { ...filter, of: filter.of.map(within) }
    case 'not':
      return { ...filter, of: within(filter.of) }
    case 'has':
      return { ...filter, where: filter.where && mapConditions(filter.object, filter.where, replace) }
    default:
      return replace(filter, object)
  }
}

/** The lists that a filter names itself. */
export function listsIn(object: RootName, filter: Filter): string[] {
  const named = new Set<string>()
  mapConditions(object, filter, (condition) => {
    if (condition.type === 'list') named.add(condition.list)
    return condition
  })
  return [...named]
}

/** A list that cannot take its place in a filter. */
class Refused extends Error {}

/**
 * The filter with the filter of each live list in the place of the condition that names it; a static list stays a condition. `lists` has
 * all lists that are named, also by lists. `own` is the list whose own filter this is, which counts no level of `depth`. Issues have the
 * paths of the filter.
 */
export function inlineLists(
  object: RootName,
  filter: Filter,
  lists: StoredList[],
  { own, depth = MAX_LIST_DEPTH }: { own?: StoredList | undefined; depth?: number } = {},
): { filter: Filter; issues: Issue[] } {
  const byId = new Map(lists.map((list) => [list.id, list]))
  const issues: Issue[] = []
  let conditions = 0

  const replaced = (of: Filter, on: RootName, trail: StoredList[], at?: string): Filter =>
    mapConditions(on, of, (condition, object) => {
      if (++conditions > MAX_LIST_CONDITIONS)
        throw new Refused(`must have at most ${MAX_LIST_CONDITIONS} conditions, together with those of its lists`)
      // The error of a condition within a list names the condition that led there.
      if (condition.type === 'custom' && at !== undefined) return { ...condition, at }
      return condition.type === 'list' ? inPlace(condition, object, trail, at ?? condition.at) : condition
    })

  const inPlace = (condition: InList, object: RootName, trail: StoredList[], at: string): Filter => {
    const list = named(condition, object, trail)
    if (list.kind === 'static') return condition
    const found = replaced(filterOf(list), object, [...trail, list], at)
    return condition.not ? { type: 'not', of: found } : found
  }

  const named = ({ list: id }: InList, object: RootName, trail: StoredList[]): StoredList => {
    // Lists below this level have not been read.
    if (trail.length - (own ? 1 : 0) >= depth)
      throw new Refused(`must not lead deeper than ${MAX_LIST_DEPTH} lists: ${namesOf(trail)} names another one`)
    const list = byId.get(id)
    const last = trail.at(-1)
    if (!list)
      throw new Refused(last ? `names the list “${last.name}”, which names a list that does not exist` : 'No such list in this workspace')
    const again = trail.findIndex((one) => one.id === id)
    if (again >= 0) throw new Refused(`names lists that contain each other: ${namesOf([...trail.slice(again), list])}`)
    if (list.object !== object) throw new Refused(`must be a list of ${object}: “${list.name}” is a list of ${list.object}`)
    return list
  }

  const whole = mapConditions(object, filter, (condition, object) => {
    try {
      return replaced(condition, object, own ? [own] : [])
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      issues.push({ path: condition.type === 'list' ? `${condition.at}.value` : '', message: error.message })
      return condition
    }
  })
  return { filter: whole, issues }
}

const namesOf = (lists: StoredList[]) => lists.map(({ name }) => `“${name}”`).join(', ')

/** The filter of a live list, its search words included. @throws Refused for one that is no longer valid. */
function filterOf({ name, object, filter, search }: StoredList): Filter {
  const words: Filter[] = search === null ? [] : [{ type: 'words', words: object === 'opportunities' ? search : phoneSearch(search) }]
  if (filter === null) return { type: 'all', of: words }
  const { filter: parsed, issues } = parseFilter(object, filter)
  if (!parsed)
    throw new Refused(`names the list “${name}”, whose filter is no longer valid: ${issues[0]?.path.slice(1)} ${issues[0]?.message}`)
  return words.length > 0 ? { type: 'all', of: [parsed, ...words] } : parsed
}

/** Whether the filter of a list names another one, itself or through the lists that it names. */
export function leadsTo(list: StoredList, id: string, known: StoredList[], seen: string[] = []): boolean {
  const text = JSON.stringify(list.filter)
  if (text.includes(id)) return true
  const named = known.filter((other) => !seen.includes(other.id) && text.includes(other.id))
  return named.some((other) => leadsTo(other, id, known, [...seen, list.id]))
}
