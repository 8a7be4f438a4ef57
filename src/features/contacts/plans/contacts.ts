import { eq, type SQL, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { companies, contacts, leadSources, opportunities } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { assertReferences, insertEach, type Reference, refersTo, updateEach } from '../../../data/bulk.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { deleteInBatches } from '../../../data/deletion-jobs.ts'
import { clearable, mergedMetadata } from '../../../data/metadata.ts'
import { plan, read } from '../../../data/plan.ts'
import { compiledSelect, mapResult, oneOrThrow, rows, type Warning, WithWarnings } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate } from '../../../data/store.ts'
import { DEFAULT_COUNTRY_NAMES } from '../../../domain/default-country.ts'
import { localTimeIn } from '../../../domain/local-days.ts'
import { contactWarnings, linkedWarnings } from '../../../domain/warnings.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { validateEach, valuesOf, withValues } from '../../../schemas/bulk.ts'
import { ownerOf } from '../../members/plans/members.ts'
import { type BulkPlan, bulkDelete, bulkTable, bulkWriteWithWarnings } from '../../records/plans/bulk.ts'
import { updatesOf } from '../../records/plans/updates.ts'
import { distinctTags, mergedTags, newTags } from '../../tags/plans/tags.ts'
import { zoneOfContact } from '../rules/local-zone.ts'
import { normaliseContact } from '../rules/normalise.ts'
import { ContactDetails, type ContactPatch, ContactPatchWithId, ContactRecord, NewContact } from '../schemas/contacts.ts'
import { changedWithZones, createdWithZones } from './local-zones.ts'

type Fields = Record<string, unknown>
type Row = Fields & { id: string }

/** The first time zone to reach a new day. A date is rejected as a future date only when it is in the future everywhere. */
const EARLIEST = 'Pacific/Kiritimati'

const company = sql<{
  id: string
  name: string
} | null>`(select json_build_object('id', c.id, 'name', c.name) from companies c
  where c.workspace_id = contacts.workspace_id and c.id = contacts.customer_id)`
export const recordFields = columnsFor(contacts, ContactRecord, { company: company.as('company') })
/** The details of a contact, with these expressions for what is linked with it. */
const detailsWith = (links: { stakeholderTypes: SQL; opportunities: SQL; lists: SQL }) =>
  columnsFor(contacts, ContactDetails, {
    company: company.as('company'),
    stakeholder_types: links.stakeholderTypes.as('stakeholder_types'),
    opportunities: sql`case when (select has_scopes(array['opportunities:read'])) then ${links.opportunities} end`.as('opportunities'),
    lists: sql`case when (select has_scopes(array['lists:read'])) then ${links.lists} end`.as('lists'),
  })
const detailFields = detailsWith({
  stakeholderTypes: sql`stakeholder_types_of(contacts.id)`,
  opportunities: sql`opportunities_of(contacts.id)`,
  lists: sql`static_lists_of(contacts.id)`,
})
/** Nothing is linked with a new contact: not to look saves 6 % of the cost of its creation. */
const NONE = sql`'{"count": 0, "more": false, "newest": []}'::json`
const records = compiledSelect(db.select(detailFields).from(contacts))
const record = (id: string) => oneOrThrow(records.where(eq(contacts.id, id)), 'contact', id)

/** The contact that this request has replaced as the primary contact of the company. */
const replacedPrimary = sql<
  string | null
>`case when contacts.is_primary then (select p.id from changes c join contacts p on p.id = c.entity_id
  where c.request_id = current_setting('app.request_id', true) and c.entity = 'contact' and c.fields -> 'is_primary' ->> 'after' = 'false'
    and p.customer_id = contacts.customer_id and p.id <> contacts.id limit 1) end`.as('replaced_primary')
const recordsWithPrimary = compiledSelect(db.select({ ...detailFields, replaced_primary: replacedPrimary }).from(contacts))
const newRecords = compiledSelect(
  db
    .select({ ...detailsWith({ stakeholderTypes: NONE, opportunities: NONE, lists: NONE }), replaced_primary: replacedPrimary })
    .from(contacts),
)

export function describeContact<Row extends Fields & { replaced_primary: string | null }>(sent: Fields, { replaced_primary, ...row }: Row) {
  const warnings: Warning[] = contactWarnings(sent, row)
  if (replaced_primary)
    warnings.push({
      code: 'PRIMARY_CONTACT_REPLACED',
      field: 'is_primary',
      message: 'Another contact was the primary contact of the company and no longer is',
      details: { contact_id: replaced_primary },
    })
  return { row, warnings }
}

