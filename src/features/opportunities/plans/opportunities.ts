import { eq, type SQL, sql } from 'drizzle-orm'
import * as v from 'valibot'
import {
  companies,
  contacts,
  opportunities,
  opportunityContacts,
  opportunityUsers,
  pipelines,
  products,
  stages,
} from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { eachOf, insertEach, membersReferTo, type Reference, refersTo, thereIs, updateEach } from '../../../data/bulk.ts'
import { db, type Statement } from '../../../data/db.ts'
import { deleteInBatches } from '../../../data/deletion-jobs.ts'
import { clearable, mergedMetadata } from '../../../data/metadata.ts'
import { plan, read } from '../../../data/plan.ts'
import { compiledSelect, mapResult, oneOrThrow, WithWarnings } from '../../../data/query.ts'
import { assertSent, columnsFor, insertRow, lockForUpdate } from '../../../data/store.ts'
import { MONEY_MAX, MONEY_MAX_TEXT } from '../../../domain/money.ts'
import { opportunityWarnings } from '../../../domain/warnings.ts'
import { newId } from '../../../lib/ids.ts'
import { type Validated, validateEach, valuesOf } from '../../../schemas/bulk.ts'
import { Id } from '../../../schemas/fields.ts'
import { ownerOf } from '../../members/plans/members.ts'
import { type BulkPlan, bulkDelete, bulkTable, bulkWriteWithWarnings } from '../../records/plans/bulk.ts'
import { updatesOf } from '../../records/plans/updates.ts'
import { distinctTags, mergedTags, newTags } from '../../tags/plans/tags.ts'
import {
  ImportedOpportunity,
  NewOpportunity,
  Opportunity,
  type OpportunityPatch,
  OpportunityPatchWithId,
  OpportunityRecord,
} from '../schemas/opportunities.ts'
import { insertLineItems, OTHER_CURRENCY } from './line-items.ts'
import { computedFields, recordParts } from './opportunity-parts.ts'
import { assertOpportunity, checkOpportunities } from './opportunity-rules.ts'
import { type DroppedReasons, droppedReasons, mergeReasons, newReasons, splitWarnings } from './reasons.ts'

type Fields = Record<string, unknown>

export const listFields = columnsFor(opportunities, Opportunity, computedFields)
export const recordFields = columnsFor(opportunities, OpportunityRecord, { ...computedFields, ...recordParts })
const records = compiledSelect(db.select(recordFields).from(opportunities))
export const record = (id: string) => oneOrThrow(records.where(eq(opportunities.id, id)), 'opportunity', id)

export function describeOpportunity<Row extends DroppedReasons & Fields>(sent: Fields, record: Row) {
  const { row, warnings } = splitWarnings(record)
  return { row, warnings: [...warnings, ...opportunityWarnings(sent, row)] }
}

/** The record, with warnings about what was sent, such as reasons that are not on the workspace's list. */
export function recordWithWarnings(id: string, sent: OpportunityPatch) {
  const { lost_reasons, won_reasons } = sent
  if (!lost_reasons?.length && !won_reasons?.length)
    return mapResult(record(id), (row) => new WithWarnings(row, opportunityWarnings(sent, row)))
  const reasons = sql`${JSON.stringify({ lost_reasons, won_reasons })}::jsonb`
  const select = db
    .select({ ...recordFields, ...droppedReasons(reasons) })
    .from(opportunities)
    .where(eq(opportunities.id, id))
  return mapResult(oneOrThrow(select, 'opportunity', id), (decoded) => {
    const { row, warnings } = describeOpportunity(sent, decoded)
    return new WithWarnings(row, warnings)
  })
}

