import { type SQL, sql } from 'drizzle-orm'
import { crmSettings } from '../../schema/index.ts'
import type { Ctx } from '../context.ts'
import { db, type Statement } from '../data/db.ts'
import { plan, read } from '../data/plan.ts'
import { assert, assertField, oneOrThrow, rows } from '../data/query.ts'
import type { PicklistName } from '../domain/picklists.ts'
import type { Rename } from '../schemas/picklists.ts'
import { lockSettings } from './settings.ts'

/** Counts stop at this number of records. */
const COUNTED = 1_000
/** The most records changed by one call: each becomes a change and an event, and a dry run returns them all. */
export const AT_ONCE = 2_000

/** Where a picklist is stored, and how the records that use one of its options are updated. */
type PicklistOptions = {
  /** The options as rows of `name` and `i`, in order. */
  words: SQL
  /** Renames an option in the list itself. */
  rename: (from: string, to: string) => Statement
  /** Updates the records, without the condition that selects them. */
  replaceIn: (from: SQL, to: SQL) => SQL
}
/** A picklist stored in the settings. */
type SettingsPicklist = PicklistOptions & { remove: (word: string) => SQL }

const own = sql`where workspace_id = current_workspace()`

function inSettings(column: string, replaceIn: PicklistOptions['replaceIn']): SettingsPicklist {
  const name = sql.identifier(column)
  const each = sql`unnest(${name}) with ordinality e(w, i)`
  const set = (words: SQL) => sql`update crm_settings set ${name} = array(${words}) ${own}`
  return {
    words: sql`(select w as name, i from crm_settings, ${each})`,
    rename: (from, to) => set(sql`select case when norm(w) = norm(${from}) then ${to} else w end from ${each} order by i`),
    remove: (word) => set(sql`select w from ${each} where norm(w) <> norm(${word}) order by i`),
    replaceIn,
  }
}

const replaced =
  (table: string, column: string, how?: string) =>
  (from: SQL, to: SQL): SQL => {
    const name = sql.identifier(column)
    return sql`update ${sql.identifier(table)} set ${name} = ${how ? sql`${sql.raw(how)}(${name}, ${from}, ${to})` : to}`
  }

const OWN = {
  lost_reasons: inSettings('lost_reasons', replaced('opportunities', 'lost_reasons', 'respelled')),
  won_reasons: inSettings('won_reasons', replaced('opportunities', 'won_reasons', 'respelled')),
  opportunity_types: inSettings('opportunity_types', replaced('opportunities', 'opportunity_type')),
  account_types: inSettings('account_types', replaced('companies', 'account_type')),
  contact_types: inSettings('contact_types', replaced('contacts', 'contact_type')),
  tags: {
    words: sql`(select t ->> 'name' as name, i from crm_settings, jsonb_array_elements(tag_palette) with ordinality e(t, i))`,
    rename: (from, to) => sql`update crm_settings set tag_palette = retagged(tag_palette, ${from}, ${to}) ${own}`,
    remove: (word) => sql`update crm_settings set tag_palette = without_tag(tag_palette, ${word}) ${own}`,
    replaceIn: replaced('opportunities', 'tags', 'retagged'),
  },
} satisfies Record<string, SettingsPicklist>
export type SettingsPicklistName = keyof typeof OWN

const LISTS: Record<PicklistName, PicklistOptions> = {
  ...OWN,
  lead_sources: {
    words: sql`(select name, row_number() over (order by name_norm) as i from lead_sources)`,
    rename: (from, to) => sql`update lead_sources set name = ${to} where name_norm = norm(${from})`,
    replaceIn: replaced('opportunities', 'lead_source'),
  },
}

const inList = (list: PicklistName, word: string): SQL =>
  sql`(select l.name from ${LISTS[list].words} l where norm(l.name) = norm(${word}) order by l.i limit 1)`
const isListed = (list: PicklistName, word: string): SQL => sql`exists ${inList(list, word)}`
const usages = (list: PicklistName, word: SQL, becomes: SQL, limit: number): SQL =>
  sql`holders(${sql.raw(`'${list}'`)}, ${word}, ${becomes}, ${sql.raw(String(limit))})`

/** The option as the list spells it, stored for the transaction before the list changes. */
const NOTED = 'app.word'
const spelled = sql`current_setting(${NOTED})`
const note = (list: PicklistName, word: string): Statement =>
  sql`select set_config(${NOTED}, coalesce(${inList(list, word)}, ${word}), true)`

const CHANGED = 'app.words_changed'
const changedSoFar = sql`coalesce(nullif(current_setting(${CHANGED}, true), ''), '0')::int`
/** Adds the number of updated records to `changed`. `update` ends with its condition. */
export const countChanged = (update: SQL): Statement =>
  sql`with changed as (${update} returning 1) select set_config(${CHANGED}, (${changedSoFar} + count(*))::text, true) from changed`
