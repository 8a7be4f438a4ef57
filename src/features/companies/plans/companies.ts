import { and, eq, type SQL, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { companies, contacts, employers, opportunities } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { assertReferences, insertEach, updateEach } from '../../../data/bulk.ts'
import { db } from '../../../data/db.ts'
import { deleteInBatches } from '../../../data/deletion-jobs.ts'
import { clearable, mergedMetadata } from '../../../data/metadata.ts'
import { type Keys, kindOf, type PageQuery, page } from '../../../data/page.ts'
import { plan } from '../../../data/plan.ts'
import { assertField, mapResult, oneOrThrow, rows, type Warning, WithWarnings } from '../../../data/query.ts'
import { assertExists, columnsFor, insertRow, lockAllForUpdate, lockForUpdate } from '../../../data/store.ts'
import { DEFAULT_COUNTRY_NAMES } from '../../../domain/default-country.ts'
import { companyWarnings } from '../../../domain/warnings.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { validateEach, valuesOf } from '../../../schemas/bulk.ts'
import { Contact } from '../../contacts/schemas/contacts.ts'
import { ownerOf } from '../../members/plans/members.ts'
import { type BulkPlan, bulkDelete, bulkTable, bulkWriteWithWarnings } from '../../records/plans/bulk.ts'
import { updatesOf } from '../../records/plans/updates.ts'
import { distinctTags, mergedTags, newTags } from '../../tags/plans/tags.ts'
import { needsCountry, normaliseCompany } from '../rules/companies.ts'
import { Company, type CompanyPatch, CompanyPatchWithId, NewCompany } from '../schemas/companies.ts'
import { CYCLE, checkHierarchy, createHierarchyRule, fitsUnder, hierarchyLock, hierarchyRule } from './company-tree.ts'

export const fields = columnsFor(companies, Company)
const record = (id: string) => oneOrThrow(db.select(fields).from(companies).where(eq(companies.id, id)), 'company', id)

export function describeCompany<Row extends Record<string, unknown>>(
  sent: Record<string, unknown>,
  row: Row,
): { row: Row; warnings: Warning[] } {
  return { row, warnings: companyWarnings(sent, row) }
}
/** The record as it is stored, with warnings about what was sent. */
const written = (id: string, sent: CompanyPatch) => mapResult(record(id), (row) => new WithWarnings(row, companyWarnings(sent, row)))

const OWNER = ownerOf('companies')
export const bulk = bulkTable({ table: companies, entity: 'company', what: 'company', fields, references: [OWNER] })
/** The SQL of columns of new and of updated companies. */
export const creating = { tags: distinctTags }
export const merging = { metadata: mergedMetadata(companies), tags: mergedTags(companies) }
/** The rules of an upsert that depend on the stored record. */
export const upsertRules = { references: [], rules: [OWNER] }
const assertOwner = (row: CompanyPatch & { id: string }) => !!row.assigned_to && assertReferences(companies, row, [OWNER])

/** Normalises a company's fields into columns. @throws AppError VALIDATION_ERROR for values that cannot be parsed. */
export function columnsOf<Fields extends CompanyPatch>(input: Fields, stored?: string | null): Fields {
  const { columns, issues } = normaliseCompany(input, input.country ?? stored)
  if (issues.length > 0) throw invalid(issues)
  return columns
}

export function createCompany(input: NewCompany) {
  const row = { ...columnsOf(input), id: newId() }
  const { id, parent_company_id: parent } = row
  return plan(
    [
      assertOwner(row),
      !!parent && assertField(fitsUnder(id, parent), 'parent_company_id', CYCLE),
      insertRow(companies, { ...row, ...newTags(row) }),
    ],
    written(id, input),
  )
}

/** The columns that a patch changes. @throws AppError VALIDATION_ERROR for values that cannot be parsed. */
async function changedColumns(ctx: Ctx, id: string, patch: CompanyPatch): Promise<CompanyPatch> {
  const countries = await countriesFor(ctx, [{ id, ...patch }])
  return columnsOf(patch, countries.get(id))
}

export async function updateCompany(ctx: Ctx, id: string, patch: CompanyPatch) {
  const columns = await changedColumns(ctx, id, patch)
  const { parent_company_id: parent } = columns
  return plan(
    [
      !!parent && hierarchyLock,
      lockForUpdate(ctx, companies, id, 'company'),
      assertOwner({ id, ...columns }),
      !!parent && assertField(fitsUnder(id, parent), 'parent_company_id', CYCLE),
      clearable('company', patch),
      Object.keys(columns).length > 0 && updateEach(companies, [{ id, ...columns }], [], merging),
    ],
    written(id, patch),
  )
}

/**
 * The countries of the companies whose patch has a phone number without a prefix, or a state: only these depend on the country. `assume`
 * guesses Australia, which is right for most companies and saves the round trip.
 */
async function countriesFor(ctx: Ctx, patches: (CompanyPatch & { id: string })[]): Promise<Map<string, string | null>> {
  const ids = patches.filter((patch) => patch.country === undefined && needsCountry(patch)).map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const these = sql`${companies.id} = any(${`{${ids.join(',')}}`}::uuid[])`
  const stored = rows(db.select({ id: companies.id, country: companies.country }).from(companies).where(these))
  const elsewhere = sql`exists (select from ${companies} where ${these} and lower(${companies.country}) not in ${DEFAULT_COUNTRY_NAMES})`
  const countries = await ctx.assume(stored, [], sql`not ${elsewhere}`)
  return new Map(countries.map(({ id, country }) => [id, country]))
}

export const deleteCompany = (ctx: Ctx, id: string) => deleteInBatches(ctx, companies, id, 'company')

export function companyCreates(
  records: unknown[],
  schema: v.GenericSchema<unknown, NewCompany> = NewCompany,
): BulkPlan<typeof bulk.fields> {
  const references = [...bulk.references, createHierarchyRule]
  const validated = validateEach(schema, records, (input) => ({ ...columnsOf(input), id: newId() }))
  return [{ ...bulk, references }, validated, insertEach(companies, valuesOf(validated), references, creating)]
}

export function createCompanies(records: unknown[]) {
  return bulkWriteWithWarnings(companyCreates(records), records, describeCompany)
}

export async function companyUpdates(ctx: Ctx, records: unknown[]): Promise<BulkPlan<typeof bulk.fields>> {
  const patches = validateEach(CompanyPatchWithId, records, (patch) => patch)
  const countries = await countriesFor(ctx, valuesOf(patches))
  const validated = validateEach(CompanyPatchWithId, records, ({ id, ...patch }) => ({ ...columnsOf(patch, countries.get(id)), id }))
  return updatesOf(bulk, validated, { rules: [hierarchyRule], before: checkHierarchy(valuesOf(validated)), merging })
}

export async function updateCompanies(ctx: Ctx, records: unknown[]) {
  return bulkWriteWithWarnings(await companyUpdates(ctx, records), records, describeCompany)
}

/**
 * Deletes companies. A parent can be deleted when the call names all of its subsidiaries. Each lookup is a subselect: a join would scan
 * the whole table.
 */
export function deleteCompanies(ids: string[]) {
  const condition = sql`exists (
    with recursive below(id) as (select companies.id
      union select c.id from below cross join lateral (select c.id from companies c where c.parent_company_id = below.id offset 0) c)
    select from below where below.id <> all(${`{${ids.join(',')}}`}::uuid[])
    union all select from below cross join lateral (select from ${opportunities} o where o.customer_id = below.id limit 1) o
    union all select from below cross join lateral (select from invoices i where i.customer_id = below.id limit 1) i)`
  const blocker = {
    condition,
    ids: (id: SQL) => sql`select c.id from companies c where c.parent_company_id = ${id} union all select o.id from ${opportunities} o
      where o.customer_id = ${id}
      union all select i.id from invoices i where i.customer_id = ${id}`,
    message: 'Opportunities or subsidiaries still refer to this company: change or delete them first',
  }
  const deleted = bulkDelete(bulk, ids, { blocker, inBatches: true })
  return { ...deleted, statements: [lockAllForUpdate(companies, ids), ...deleted.statements] }
}

const person = and(eq(contacts.workspace_id, employers.workspace_id), eq(contacts.id, employers.contact_id))
const people = (keys: Keys) =>
  db
    .select({ ...columnsFor(contacts, Contact), ...keys })
    .from(employers)
    .innerJoin(contacts, person)
const subsidiaries = (keys: Keys) => db.select({ ...fields, ...keys }).from(companies)

/** Lists the contacts linked to a company, the most recent link first. */
export function listCompanyContacts(id: string, query: PageQuery) {
  const result = page({
    select: people,
    id: employers.id,
    records: contacts,
    where: [eq(employers.customer_id, id), kindOf(contacts.archived, query)],
    sorts: { id: employers.id },
    name: `contacts ${id}`,
    query: { ...query, sort: '-id' },
  })
  return plan([assertExists(companies, id, 'company')], result)
}

/** Lists a company's direct subsidiaries. */
export function listSubsidiaries(id: string, query: PageQuery) {
  const result = page({
    select: subsidiaries,
    id: companies.id,
    where: [eq(companies.parent_company_id, id)],
    sorts: { created_at: companies.created_at },
    archived: companies.archived,
    name: `subsidiaries ${id}`,
    query,
  })
  return plan([assertExists(companies, id, 'company')], result)
}