const OWNER = ownerOf('opportunities')
const COMPANY = refersTo('customer_id', companies)
const PIPELINE_MESSAGE = 'must be a pipeline of this workspace that is not archived'
const STAGE_MESSAGE = 'must be a stage of this workspace, of the pipeline that is sent, and of none that is archived'
const STAGE_REFERENCES: Reference[] = [
  { ...refersTo('pipeline_id', pipelines), message: PIPELINE_MESSAGE },
  {
    field: 'stage_id',
    message: STAGE_MESSAGE,
    condition: sql`(r.stage_id is null
      or exists (select from ${stages} t where t.id = r.stage_id and (r.pipeline_id is null or t.pipeline_id = r.pipeline_id)))`,
  },
]
/** Archived pipelines accept no cards. A record keeps the stage that it already has. */
export const notArchived: Reference[] = [
  {
    field: 'pipeline_id',
    message: PIPELINE_MESSAGE,
    condition: sql`(r.pipeline_id is null or not exists (select from pipelines t where t.id = r.pipeline_id and t.archived))`,
  },
  {
    field: 'stage_id',
    message: STAGE_MESSAGE,
    condition: sql`(r.stage_id is null
      or not exists (select from stages s join pipelines t on t.workspace_id = s.workspace_id and t.id = s.pipeline_id
        where s.id = r.stage_id and t.archived)
      or ${thereIs(sql`opportunities o where o.id = r.id and o.stage_id = r.stage_id`)})`,
  },
]
export const REFERENCES = [COMPANY, OWNER, ...STAGE_REFERENCES, ...notArchived]
const ONLY_CLOSED = 'Only a won or lost opportunity has closed_at: move it to a won or lost stage'
/** Additional rule for new opportunities; UPDATE_RULE is the one for updates. */
const CREATE_RULE: Reference = {
  field: 'closed_at',
  message: ONLY_CLOSED,
  condition: sql`(r.closed_at is null
    or (select s.kind from stages s where s.id = coalesce(r.stage_id, first_stage(r.pipeline_id))) <> 'open')`,
}
const IS_OPEN = thereIs(sql`opportunities o where o.id = r.id and o.status = 'open'`)
const UPDATE_RULE: Reference = {
  field: 'closed_at',
  message: ONLY_CLOSED,
  condition: sql`(r.closed_at is null or not ${IS_OPEN})`,
}
const UPSERT_RULE: Reference = {
  field: 'closed_at',
  message: ONLY_CLOSED,
  condition: sql`(r.closed_at is null
    or coalesce((select s.kind from stages s where s.id = r.stage_id), (select o.status from opportunities o where o.id = r.id),
    (select s.kind from stages s where s.id = first_stage(null))) <> 'open')`,
}
const PARTS: Reference[] = [
  CREATE_RULE,
  eachOf(
    'products',
    'quantity',
    sql`coalesce((e ->> 'quantity')::numeric, 1) * coalesce((e ->> 'unit_price')::numeric,
      (select t.price from products t where t.id = (e ->> 'product_id')::uuid), 0) * 2 > ${MONEY_MAX}::numeric`,
    `A line total exceeds ${MONEY_MAX_TEXT}`,
  ),
  eachOf(
    'products',
    'unit_price',
    sql`e ->> 'unit_price' is null
      and ${thereIs(sql`products t where t.id = (e ->> 'product_id')::uuid and t.currency <> coalesce(r.currency, 'AUD')`)}`,
    OTHER_CURRENCY,
  ),
  membersReferTo('products', 'product_id', products),
  membersReferTo('contacts', 'contact_id', contacts),
  eachOf('users', 'user_id', sql`not ${thereIs(sql`memberships m where m.user_id = (e ->> 'user_id')::uuid and m.status <> 'removed'`)}`),
]

export const bulk = bulkTable({
  table: opportunities,
  entity: 'opportunity',
  what: 'opportunity',
  fields: { ...recordFields, ...droppedReasons(sql`outcome.patch`) },
  references: REFERENCES,
})
/** Rules of an upsert: `references` are checked before a record is matched, `rules` after. */
export const upsertRules = { references: [COMPANY, ...STAGE_REFERENCES], rules: [OWNER, UPSERT_RULE, ...notArchived] }

export const getOpportunity = (id: string) => read(record(id))

/** `computed`: values that only SQL knows, in place of those of the input. */
export function createOpportunity(_ctx: Ctx, input: NewOpportunity, id = newId(), computed: { assigned_to?: SQL } = {}) {
  const row = newRow(input, id)
  const { products: items, contacts: people, users, ...columns } = row
  return plan(
    [
      assertSent(opportunities, row, [...REFERENCES, ...PARTS]),
      assertOpportunity(row),
      insertRow(opportunities, { ...columns, ...newTags(columns), ...newReasons(columns), ...computed }),
      ...partsOf([row]),
    ],
    recordWithWarnings(row.id, input),
  )
}

const newRow = (input: NewOpportunity, id = newId()): WithParts => ({ ...input, id })

type WithParts = NewOpportunity & { id: string }

/** Inserts the line items, contacts and users of new opportunities, with at most one statement each. */
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

/** When several contacts are marked as primary, the last one wins. */
function onePrimary(people: NewOpportunity['contacts']) {
  const primary = people?.findLast(({ is_primary }) => is_primary)
  return people?.map((person) => ({ ...person, is_primary: person === primary }))
}

