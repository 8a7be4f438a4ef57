import { sql } from 'drizzle-orm'
import { leadSources } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { plan } from '../../../data/plan.ts'
import { assertField, oneOrThrow } from '../../../data/query.ts'
import { countForEach, foldForMany } from '../../../data/record-counts.ts'
import { lockForUpdate } from '../../../data/store.ts'
import {
  assertUnused,
  cappedCount,
  changed,
  countOf,
  countUpTo,
  inBatches,
  remaining,
  replace,
  usersOfLeadSource,
} from '../../settings/plans/picklists.ts'

/** Contacts reference a lead source by id; opportunities store its name. */
type Use = { count: number; more: boolean }

const usesWith = (keys: Keys) =>
  db
    .select({
      id: leadSources.id,
      name: leadSources.name,
      contacts: sql<Use>`${cappedCount(countForEach('contacts', 'source_id', sql`lead_sources.id::text`))}`.as('contacts'),
      opportunities: sql<Use>`${cappedCount(countForEach('opportunities', 'source', sql`lead_sources.name`))}`.as('opportunities'),
      ...keys,
    })
    .from(leadSources)

/** Lists lead sources with the number of contacts and opportunities that use each. */
export const listLeadSourceUses = (query: PageQuery) =>
  plan(
    [foldForMany],
    page({
      select: usesWith,
      id: leadSources.id,
      where: [],
      sorts: { name: leadSources.name_norm },
      name: 'lead source uses',
      query: { ...query, sort: 'name' },
    }),
  )

/** Deletes a lead source once no record uses it. With `replacement`, its records get that one first. */
export function deleteLeadSource(ctx: Ctx, id: string, replacement: string | undefined) {
  const contacts = sql`select id from contacts where source_id = ${id}`
  const nameOf = (source: string) => sql`(select name from lead_sources where id = ${source})`
  const [name, next] = [nameOf(id), replacement === undefined ? sql`null` : nameOf(replacement)]
  const isDeleted = sql<boolean>`not exists (select from lead_sources where id = ${id})`
  const result = db
    .select({
      id: sql<string>`${id}::uuid`.as('id'),
      deleted: isDeleted.as('deleted'),
      changed,
      more: sql<boolean>`not ${isDeleted}`.as('more'),
    })
    .from(sql`(select) one`)
  const [ofContacts, ofOpportunities] = [countUpTo(contacts), countOf('lead_sources', name)]
  const replacements =
    replacement === undefined
      ? [
          assertUnused(
            sql`${ofContacts} + ${ofOpportunities}`,
            sql`case when exists (${contacts}) then 'contacts' else 'opportunities' end`,
            sql`${contacts} union all ${usersOfLeadSource(name)}`,
          ),
        ]
      : [
          assertField(
            sql`${id} <> ${replacement} and exists (select from lead_sources where id = ${replacement})`,
            'replace_with',
            'must be another lead source of this workspace',
          ),
          ...inBatches((limit) => sql`update contacts set source_id = ${replacement} where id = any(array(${contacts} limit ${limit}))`),
          ...replace('lead_sources', name, next),
        ]
  return plan(
    [
      lockForUpdate(ctx, leadSources, id, 'lead source'),
      ...replacements,
      sql`delete from lead_sources where id = ${id} and not exists (${contacts}) and not ${remaining('lead_sources', name, next)}`,
    ],
    oneOrThrow(result, 'lead source'),
  )
}
