import { eq, type SQL, sql } from 'drizzle-orm'
import {
  companies,
  contacts,
  memberships,
  opportunities,
  opportunityContacts,
  opportunityUsers,
  pipelines,
  products,
  stages,
} from '../../schema/index.ts'
import type { Ctx } from '../context.ts'
import { ensureField, map, one, Said, said } from '../data/answer.ts'
import { insertEach, isOwn, membersReferTo, type Reference, refersTo, updateEach } from '../data/bulk.ts'
import { db, type Statement } from '../data/db.ts'
import { columnsFor, lock } from '../data/store.ts'
import { read, type Work, work } from '../data/work.ts'
import { newId } from '../lib/ids.ts'
import { type Bulk, onceEach, type Sifted, sift, valuesOf } from '../shapes/bulk.ts'
import { NewOpportunity, Opportunity, type OpportunityPatch, OpportunityPatchWithId, OpportunityRecord } from '../shapes/opportunities.ts'
import { type BulkTable, bulkDelete, bulkWrite } from './bulk.ts'
import { insertLineItems } from './line-items.ts'
import { recordParts, weightedValue } from './opportunity-parts.ts'
import { givenReasons, keptReasons, reasonOptions, reasonWarnings } from './reasons.ts'

type Fields = Record<string, unknown>

export const listFields = columnsFor(opportunities, Opportunity, { weighted_value: weightedValue })
export const recordFields = columnsFor(opportunities, OpportunityRecord, { weighted_value: weightedValue, ...recordParts })
export const record = (id: string) => one(db.select(recordFields).from(opportunities).where(eq(opportunities.id, id)), 'opportunity')

/** The record, and a warning for each reason that was given and is not on the workspace's list. */
export function recordWithWarnings(id: string, given: OpportunityPatch) {
  const answer = one(
    db
      .select({ ...recordFields, ...reasonOptions })
      .from(opportunities)
      .where(eq(opportunities.id, id)),
    'opportunity',
  )
  return map(
    answer,
    ({ lost_options, won_options, ...row }) =>
      new Said(row, reasonWarnings(given, { lost_reasons: lost_options, won_reasons: won_options })),
  )
}

const REFERENCES: Reference[] = [
  refersTo('customer_id', companies),
  refersTo('assigned_to', memberships, 'user_id'),
  refersTo('pipeline_id', pipelines),
  {
    field: 'stage_id',
    known: sql`(r.stage_id is null or exists (select from ${stages} t where t.id = r.stage_id and (r.pipeline_id is null or t.pipeline_id = r.pipeline_id)))`,
  },
]
const PARTS: Reference[] = [
  membersReferTo('products', 'product_id', products),
  membersReferTo('contacts', 'contact_id', contacts),
  membersReferTo('users', 'user_id', memberships, 'user_id'),
]

export const bulk: BulkTable = {
  table: opportunities,
  entity: 'opportunity',
  what: 'opportunity',
  fields: { ...recordFields, ...reasonOptions },
  references: REFERENCES,
}
type Row = { id: string; lost_options: string[]; won_options: string[] }

export const getOpportunity = (id: string) => read(record(id))

export function createOpportunity(_ctx: Ctx, input: NewOpportunity) {
  const row = { ...input, id: newId() }
  const { products: items, contacts: people, users, ...columns } = row
  const fits = REFERENCES.concat(PARTS).map(({ field, known }) =>
    ensureField(
      sql`(select ${known} from jsonb_array_elements(${JSON.stringify([row])}::jsonb) as p(patch), jsonb_populate_record(null::opportunities, p.patch) as r)`,
      field,
      'No such record in this workspace',
    ),
  )
  return work(
    [
      ...(needsGuard(row) ? fits : []),
      db.insert(opportunities).values({ ...columns, ...givenReasons(columns) } as never),
      ...partsOf([row]),
    ],
    recordWithWarnings(row.id, input),
  )
}

/** The plain references are checked by their foreign keys; a stage of another pipeline and the parts' own ones are not told apart there. */
const needsGuard = ({ products, contacts, users, stage_id, pipeline_id }: NewOpportunity) =>
  Boolean(products?.length || contacts?.length || users?.length || (stage_id && pipeline_id))

type WithParts = NewOpportunity & { id: string }

