import { type SQL, sql } from 'drizzle-orm'
import { contacts } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { asksAbout, type Compiled, compileFilter } from '../../../data/filters.ts'
import { assertNoPaths } from '../../../data/query.ts'
import { inlineLists, listsIn, type StoredList } from '../../../domain/filters/lists.ts'
import { needsPlace, placeDays } from '../../../domain/filters/local-days.ts'
import type { Filter } from '../../../domain/filters/types.ts'
import { invalid } from '../../../errors.ts'
import { readLists } from '../../lists/plans/list-filters.ts'
import { MAX_PART, MAX_PART_WALKED } from '../rules/limits.ts'
import { conditionsOf, type SegmentFilter, segmentIssues } from '../rules/segment.ts'

type Place = { now: Date; zone: string }
/** Where the segment of a campaign stands in the body. */
const SEGMENT = 'segment_filter'

/** The contacts of a campaign, as SQL. */
export type CampaignAudience = {
  /** The guards of its filter: the custom fields exist and support the operators. */
  guards: Statement[]
  /** The first contacts by id: at most `most`, by a pass over all of them. */
  ids: (most: number) => SQL
  /**
   * The next part after a contact: the contacts that were looked at, those among them that belong to the audience, and where to continue
   * (null at the end).
   */
  part: (after: string | null) => { walked: SQL; found: SQL; next: SQL }
}

/**
 * The audience of a segment, both of a send and of its preview. `lists` has those that it names, also through other lists. Archived
 * contacts are in it only if its filter mentions `archived`. @throws VALIDATION_ERROR for a segment that cannot be used.
 */
export function audienceOf(segment: SegmentFilter, place: Place, lists: StoredList[], at = SEGMENT): CampaignAudience {
  const filter = readyFilter(segment, place, lists, at)
  const compiled: Compiled | undefined = filter && compileFilter('contacts', filter, `${at}.filter`)
  const active = filter && asksAbout(filter, 'archived') ? sql`true` : sql`not ${contacts.archived}`
  const last = (of: SQL) => sql`(select id from ${of} order by id desc limit 1)`
  return {
    guards: compiled?.guards ?? [],
    ids: (most) =>
      sql`select ${contacts.id} as id from ${contacts} where ${active} and ${compiled?.scan ?? sql`true`}
        order by ${contacts.id} limit ${most}::int`,
    part: (after) => {
      const beyond = sql`${contacts.id} > ${after ?? '00000000-0000-0000-0000-000000000000'}::uuid`
      return {
        walked: sql`select ${contacts.id} as id from ${contacts} where ${beyond} order by ${contacts.id} limit ${MAX_PART_WALKED}::int`,
        found: sql`select ${contacts.id} as id from ${contacts} where ${beyond} and ${contacts.id} <= ${last(sql`walked`)} and ${active}
          and ${compiled?.where ?? sql`true`} order by ${contacts.id} limit ${MAX_PART}::int`,
        next: sql`case when (select count(*) from found) = ${MAX_PART}::int
          and ${last(sql`walked`)} > ${last(sql`found`)} then ${last(sql`found`)}
          when (select count(*) from walked) = ${MAX_PART_WALKED}::int then ${last(sql`walked`)} end`,
      }
    },
  }
}

/** The segment as a filter, with the filters of its lists and its days in their places. */
function readyFilter(segment: SegmentFilter, place: Place, lists: StoredList[], at: string): Filter | undefined {
  const issues = segmentIssues(segment, at)
  if (issues.length > 0) throw invalid(issues)
  const filter = conditionsOf(segment)
  if (!filter) return undefined
  const inlined = inlineLists('contacts', filter, lists)
  if (inlined.issues.length > 0) throw invalid(inlined.issues.map((issue) => ({ ...issue, path: pathOf(issue.path, at) })))
  return needsPlace('contacts', inlined.filter) ? placeDays('contacts', inlined.filter, place) : inlined.filter
}

/** A list is the value of a condition in the filter, but named directly in the keys of the segment. */
const pathOf = (path: string, at: string): string => {
  const [key] = /^\.(?:exclude_)?list_ids\.\d+/.exec(path) ?? []
  return key ? `${at}${key}` : `${at}.filter${path}`
}

/**
 * The audience of a segment for the caller, with the lists that it names, which take a round trip of their own. A filter and lists may ask
 * about anything, so they need the scopes to read what they are about, beyond that of campaigns.
 */
export async function readAudience(ctx: Ctx, segment: SegmentFilter, at = SEGMENT): Promise<CampaignAudience> {
  const filter = segmentIssues(segment, at).length === 0 ? conditionsOf(segment) : undefined
  const ids = filter ? listsIn('contacts', filter) : []
  const lists = ids.length > 0 ? await readLists(ctx, ids) : []
  const zone = lists.length > 0 || (filter && needsPlace('contacts', filter)) ? await ctx.zone() : 'UTC'
  const audience = audienceOf(segment, { now: ctx.now, zone }, lists, at)
  const { filter: sent, list_ids, exclude_list_ids } = segment
  const query = readyFilter({ filter: sent, list_ids, exclude_list_ids }, { now: ctx.now, zone }, lists, at)
  const reads: string[] = query ? ['contacts', ...compileFilter('contacts', query).reads, ...(ids.length > 0 ? ['lists'] : [])] : []
  return reads.length > 0 ? { ...audience, guards: [needsScopes(reads), ...audience.guards] } : audience
}

const needsScopes = (objects: string[]): Statement => call('assert_scopes', `{${objects.map((object) => `${object}:read`).join(',')}}`)

/** Asserts that the pipelines and stages that a segment names exist. Lists are looked for when its filter is read. */
export function assertNamed({ pipeline_ids, stage_ids }: SegmentFilter): Statement[] {
  const each = (field: string, ids: string[] | undefined, table: string) =>
    ids
      ? [
          assertNoPaths(
            sql`array(select 'segment_filter.${sql.raw(field)}.' || (n - 1)
              from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) with ordinality e(value, n)
              where not exists (select from ${sql.identifier(table)} t where t.id = e.value::uuid))`,
            'does not exist here',
          ),
        ]
      : []
  return [...each('pipeline_ids', pipeline_ids, 'pipelines'), ...each('stage_ids', stage_ids, 'stages')]
}
