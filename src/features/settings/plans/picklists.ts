import { type SQL, sql } from 'drizzle-orm'
import { crmSettings } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { blockers, MOST_NAMED } from '../../../data/blockers.ts'
import { db, type Statement } from '../../../data/db.ts'
import { asText, hand, handed, handedText } from '../../../data/handed.ts'
import { plan, read } from '../../../data/plan.ts'
import { assert, assertField, oneOrThrow, rows } from '../../../data/query.ts'
import { countForEach, foldForMany } from '../../../data/record-counts.ts'
import type { PicklistName } from '../rules/picklists.ts'
import type { Rename } from '../schemas/picklists.ts'
import { namingOption, withNaming } from './named-options.ts'
import { lockSettings } from './settings.ts'

/** Counts stop at this number of records. */
const COUNT_LIMIT = 1_000
/** The most records changed by one call: each becomes a change and an event, and a dry run returns them all. */
export const CHANGE_LIMIT = 2_000
/**
 * Records changed by one statement. Once the transaction has taken this long, the rest is left for the next call (`more`), so that no
 * timeout discards the work.
 */
const BATCH = 500
const BATCHES_START_WITHIN = sql`interval '8 seconds'`

/**
 * Records that use a picklist: the list's name in `usages`, their table, and how they are updated, without the condition that selects them.
 */
type Place = { list: string; table: string; replaceIn: (from: SQL, to: SQL) => SQL }

/** Where a picklist is stored, and where it is used. */
type Picklist = {
  /** The options as rows of `name`, its normal form `norm`, and `i`, in order. */
  options: SQL
  /** Renames an option in the list itself. */
  rename: (from: string, to: string) => Statement
  places: Place[]
}
/** A picklist stored in the settings. */
type SettingsPicklist = Picklist & { remove: (option: string) => SQL }

const inWorkspace = sql`where workspace_id = current_workspace()`

function inSettings(column: string, place: Place): SettingsPicklist {
  const name = sql.identifier(column)
  const each = sql`unnest(${name}) with ordinality e(w, i)`
  const set = (options: SQL) => sql`update crm_settings set ${name} = array(${options}) ${inWorkspace}`
  return {
    options: sql`(select w as name, norm(w) as norm, i from crm_settings, ${each})`,
    rename: (from, to) => set(sql`select case when norm(w) = norm(${from}) then ${to} else w end from ${each} order by i`),
    remove: (option) => set(sql`select w from ${each} where norm(w) <> norm(${option}) order by i`),
    places: [place],
  }
}

/** A column of records. `how` is the function that replaces an option in a column with several. */
function inColumn(list: string, table: string, column: string, how?: string): Place {
  const name = sql.identifier(column)
  const replaceIn = (from: SQL, to: SQL) =>
    sql`update ${sql.identifier(table)} set ${name} = ${how ? sql`${sql.raw(how)}(${name}, ${from}, ${to})` : to}`
  return { list, table, replaceIn }
}

/** The kinds of records with tags, and the name of their list in `usages`. */
const TAGGED = { contacts: 'contact_tags', companies: 'company_tags', opportunities: 'opportunity_tags' } as const

const SETTINGS_PICKLISTS = {
  lost_reasons: inSettings('lost_reasons', inColumn('lost_reasons', 'opportunities', 'lost_reasons', 'respelled')),
  won_reasons: inSettings('won_reasons', inColumn('won_reasons', 'opportunities', 'won_reasons', 'respelled')),
  opportunity_types: inSettings('opportunity_types', inColumn('opportunity_types', 'opportunities', 'opportunity_type')),
  account_types: inSettings('account_types', inColumn('account_types', 'companies', 'account_type')),
  contact_types: inSettings('contact_types', inColumn('contact_types', 'contacts', 'contact_type')),
  tags: {
    options: sql`(select t ->> 'name' as name, norm(t ->> 'name') as norm, i
      from crm_settings, jsonb_array_elements(tag_palette) with ordinality e(t, i))`,
    rename: (from, to) => sql`update crm_settings set tag_palette = retagged(tag_palette, ${from}, ${to}) ${inWorkspace}`,
    remove: (option) => sql`update crm_settings set tag_palette = without_tag(tag_palette, ${option}) ${inWorkspace}`,
    places: Object.entries(TAGGED).map(([table, list]) => inColumn(list, table, 'tags', 'retagged')),
  },
} satisfies Record<string, SettingsPicklist>
export type SettingsPicklistName = keyof typeof SETTINGS_PICKLISTS

const LISTS: Record<PicklistName, Picklist> = {
  ...SETTINGS_PICKLISTS,
  lead_sources: {
    options: sql`(select name, name_norm as norm, 1 as i from lead_sources)`,
    rename: (from, to) => sql`update lead_sources set name = ${to} where name_norm = norm(${from})`,
    places: [inColumn('lead_sources', 'opportunities', 'lead_source')],
  },
}