export function describeNewContact<Row extends Fields & { replaced_primary: string | null }>(sent: Fields, found: Row) {
  const { row, warnings } = describeContact(sent, found)
  return { row, warnings: [...warnings, ...linkedWarnings(sent, row)] }
}

/** The record as it is stored, with warnings about what was sent. */
const written = (id: string, sent: Fields, describe = describeContact, select = recordsWithPrimary) =>
  mapResult(oneOrThrow(select.where(eq(contacts.id, id)), 'contact', id), (decoded) => {
    const { row, warnings } = describe(sent, decoded)
    return new WithWarnings(row, warnings)
  })

const OWNER = ownerOf('contacts')
/** The rules of references that do not depend on the stored record. */
export const LINKS: Reference[] = [
  refersTo('customer_id', companies),
  refersTo('source_id', leadSources),
  refersTo('referrer_opportunity_id', opportunities),
]
export const REFERENCES = [...LINKS, OWNER]
/** The rules of an upsert: `references` are checked before a record is matched, `rules` after. */
export const upsertRules = { references: LINKS, rules: [OWNER] }

export const bulk = bulkTable({
  table: contacts,
  entity: 'contact',
  what: 'contact',
  fields: { ...recordFields, replaced_primary: replacedPrimary },
  references: REFERENCES,
})

export const getContact = (id: string) => read(record(id))

export async function createContact(ctx: Ctx, input: NewContact, id = newId()) {
  const [values] = (await createdWithZones(ctx, [newColumns(ctx, input, id)])) as [Row]
  return plan(
    [assertOwner(values), insertRow(contacts, { ...values, ...newCompany(values), ...newTags(input) })],
    written(values.id, input, describeNewContact, newRecords),
  )
}

const assertOwner = (row: Fields & { id: string }) => !!row.assigned_to && assertReferences(contacts, row, [OWNER])

/** The columns of a new contact. @throws AppError VALIDATION_ERROR for values that cannot be stored. */
export function newColumns(ctx: Ctx, input: ContactPatch, id = newId()): Row {
  const { columns, issues } = normaliseContact(input, { now: ctx.now, zone: EARLIEST })
  if (issues.length > 0) throw invalid(issues)
  return { ...columns, id }
}

/**
 * The lock that writes of these contacts need first: any of them may become a primary contact, or take that flag to another company.
 * Without such a write there is none, so that contacts of one company do not wait for each other.
 */
export function lockPrimaries(patches: { id?: string; is_primary?: unknown; customer_id?: unknown }[]): Statement | undefined {
  const affected = patches.filter(({ is_primary, customer_id }) => is_primary || customer_id)
  if (affected.length === 0) return undefined
  const idsOf = (ids: unknown[]) => sql`${`{${[...new Set(ids.filter(Boolean))].join(',')}}`}::uuid[]`
  return call('lock_primary_contacts', idsOf(patches.map(({ id }) => id)), idsOf(affected.map((patch) => patch.customer_id)))
}

/** The columns that a patch changes. @throws AppError VALIDATION_ERROR for values that cannot be stored. */
async function changedColumns(ctx: Ctx, id: string, patch: ContactPatch): Promise<Fields> {
  const countries = await countriesFor(ctx, [{ id, ...patch }])
  const [columns] = await changedWithZones(ctx, [{ ...patchColumns(ctx, patch, countries.get(id)), id }])
  return columns as Fields
}

export async function updateContact(ctx: Ctx, id: string, patch: ContactPatch) {
  const columns = await changedColumns(ctx, id, patch)
  return plan(
    [
      lockPrimaries([{ ...patch, id }]),
      lockForUpdate(ctx, contacts, id, 'contact'),
      assertOwner({ id, ...columns }),
      clearable('contact', patch),
      updateEach(contacts, [{ id, ...columns }], [], merging),
    ],
    written(id, patch),
  )
}

/**
 * The alternate values of a contact, as alternatesTo (src/domain/addresses.ts), for an update, which does not read the stored ones first.
 */
export function alternatesWithout(field: 'alternate_emails' | 'alternate_phones', main: SQL): SQL {
  const name = sql.raw(field)
  return sql`array_remove(case when p.patch ? ${sql.raw(`'${field}'`)} then r.${name} else contacts.${name} end, ${main})`
}

/**
 * The columns whose new value depends on the stored one: metadata is merged, and the main address and the main number are
 * removed from the alternate ones. Tags have distinct names.
 */
