import { type SQL, sql } from 'drizzle-orm'
import { crmSettings, leadSources as leadSourceTable } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement, writing } from '../../../data/db.ts'
import { plan, read } from '../../../data/plan.ts'
import { assertField, assertNoPaths, mapResult, oneOrThrow, WithWarnings } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { droppedEntries } from '../../../domain/warnings.ts'
import { METADATA } from '../../../schemas/json-objects.ts'
import { type BirthdayMessages, CrmSettings, type LeadSourceEntry, type SettingsPatch, type TagPalette } from '../schemas/settings.ts'
import { definitions, replaceCustomFields } from './custom-fields.ts'

const leadSources = sql`(select coalesce(json_agg(json_build_object('id', l.id, 'name', l.name, 'is_active', l.is_active)
  order by l.name_norm), '[]') from lead_sources l)`
const settings = oneOrThrow(
  db
    .select(
      columnsFor(crmSettings, CrmSettings, {
        custom_fields: definitions.as('custom_fields'),
        lead_sources: leadSources.as('lead_sources'),
      }),
    )
    .from(crmSettings),
  'settings',
)
const birthdayMessages = mapResult(
  oneOrThrow(db.select({ messages: crmSettings.birthday_messages }).from(crmSettings), 'settings'),
  ({ messages }) => messages,
)
const palette = mapResult(oneOrThrow(db.select({ tags: crmSettings.tag_palette }).from(crmSettings), 'settings'), ({ tags }) => tags)

export const getSettings = () => read(settings)
export const getBirthdayMessages = () => read(birthdayMessages)
export const getTagPalette = () => read(palette)

export const lockSettings = ({ ifMatch = null }: { ifMatch?: number | null | undefined }): Statement =>
  sql`select assert_version((select version from crm_settings where workspace_id = current_workspace() for update),
    ${ifMatch}::int, 'settings')`
const change = (columns: Record<string, unknown>) => db.update(crmSettings).set(columns).where(sql`workspace_id = current_workspace()`)

/** The lists whose names are distinct in normal form. */
const NAME_LISTS = ['lost_reasons', 'won_reasons', 'opportunity_types', 'account_types', 'contact_types']
const textArray = (values: string[]) => sql`array(select jsonb_array_elements_text(${JSON.stringify(values)}::jsonb))`

/** Updates the settings that were sent and leaves the others unchanged. */
export function updateSettings(ctx: Ctx, { custom_fields, lead_sources, transcript_settings, ...columns }: SettingsPatch) {
  const merged = transcript_settings && { transcript_settings: mergedInto(sql`transcript_settings`, transcript_settings) }
  const names = Object.entries(columns).filter(([name]) => NAME_LISTS.includes(name))
  const distinct = Object.fromEntries(names.map(([name, list]) => [name, sql`distinct_names(${textArray(list as string[])})`]))
  const changed = { ...columns, ...distinct, ...merged }
  return plan(
    [
      lockSettings(ctx),
      ...(custom_fields ? replaceCustomFields(custom_fields) : []),
      ...(lead_sources ? replaceLeadSources(lead_sources) : []),
      Object.keys(changed).length > 0 && change(changed),
      merged && assertField(fitsMerged, 'transcript_settings', TOO_LARGE),
    ],
    mapResult(
      settings,
      (stored) =>
        new WithWarnings(stored, [
          ...names.flatMap(([name, list]) => droppedEntries(name, list, stored[name as keyof typeof stored])),
          ...(custom_fields ?? []).flatMap(({ object, key, options }, at) => {
            const field = stored.custom_fields.find((one) => one.object === object && one.key === key)
            return droppedEntries(`custom_fields.${at}.options`, options, field?.options ?? [])
          }),
        ]),
    ),
  )
}

/** What was merged has the bounds of what can be sent, so that it can be sent back. */
const fitsMerged = sql`(select (select count(*) from jsonb_object_keys(transcript_settings)) <= ${METADATA.keys}::int
  and octet_length(transcript_settings::text) <= ${METADATA.bytes}::int from crm_settings where workspace_id = current_workspace())`
const TOO_LARGE =
  `must have at most ${METADATA.keys} keys and ${METADATA.bytes / 1024} KB together with what is stored: ` +
  'remove what is no longer needed'

/** Merges the entries sent into the stored ones; null removes an entry. */
function mergedInto(stored: SQL, sent: Record<string, unknown>): SQL {
  const removed = Object.keys(sent).filter((name) => sent[name] === null)
  return sql`(${stored} || ${JSON.stringify(sent)}::jsonb) - array(select jsonb_array_elements_text(${JSON.stringify(removed)}::jsonb))`
}

/** Replaces the workspace's lead sources. An entry is matched by id, otherwise by name. */
function replaceLeadSources(entries: LeadSourceEntry[]): Statement[] {
  const requested = sql`jsonb_to_recordset(${JSON.stringify(entries.map((entry, at) => ({ ...entry, at })))}::jsonb) as g(id uuid,
    name text, is_active boolean, at int)`
  const isSame = sql`(g.id = l.id or g.id is null and norm(g.name) = l.name_norm
    and not exists (select from ${requested.getSQL()} where g.id = l.id))`
  return [
    call('assert_distinct_names', 'lead_sources', JSON.stringify(entries)),
    assertNoPaths(
      sql`array(select format('lead_sources.%s.id', g.at) from ${requested}
        where g.id is not null and not exists (select from lead_sources l where l.id = g.id) order by g.at)`,
      'No such lead source in this workspace',
    ),
    sql`delete from lead_sources l where not exists (select from ${requested} where ${isSame})`,
    writing(
      leadSourceTable,
      entries.filter(({ id }) => id !== undefined),
      sql`update lead_sources l set name = g.name, is_active = coalesce(g.is_active, l.is_active) from ${requested} where ${isSame}`,
    ),
    sql`insert into lead_sources (name, is_active) select g.name, coalesce(g.is_active, true) from ${requested} where g.id is null
      and not exists (select from lead_sources l where l.name_norm = norm(g.name)) order by g.at`,
  ]
}

/** Replaces all birthday messages. */
export function setBirthdayMessages(ctx: Ctx, body: BirthdayMessages) {
  const messages = Array.isArray(body) ? body : body.messages
  const columns = messages.map(({ year, email_subject = null, email_body = null, sms_body = null }) => ({
    year,
    email_subject,
    email_body,
    sms_body,
  }))
  return plan([lockSettings(ctx), change({ birthday_messages: columns.sort((a, b) => a.year - b.year) })], birthdayMessages)
}

/** Replaces the whole tag palette. */
export function setTagPalette(ctx: Ctx, body: TagPalette) {
  const sent = Array.isArray(body) ? body : body.tags
  const tags = sql`distinct_tags(${JSON.stringify(sent)}::jsonb, false)`
  const nameOf = (tag: unknown) => (tag as { name: string }).name
  return plan(
    [lockSettings(ctx), change({ tag_palette: tags })],
    mapResult(palette, (stored) => new WithWarnings(stored, droppedEntries('tags', sent, stored, nameOf))),
  )
}