const inList = (list: PicklistName, option: string): SQL =>
  sql`(select l.name from ${LISTS[list].options} l where l.norm = norm(${option}) order by l.i limit 1)`
const isListed = (list: PicklistName, option: string): SQL => sql`exists ${inList(list, option)}`
const usages = ({ list }: Place, option: SQL, becomes: SQL, limit: SQL): SQL =>
  sql`usages(${sql.raw(`'${list}'`)}, ${option}, ${becomes}, ${limit})`

/** The option as the list spells it, handed over before the list changes. */
const spelling = handedText('word')
const storeSpelling = (list: PicklistName, option: string): Statement =>
  hand('word', asText(sql`coalesce(${inList(list, option)}, ${option})`))

const changedSoFar = sql`coalesce(${handed('words_changed')}::int, 0)`
/** Adds the number of updated records to `changed`. `update` ends with its condition. */
const countChanged = (update: SQL): Statement =>
  sql`with changed as (${update} returning 1) ${hand('words_changed', sql`to_jsonb(${changedSoFar} + count(*))`)} from changed`
export const changed = sql<number>`${changedSoFar}`.as('changed')

/** What a batch may change: a part of what the call may still change, and nothing once it has taken too long. */
const batchLimit = sql`(case
  when clock_timestamp() < transaction_timestamp() + ${BATCHES_START_WITHIN}
  then least(${sql.raw(String(BATCH))}, ${sql.raw(String(CHANGE_LIMIT))} - ${changedSoFar}) else 0 end)`
/** The statements that change up to CHANGE_LIMIT records: each takes the first ones left, as many as `limit` says. */
export const inBatches = (update: (limit: SQL) => SQL): Statement[] =>
  Array.from({ length: CHANGE_LIMIT / BATCH }, () => countChanged(update(batchLimit)))
/** The same for a function that changes as many records as `limit` says and returns their number. */
export const inCountedBatches = (change: (limit: SQL) => SQL): Statement[] =>
  Array.from({ length: CHANGE_LIMIT / BATCH }, () => hand('words_changed', sql`to_jsonb(${changedSoFar} + ${change(batchLimit)})`))
/** Replaces the option in the first CHANGE_LIMIT records that use it. */
export const replace = (list: PicklistName, from: SQL, to: SQL): Statement[] =>
  LISTS[list].places.flatMap((place) =>
    inBatches((limit) => sql`${place.replaceIn(from, to)} where id = any(array(select ${usages(place, from, to, limit)}))`),
  )
export const remaining = (list: PicklistName, from: SQL, to: SQL): SQL =>
  sql`(${sql.join(
    LISTS[list].places.map((place) => sql`exists (select from ${usages(place, from, to, sql`1`)})`),
    sql` or `,
  )})`
const countIn = (place: Place, option: SQL): SQL =>
  sql`(select count(*)::int from ${usages(place, option, sql`null`, sql.raw(String(COUNT_LIMIT + 1)))})`
/** The ids of some records that use the option. */
const usersOf = (place: Place, option: SQL): SQL => sql`select u from ${usages(place, option, sql`null`, MOST_NAMED)} u`
export const usersOfLeadSource = (name: SQL): SQL =>
  sql.join(
    LISTS.lead_sources.places.map((place) => usersOf(place, name)),
    sql` union all `,
  )
/** Counts the records that use the option, of each kind up to one more than COUNT_LIMIT. */
export const countOf = (list: PicklistName, option: SQL): SQL =>
  sql`(${sql.join(
    LISTS[list].places.map((place) => countIn(place, option)),
    sql` + `,
  )})`

/** The count in the response, capped at COUNT_LIMIT, with `more` when there are others. */
export const cappedCount = (count: SQL) =>
  sql`(select json_build_object('count', least(n, ${countLimit}), 'more', n > ${countLimit}) from (select ${count} as n) counted)`
const countLimit = sql.raw(String(COUNT_LIMIT))
/** Counts the rows of a select with the same limit. The select ends with its condition. */
export const countUpTo = (select: SQL): SQL =>
  sql`(select count(*)::int from (${select} limit ${sql.raw(String(COUNT_LIMIT + 1))}) matching)`

/** Raises CONFLICT with the count, and the first of them, while records use the option. `ids` is a select of their ids. */
export const assertUnused = (count: SQL, referencedBy: SQL, ids: SQL): Statement =>
  sql`select assert_condition(n = 0, 'CONFLICT', 'Records use this value: send replace_with to give them another one',
    jsonb_build_object('referenced_by', ${referencedBy}, 'count', least(n, ${countLimit}), 'more', n > ${countLimit},
      'ids', ${blockers(ids)})) from (select ${count} as n) counted`