export const merging: Record<string, SQL> = {
  alternate_emails: alternatesWithout('alternate_emails', sql`case when p.patch ? 'email' then r.email else contacts.email end`),
  alternate_phones: alternatesWithout('alternate_phones', sql`case when p.patch ? 'phone' then r.phone else contacts.phone end`),
  metadata: mergedMetadata(contacts),
  tags: mergedTags(contacts),
}
/** The SQL of columns of new contacts. One that names no company, not even null, may be linked by the domain of its email address. */
export const creating = {
  tags: distinctTags,
  customer_id: sql`case when p.patch ? 'customer_id' then r.customer_id else company_by_mail_domain(r.email) end`,
}
const newCompany = ({ customer_id, email }: Fields) =>
  customer_id === undefined ? { customer_id: sql`company_by_mail_domain(${email ?? null})` } : {}

export function patchColumns(ctx: Ctx, patch: ContactPatch, country: string | null | undefined): Fields {
  const { columns, issues } = normaliseContact(patch, { now: ctx.now, zone: EARLIEST, stored: { country } })
  if (issues.length > 0) throw invalid(issues)
  return columns
}

/**
 * The countries of the contacts whose patch has a phone number without a prefix, or a state without a country: only these depend on the
 * country. `assume` guesses Australia, which is right for most contacts and saves the round trip.
 */
async function countriesFor(ctx: Ctx, patches: (ContactPatch & { id: string })[]): Promise<Map<string, string | null>> {
  const national = (number: string | null | undefined) => typeof number === 'string' && !/^\s*(\+|00)/.test(number)
  const ids = patches
    .filter(
      ({ country, phone, alternate_phones, landline, timezone }) =>
        country === undefined && ([phone, landline, ...(alternate_phones ?? [])].some(national) || (timezone && !timezone.includes('/'))),
    )
    .map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const these = sql`${contacts.id} = any(${`{${ids.join(',')}}`}::uuid[])`
  const stored = rows(db.select({ id: contacts.id, country: contacts.country }).from(contacts).where(these))
  const elsewhere = sql`exists (select from ${contacts} where ${these} and lower(${contacts.country}) not in ${DEFAULT_COUNTRY_NAMES})`
  const countries = await ctx.assume(stored, [], sql`not ${elsewhere}`)
  return new Map(countries.map(({ id, country }) => [id, country]))
}

export const deleteContact = (ctx: Ctx, id: string) => deleteInBatches(ctx, contacts, id, 'contact')

export async function contactCreates(
  ctx: Ctx,
  records: unknown[],
  schema: v.GenericSchema<unknown, NewContact> = NewContact,
): Promise<BulkPlan<typeof bulk.fields>> {
  const created = validateEach(schema, records, (input) => newColumns(ctx, input))
  const validated = withValues(created, await createdWithZones(ctx, valuesOf(created)))
  const primaries = valuesOf(validated).filter(({ is_primary }) => is_primary)
  return [bulk, validated, lockPrimaries(primaries), insertEach(contacts, valuesOf(validated), REFERENCES, creating)]
}

export async function createContacts(ctx: Ctx, records: unknown[]) {
  return bulkWriteWithWarnings(await contactCreates(ctx, records), records, describeNewContact)
}

export async function contactUpdates(ctx: Ctx, records: unknown[]): Promise<BulkPlan<typeof bulk.fields>> {
  const patches = validateEach(ContactPatchWithId, records, (patch) => patch)
  const countries = await countriesFor(ctx, valuesOf(patches))
  const changed = validateEach(
    ContactPatchWithId,
    records,
    ({ id, ...patch }): Row => ({
      ...patchColumns(ctx, patch, countries.get(id)),
      id,
    }),
  )
  const validated = withValues(changed, await changedWithZones(ctx, valuesOf(changed)))
  return updatesOf(bulk, validated, { before: [lockPrimaries(valuesOf(validated))], merging })
}

export async function updateContacts(ctx: Ctx, records: unknown[]) {
  return bulkWriteWithWarnings(await contactUpdates(ctx, records), records, describeContact)
}

export const deleteContacts = (ids: string[]) => bulkDelete(bulk, ids, { inBatches: true })

/** Returns the contact's local time and the field that determined the time zone. */
export function localTime(ctx: Ctx, id: string) {
  const { timezone, state, country, phone } = contacts
  const zone = sql<string>`(select w.timezone from workspaces w)`.as('zone')
  return read(
    mapResult(
      oneOrThrow(db.select({ timezone, state, country, phone, zone }).from(contacts).where(eq(contacts.id, id)), 'contact', id),
      (row) => {
        const { timezone, decided_by } = zoneOfContact(row, row.zone)
        return {
          timezone,
          decided_by,
          local_time: localTimeIn(timezone, ctx.now),
        }
      },
    ),
  )
}
