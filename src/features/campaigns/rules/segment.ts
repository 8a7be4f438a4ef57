import { parseFilter } from '../../../domain/filters/parse.ts'
import type { Filter } from '../../../domain/filters/types.ts'
import type { Issue } from '../../../errors.ts'

/** The audience of a campaign, as it is sent and stored. A contact must meet all of its keys; without any, every contact does. */
export type SegmentFilter = {
  tags?: string[] | undefined
  tags_match?: 'any' | 'all' | undefined
  exclude_tags?: string[] | undefined
  pipeline_ids?: string[] | undefined
  stage_ids?: string[] | undefined
  opportunity_status?: string | undefined
  list_ids?: string[] | undefined
  exclude_list_ids?: string[] | undefined
  filter?: Record<string, unknown> | undefined
}

const is = (field: string, values: string[]): Filter => ({ type: 'field', field, test: { is: 'in', values }, not: false })
const tag = (values: string[]): Filter => ({ type: 'field', field: 'tags', test: { is: 'in', values: values.map(lower) }, not: false })
const lower = (text: string) => text.toLowerCase()
const inList = (list: string, at: string, not: boolean): Filter => ({ type: 'list', list, at, not })

/** The issues of the part of a segment that is written in the filter language; `at` is where the segment stands in the body. */
export function segmentIssues({ filter }: SegmentFilter, at: string): Issue[] {
  const { issues } = filter ? parseFilter('contacts', filter) : { issues: [] }
  return issues.map(({ path, message }) => ({ path: `${at}.filter${path}`, message }))
}

/**
 * A segment as conditions of the filter language; undefined if it has none. The lists of its keys have the paths `.list_ids.0` and so on.
 */
export function conditionsOf(segment: SegmentFilter): Filter | undefined {
  const { tags, tags_match, exclude_tags, list_ids, exclude_list_ids = [], filter } = segment
  const inner = filter ? parseFilter('contacts', filter).filter : undefined
  const all: Filter[] = [
    ...(list_ids ? [{ type: 'any', of: list_ids.map((id, n) => inList(id, `.list_ids.${n}`, false)) } as const] : []),
    ...(tags ? (tags_match === 'all' ? tags.map((one) => tag([one])) : [tag(tags)]) : []),
    ...(exclude_tags ? [{ type: 'not', of: tag(exclude_tags) } as const] : []),
    ...opportunitiesOf(segment),
    ...exclude_list_ids.map((id, n) => inList(id, `.exclude_list_ids.${n}`, true)),
    ...(inner ? [inner] : []),
  ]
  return all.length > 0 ? { type: 'all', of: all } : undefined
}

/** A contact of at least one opportunity that meets all of these keys. */
function opportunitiesOf({ pipeline_ids, stage_ids, opportunity_status }: SegmentFilter): Filter[] {
  const of = [
    ...(pipeline_ids ? [is('pipeline_id', pipeline_ids)] : []),
    ...(stage_ids ? [is('stage_id', stage_ids)] : []),
    ...(opportunity_status ? [is('status', [opportunity_status])] : []),
  ]
  return of.length > 0 ? [{ type: 'has', relation: 'opportunities', object: 'opportunities', where: { type: 'all', of } }] : []
}