export const changed = sql<number>`${changedSoFar}`.as('changed')

/** Replaces the option in the first AT_ONCE records that use it. */
export const replace = (list: PicklistName, from: SQL, to: SQL): Statement =>
  countChanged(sql`${LISTS[list].replaceIn(from, to)} where id = any(array(select ${usages(list, from, to, AT_ONCE)}))`)
export const remaining = (list: PicklistName, from: SQL, to: SQL): SQL => sql`exists (select from ${usages(list, from, to, 1)})`
/** Counts the records that use the option, up to one more than COUNTED. */
export const countOf = (list: PicklistName, word: SQL): SQL =>
  sql`(select count(*)::int from ${usages(list, word, sql`null`, COUNTED + 1)})`

/** The count in the response, capped at COUNTED, with `more` when there are others. */
export const cappedCount = (count: SQL) =>
  sql`(select json_build_object('count', least(n, ${most}), 'more', n > ${most}) from (select ${count} as n) counted)`
const most = sql.raw(String(COUNTED))
/** Counts the rows of a select with the same limit. The select ends with its condition. */
export const countUpTo = (found: SQL): SQL => sql`(select count(*)::int from (${found} limit ${sql.raw(String(COUNTED + 1))}) found)`

/** Raises CONFLICT with the count while records use the option. */
export const assertUnused = (count: SQL, referencedBy: SQL): Statement =>
  sql`select assert_condition(n = 0, 'CONFLICT', 'Records use this value: send replace_with to give them another one',
    jsonb_build_object('referenced_by', ${referencedBy}, 'count', least(n, ${most}), 'more', n > ${most})) from (select ${count} as n) counted`

/** Lists the options in order, with the number of records that use each. */
export function listUses(list: SettingsPicklistName) {
  const select = db
    .select({
      name: sql<string>`l.name`.as('name'),
      count: sql<number>`least(u.n, ${most})`.as('count'),
      more: sql<boolean>`u.n > ${most}`.as('more'),
    })
    .from(sql`${LISTS[list].words} l, lateral (select ${countOf(list, sql`l.name`)} as n) u`)
    .orderBy(sql`l.i`)
  return read(rows(select))
}

/** Renames an option in its list and in the records that use it. With more than AT_ONCE records, repeat the call for the rest. */
export function renameOption(ctx: Ctx, list: PicklistName, { from, to }: Rename) {
  const [has, left, next] = [isListed(list, from), remaining(list, spelled, sql`${to}`), isListed(list, to)]
  const result = db
    .select({ name: sql<string>`${to}::text`.as('name'), changed, more: sql<boolean>`${left}`.as('more'), version: crmSettings.version })
    .from(crmSettings)
  return plan(
    [
      lockSettings(ctx),
      note(list, from),
      assert(sql`${has} or ${left}`, 'NOT_FOUND', `Neither the list nor any record contains “${from}”`),
      assertField(sql`${has} or ${next}`, 'to', 'must be on the list, because the old name is not'),
      assert(
        sql`norm(${from}) = norm(${to}) or not (${has} and ${next})`,
        'CONFLICT',
        `“${to}” is on the list already: delete “${from}” with replace_with to combine them`,
      ),
      LISTS[list].rename(from, to),
      replace(list, spelled, sql`${to}`),
    ],
    oneOrThrow(result, 'settings'),
  )
}

/** Deletes an option once no record uses it. With `replacement`, its records get that option first. */
export function deleteOption(ctx: Ctx, list: SettingsPicklistName, word: string, other: string | undefined) {
  const there = isListed(list, word)
  const result = db
    .select({
      name: sql<string>`${spelled}`.as('name'),
      deleted: sql<boolean>`not ${there}`.as('deleted'),
      changed,
      more: sql<boolean>`${there}`.as('more'),
      version: crmSettings.version,
    })
    .from(crmSettings)
  const another = other === undefined ? sql`null` : inList(list, other)
  const entity = sql`${list === 'account_types' ? 'companies' : list === 'contact_types' ? 'contacts' : 'opportunities'}::text`
  return plan(
    [
      lockSettings(ctx),
      assert(there, 'NOT_FOUND', `The list does not contain “${word}”`),
      note(list, word),
      other === undefined
        ? assertUnused(countOf(list, spelled), entity)
        : assertField(
            sql`norm(${other}) <> norm(${word}) and ${isListed(list, other)}`,
            'replace_with',
            'must be another value of the list',
          ),
      other !== undefined && replace(list, spelled, another),
      sql`${OWN[list].remove(word)} and not ${remaining(list, spelled, another)}`,
    ],
    oneOrThrow(result, 'settings'),
  )
}