/** Lists the options in order, with the number of records that use each. */
export function listUses(list: SettingsPicklistName) {
  const select = db
    .select({
      name: sql<string>`l.name`.as('name'),
      count: sql<number>`least(u.n, ${countLimit})`.as('count'),
      more: sql<boolean>`u.n > ${countLimit}`.as('more'),
    })
    .from(sql`${LISTS[list].options} l, lateral (select ${countOf(list, sql`l.name`)} as n) u`)
    .orderBy(sql`l.i`)
  return read(rows(select))
}

type Count = { count: number; more: boolean }

/** The same for tags, with the number of records of each kind. */
export function listTagUses() {
  const tables = Object.keys(TAGGED) as (keyof typeof TAGGED)[]
  const capped = (table: keyof typeof TAGGED) =>
    sql<Count>`json_build_object('count', least(u.${sql.identifier(table)}, ${countLimit}),
      'more', u.${sql.identifier(table)} > ${countLimit})`.as(table)
  const select = db
    .select({
      name: sql<string>`l.name`.as('name'),
      count: sql<number>`least(u.contacts + u.companies + u.opportunities, ${countLimit})`.as('count'),
      more: sql<boolean>`u.contacts + u.companies + u.opportunities > ${countLimit}`.as('more'),
      contacts: capped('contacts'),
      companies: capped('companies'),
      opportunities: capped('opportunities'),
    })
    .from(
      sql`${LISTS.tags.options} l, lateral (select ${sql.join(
        tables.map((table) => sql`${countForEach(table, 'tag', sql`norm(l.name)`)} as ${sql.identifier(table)}`),
        sql`, `,
      )}) u`,
    )
    .orderBy(sql`l.i`)
  return plan([foldForMany], rows(select))
}

/** Renames an option in its list and in the records that use it. With more than CHANGE_LIMIT records, repeat the call for the rest. */
export function renameOption(ctx: Ctx, list: PicklistName, { from, to }: Rename) {
  const [has, remains, next] = [isListed(list, from), remaining(list, spelling, sql`${to}`), isListed(list, to)]
  const result = db
    .select({
      name: sql<string>`${to}::text`.as('name'),
      changed,
      more: sql<boolean>`${remains}`.as('more'),
      version: crmSettings.version,
      naming: namingOption(sql`${from}`, sql`${to}`),
    })
    .from(crmSettings)
  return plan(
    [
      lockSettings(ctx),
      storeSpelling(list, from),
      assert(sql`${has} or ${remains}`, 'NOT_FOUND', `Neither the list nor any record contains “${from}”`),
      assertField(sql`${has} or ${next}`, 'to', 'must be on the list, because the old name is not'),
      assert(
        sql`norm(${from}) = norm(${to}) or not (${has} and ${next})`,
        'CONFLICT',
        `“${to}” is on the list already: delete “${from}” with replace_with to combine them`,
      ),
      LISTS[list].rename(from, to),
      ...replace(list, spelling, sql`${to}`),
    ],
    withNaming(oneOrThrow(result, 'settings'), from),
  )
}

/** Deletes an option once no record uses it. With `replacement`, its records get that option first. */
export function deleteOption(ctx: Ctx, list: SettingsPicklistName, option: string, replacement: string | undefined) {
  const isOption = isListed(list, option)
  const result = db
    .select({
      name: sql<string>`${spelling}`.as('name'),
      deleted: sql<boolean>`not ${isOption}`.as('deleted'),
      changed,
      more: sql<boolean>`${isOption}`.as('more'),
      version: crmSettings.version,
      naming: namingOption(replacement === undefined ? sql`null::text` : sql`${option}`),
    })
    .from(crmSettings)
  const spelledReplacement = replacement === undefined ? sql`null` : inList(list, replacement)
  return plan(
    [
      lockSettings(ctx),
      assert(isOption, 'NOT_FOUND', `The list does not contain “${option}”`),
      storeSpelling(list, option),
      ...(replacement === undefined
        ? LISTS[list].places.map((place) => assertUnused(countIn(place, spelling), sql`${place.table}::text`, usersOf(place, spelling)))
        : [
            assertField(
              sql`norm(${replacement}) <> norm(${option}) and ${isListed(list, replacement)}`,
              'replace_with',
              'must be another value of the list',
            ),
          ]),
      ...(replacement === undefined ? [] : replace(list, spelling, spelledReplacement)),
      sql`${SETTINGS_PICKLISTS[list].remove(option)} and not ${remaining(list, spelling, spelledReplacement)}`,
    ],
    withNaming(oneOrThrow(result, 'settings'), option, 'replace_with'),
  )
}
