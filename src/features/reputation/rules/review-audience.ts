import type { SegmentFilter } from '../../campaigns/rules/segment.ts'

/** Words of names that say how satisfied somebody is, in the languages that the names of tags, lists and fields are mostly in. */
const SATISFACTION =
  /(?:^|[^a-z])(?:ratings?|rated|stars|satisf\w*|dissatisf\w*|unsatisf\w*|happy|happiness|unhappy|happiest|sentiment|nps|csat|promoters?|detractors?|net.?promoter|likely.?to.?recommend|feedback.?score|review.?score|zufried\w*|unzufried\w*|zufriedenheit\w*|bewertung\w*|satisfait\w*|satisfech\w*|satisfei\w*|valoraci\w*)(?![a-z])/

const normal = (text: string) =>
  text
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()

/** Whether a name says how satisfied somebody is. */
export const isAboutSatisfaction = (name: string): boolean => SATISFACTION.test(normal(name))

export const NO_GATING =
  'must not select people by how satisfied they are: asking only happy customers for reviews misleads readers, many countries forbid ' +
  'it, and review sites remove such reviews. Ask everybody whom you have served'

type Named = { path: string; text: string }

/** The names that a filter compares: its fields and, for tags and custom fields, the values too. */
function namesIn(value: unknown, path: string): Named[] {
  if (Array.isArray(value)) return value.flatMap((one, at) => namesIn(one, `${path}.${at}`))
  if (typeof value !== 'object' || value === null) return []
  const { field } = value as { field?: unknown }
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key === 'field' && typeof inner === 'string') return [{ path: `${path}.field`, text: inner }]
    if (key !== 'value') return namesIn(inner, `${path}.${key}`)
    const isName = typeof field === 'string' && /^(?:tags$|metadata\.|custom\.)/.test(field)
    return isName ? textsIn(inner).map((text) => ({ path: `${path}.value`, text })) : []
  })
}

const textsIn = (value: unknown): string[] => (typeof value === 'string' ? [value] : Array.isArray(value) ? value.flatMap(textsIn) : [])

type NamedList = { id: string; name: string; filter: Record<string, unknown> | null; search: string | null }

/** Where an audience selects people by how satisfied they are: by a tag, by a list or what that asks for, or by its filter. */
export function gatingIn({ tags = [], list_ids = [], filter }: SegmentFilter, lists: NamedList[]): string[] {
  const about = ({ text }: Named) => isAboutSatisfaction(text)
  const named = [...tags.map((text, at) => ({ path: `audience.tags.${at}`, text })), ...namesIn(filter, 'audience.filter')].filter(about)
  const gating = lists.filter(
    (list) =>
      isAboutSatisfaction(list.name) || (list.search !== null && isAboutSatisfaction(list.search)) || namesIn(list.filter, '').some(about),
  )
  // A list that another one names stands for the one that was sent.
  const ofLists = gating.map(({ id }) => {
    const at = list_ids.indexOf(id)
    if (at >= 0) return `audience.list_ids.${at}`
    return list_ids.length > 0 ? 'audience.list_ids' : 'audience.filter'
  })
  return [...new Set([...named.map(({ path }) => path), ...ofLists])]
}