/** The columns whose new value depends on the stored one: metadata is merged, and reasons must be on the list. */
export const merging = (patches: Fields[]): Record<string, SQL> => ({
  ...(patches.some((patch) => 'metadata' in patch) && { metadata: mergedMetadata(opportunities) }),
  ...(patches.some((patch) => 'tags' in patch) && { tags: mergedTags(opportunities) }),
  ...mergeReasons(patches),
})

export function updateOpportunity(ctx: Ctx, id: string, patch: OpportunityPatch) {
  return plan(
    [
      lockForUpdate(ctx, opportunities, id, 'opportunity'),
      assertSent(opportunities, { id, ...patch }, [...REFERENCES, UPDATE_RULE]),
      assertOpportunity({ id, ...patch }),
      clearable('opportunity', patch),
      updateEach(opportunities, [{ id, ...patch }], [], merging([patch])),
    ],
    recordWithWarnings(id, patch),
  )
}

export const deleteOpportunity = (ctx: Ctx, id: string) => deleteInBatches(ctx, opportunities, id, 'opportunity')

export function createOpportunities(_ctx: Ctx, records: unknown[]) {
  const validated = validateEach(NewOpportunity, records, newRow)
  return bulkWriteWithWarnings(opportunityCreates(validated), records, describeOpportunity)
}

export function opportunityCreates(validated: Validated<WithParts>): BulkPlan<typeof bulk.fields> {
  const rows = valuesOf(validated)
  const references = [...REFERENCES, ...PARTS]
  return [
    { ...bulk, references },
    validated,
    checkOpportunities(rows),
    insertEach(opportunities, rows, references, creatingBulk),
    ...partsOf(rows),
  ]
}

/** The SQL of columns of new opportunities: reasons must be on the list, and tags have distinct names. */
export const creatingBulk = {
  tags: distinctTags,
  lost_reasons: sql`match_reasons('lost', r.lost_reasons)`,
  won_reasons: sql`match_reasons('won', r.won_reasons)`,
}

export function updateOpportunities(_ctx: Ctx, records: unknown[]) {
  const validated = validateEach(OpportunityPatchWithId, records, (patch) => patch)
  return bulkWriteWithWarnings(opportunityUpdates(validated, UPDATE_RULE), records, describeOpportunity)
}

function opportunityUpdates(validated: Validated<OpportunityPatch & { id: string }>, closing: Reference): BulkPlan<typeof bulk.fields> {
  const patches = valuesOf(validated)
  return updatesOf(bulk, validated, { rules: [closing], before: [checkOpportunities(patches)], merging: merging(patches) })
}

/** The bulk plans of imports, whose records may also name their stage. */
export const importedOpportunities = {
  creates: (records: unknown[]) => opportunityCreates(validateEach(ImportedOpportunity, records, (input) => newRow(input))),
  updates: (records: unknown[]): BulkPlan<typeof bulk.fields> => {
    const validated = validateEach(PatchWithStage, records, (patch) => patch)
    return [...opportunityUpdates(validated, MOVE_RULE), linkContacts(valuesOf(validated))]
  },
}

const PatchWithStage = v.strictObject({
  ...OpportunityPatchWithId.entries,
  stage_id: v.optional(Id),
  contacts: NewOpportunity.entries.contacts,
})
/** Adds contacts to opportunities. One that has a primary contact keeps it. */
function linkContacts(patches: v.InferOutput<typeof PatchWithStage>[]): Statement | undefined {
  const links = patches.flatMap(({ id, contacts }) => (contacts ?? []).map((one) => ({ ...one, id: newId(), opportunity_id: id })))
  const hasPrimary = thereIs(sql`opportunity_contacts l where l.opportunity_id = r.opportunity_id and l.is_primary`)
  const is_primary = sql`coalesce(r.is_primary, false) and not ${hasPrimary}`
  return links.length === 0
    ? undefined
    : insertEach(opportunityContacts, links, [refersTo('opportunity_id', opportunities), refersTo('contact_id', contacts)], { is_primary })
}

/** Additional rule for a record that changes stage: the stage decides whether it is closed. */
const MOVE_RULE: Reference = {
  field: 'closed_at',
  message: ONLY_CLOSED,
  condition: sql`(r.closed_at is null or case when r.stage_id is null then not ${IS_OPEN}
    else (select s.kind from stages s where s.id = r.stage_id) <> 'open' end)`,
}

export const deleteOpportunities = (ids: string[]) => bulkDelete(bulk, ids, { inBatches: true })
