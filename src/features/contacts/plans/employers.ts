import { and, eq, sql } from 'drizzle-orm'
import { companies, contacts, employers } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { type PageQuery, page } from '../../../data/page.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { addedIf, constant, mapResult, oneOrThrow, rows, typed } from '../../../data/query.ts'
import { assertExists, assertStays, lockForUpdate, noteAdded, rowExists } from '../../../data/store.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { type Bulk, failure, validateEach, valuesOf } from '../../../schemas/bulk.ts'
import { Link } from '../schemas/contacts.ts'
import { lockPrimaries } from './contacts.ts'

type Linked = { contact_id: string; customer_id: string }
const linkFields = {
  contact_id: employers.contact_id,
  customer_id: employers.customer_id,
  company_name: companies.name,
  is_main: sql<boolean>`${contacts.customer_id} is not distinct from ${employers.customer_id}`.as('is_main'),
  created_at: employers.created_at,
}
const links = () =>
  db
    .select(linkFields)
    .from(employers)
    .innerJoin(companies, and(eq(companies.workspace_id, employers.workspace_id), eq(companies.id, employers.customer_id)))
    .innerJoin(contacts, and(eq(contacts.workspace_id, employers.workspace_id), eq(contacts.id, employers.contact_id)))
const thisPair = ({ contact_id, customer_id }: Linked) => and(eq(employers.contact_id, contact_id), eq(employers.customer_id, customer_id))

/** Links a contact to a company. Linking again changes nothing. */
export function linkEmployer(ctx: Ctx, pair: Linked) {
  const id = newId()
  const isAdded = rowExists(employers, id)
  return plan(
    [
      lockPrimaries([{ id: pair.contact_id, customer_id: pair.customer_id }]),
      lockForUpdate(ctx, contacts, pair.contact_id, 'contact'),
      assertStays(companies, pair.customer_id, 'company'),
      db
        .insert(employers)
        .values({ id, ...pair })
        .onConflictDoNothing(),
      noteAdded(isAdded),
    ],
    addedIf(oneOrThrow(links().where(thisPair(pair)), 'link'), isAdded),
  )
}

export function unlinkEmployer(ctx: Ctx, pair: Linked) {
  return plan(
    [
      lockForUpdate(ctx, contacts, pair.contact_id, 'contact'),
      sql`select assert_version((select version from employers where contact_id = ${pair.contact_id} and customer_id = ${pair.customer_id}
        for update), null, 'link to this company')`,
      db.delete(employers).where(thisPair(pair)),
    ],
    constant({ ...pair, deleted: true as const }),
  )
}

/** Lists the companies that a contact works for. */
export function listEmployers(contactId: string, query: PageQuery) {
  return plan(
    [assertExists(contacts, contactId, 'contact')],
    page({
      select: (keys) =>
        db
          .select({ ...linkFields, ...keys })
          .from(employers)
          .innerJoin(companies, and(eq(companies.workspace_id, employers.workspace_id), eq(companies.id, employers.customer_id)))
          .innerJoin(contacts, and(eq(contacts.workspace_id, employers.workspace_id), eq(contacts.id, employers.contact_id))),
      id: employers.id,
      where: [eq(employers.contact_id, contactId)],
      sorts: { id: employers.id },
      name: `employers ${contactId}`,
      query: { ...query, sort: 'id' },
    }),
  )
}

type LinkOutcome = Linked & { linked: boolean; created: boolean; contact: boolean; company: boolean }

/** Links up to 100 pairs. Pairs that are already linked are skipped, so the call can be repeated safely. */
export function linkContacts(records: unknown[]): Plan<Bulk<Linked>> {
  const validated = validateEach(Link, records, (pair) => pair)
  const requested = sql`jsonb_to_recordset(${JSON.stringify(valuesOf(validated).map((pair, index) => ({ ...pair, index })))}::jsonb)
    as requested(contact_id uuid, customer_id uuid, index int)`
  const insert = sql`insert into employers (contact_id, customer_id) select requested.contact_id, requested.customer_id from ${requested}
    join contacts c on c.id = requested.contact_id join companies k on k.id = requested.customer_id group by 1, 2
    order by min(requested.index) on conflict do nothing`
  const select = db
    .select({
      contact_id: sql<string>`requested.contact_id`.as('contact_id'),
      customer_id: sql<string>`requested.customer_id`.as('customer_id'),
      linked: sql<boolean>`e.id is not null`.as('linked'),
      created: sql<boolean>`changed_in_request('employer', e.id, 'created')`.as('created'),
      contact: sql<boolean>`exists (select from contacts c where c.id = requested.contact_id)`.as('contact'),
      company: sql<boolean>`exists (select from companies k where k.id = requested.customer_id)`.as('company'),
    })
    .from(sql`${requested} left join employers e on e.contact_id = requested.contact_id and e.customer_id = requested.customer_id`)
    .orderBy(sql`requested.index`)
  const result = mapResult(rows(typed<LinkOutcome>(select)), (decoded) => {
    const bulk: Bulk<Linked> = { results: [], skipped: [], errors: [...validated.errors] }
    const seen = new Set<string>()
    decoded.forEach(({ contact_id, customer_id, linked, created, contact, company }, at) => {
      const index = validated.valid[at]?.index ?? at
      const pair = `${contact_id} ${customer_id}`
      if (linked && created && !seen.has(pair)) bulk.results.push({ contact_id, customer_id })
      else if (linked) bulk.skipped.push({ index, id: contact_id, reason: 'Already linked' })
      else {
        const issues = [...(contact ? [] : ['contact_id']), ...(company ? [] : ['customer_id'])].map((path) => ({
          path,
          message: `${path} does not exist in this workspace`,
        }))
        bulk.errors.push(failure(index, invalid(issues), contact_id))
      }
      seen.add(pair)
    })
    bulk.errors.sort((a, b) => a.index - b.index)
    return bulk
  })
  return plan([lockPrimaries(valuesOf(validated).map(({ contact_id: id, customer_id }) => ({ id, customer_id }))), insert], result)
}