/** Line items, contacts and users of new opportunities: at most one statement each. */
function partsOf(rows: WithParts[]): Statement[] {
  const all = <Part>(part: (row: WithParts) => Part[] | undefined) =>
    rows.flatMap((row) => (part(row) ?? []).map((one) => ({ ...one, id: newId(), opportunity_id: row.id })))
  const items = rows.flatMap((row) =>
    (row.products ?? []).map((item, position) => ({ ...item, position, id: newId(), opportunity_id: row.id })),
  )
  const people = all(({ contacts }) => onePrimary(contacts))
  const users = all(({ users }) => users)
  return [
    ...(items.length > 0 ? [insertLineItems(items)] : []),
    ...(people.length > 0 ? [insertEach(opportunityContacts, people, [refersTo('opportunity_id', opportunities)])] : []),
    ...(users.length > 0 ? [insertEach(opportunityUsers, users, [refersTo('opportunity_id', opportunities)])] : []),
  ]
}

/** Of several contacts marked as primary, the last one is. */
function onePrimary(people: NewOpportunity['contacts']) {
  const primary = people?.findLast(({ is_primary }) => is_primary)
  return people?.map((person) => ({ ...person, is_primary: person === primary }))
}

/** What a column becomes depends on what is stored: metadata merges, reasons are those of the list. */
const merging = (patches: Fields[]): Record<string, SQL> => ({
  ...(patches.some((patch) => 'metadata' in patch) && {
    metadata: sql`case when p.patch ? 'metadata' then (opportunities.metadata || r.metadata) - array(select k from jsonb_each(r.metadata) e(k, v) where v = 'null') else opportunities.metadata end`,
  }),
  ...keptReasons(patches),
})

export function updateOpportunity(ctx: Ctx, id: string, patch: OpportunityPatch) {
  return work(
    [lock(ctx, opportunities, id, 'opportunity'), updateEach(opportunities, [{ id, ...patch }], [], merging([patch]))],
    recordWithWarnings(id, patch),
  )
}

export function deleteOpportunity(ctx: Ctx, id: string) {
  return work(
    [lock(ctx, opportunities, id, 'opportunity'), db.delete(opportunities).where(eq(opportunities.id, id))],
    said({ id, deleted: true as const }),
  )
}

/** As recordWithWarnings, for each record of a bulk call; `field` then says which record. */
export function withWarnings(plan: Work<Bulk<Row>>, { good }: Sifted<OpportunityPatch & { id: string }>) {
  const answer = map(plan.answer, (bulk) => {
    const given = new Map(good.map(({ index, value }) => [value.id, { index, value }]))
    const warnings = bulk.results.flatMap(({ id, lost_options, won_options }) => {
      const { index, value } = given.get(id) ?? { index: 0, value: {} }
      return reasonWarnings(value, { lost_reasons: lost_options, won_reasons: won_options }).map((warning) => ({
        ...warning,
        field: `records.${index}.${warning.field}`,
      }))
    })
    return new Said({ ...bulk, results: bulk.results.map(({ lost_options: _, won_options: __, ...row }) => row) }, warnings)
  })
  return { ...plan, answer }
}

export function createOpportunities(_ctx: Ctx, records: unknown[]) {
  const sifted = sift(NewOpportunity, records, (input) => ({ ...input, id: newId() }))
  const rows = valuesOf(sifted)
  const references = [...REFERENCES, ...PARTS]
  return withWarnings(
    bulkWrite({ ...bulk, references }, sifted, insertEach(opportunities, rows, references, givenBulkReasons), ...partsOf(rows)),
    sifted,
  )
}

const givenBulkReasons = { lost_reasons: sql`known_reasons('lost', r.lost_reasons)`, won_reasons: sql`known_reasons('won', r.won_reasons)` }

export function updateOpportunities(_ctx: Ctx, records: unknown[]) {
  const sifted = onceEach(
    sift(OpportunityPatchWithId, records, (patch) => patch),
    'external_id',
  )
  const references = [...REFERENCES, isOwn('external_id', opportunities)]
  const patches = valuesOf(sifted)
  return withWarnings(bulkWrite({ ...bulk, references }, sifted, updateEach(opportunities, patches, references, merging(patches))), sifted)
}

export const deleteOpportunities = (ids: string[]) => bulkDelete(bulk, ids)
