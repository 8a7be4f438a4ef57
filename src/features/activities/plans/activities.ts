import { and, eq, type SQL, sql } from 'drizzle-orm'
import { activities, companies, contacts, opportunities } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { assertReferences, insertEach, type Reference, refersTo, updateEach } from '../../../data/bulk.ts'
import { call } from '../../../data/call.ts'
import { db, type Statement } from '../../../data/db.ts'
import { clearable, merging } from '../../../data/metadata.ts'
import type { Keys } from '../../../data/page.ts'
import { plan, read } from '../../../data/plan.ts'
import { assert, assertField, compiledSelect, oneOrThrow } from '../../../data/query.ts'
import { columnsFor, insertRow, lockForUpdate } from '../../../data/store.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { validateEach, valuesOf } from '../../../schemas/bulk.ts'
import { type BulkPlan, bulkTable, bulkWrite } from '../../records/plans/bulk.ts'
import { ACTIVITY_TYPES, activityFaults, contactColumns, contactFaults, NO_DIRECTION, NO_LINK, WRITTEN_TYPES } from '../rules/activities.ts'
import { Activity, type ActivityPatch, NewActivity } from '../schemas/activities.ts'

export const fields = columnsFor(activities, Activity)
/** The select of a page. */
export const selectActivities = (keys: Keys) => db.select({ ...fields, ...keys }).from(activities)
const all = compiledSelect(db.select(fields).from(activities))
const record = (id: string) => oneOrThrow(all.where(eq(activities.id, id)), 'activity')

/** `sent_contacts` is the list as it was sent. */
const sentContacts = sql`jsonb_array_elements_text(coalesce(p.patch -> 'sent_contacts', '[]'))`
/** Its places without a contact. Those that exist are found by their ids at once: beside a join, every activity would read all contacts. */
const unknownContacts = sql`array(select concat('contact_ids.', n - 1) from ${sentContacts} with ordinality as list(e, n)
  where e::uuid <> all(array(select t.id from ${contacts} t where t.id = any(array(select s::uuid from ${sentContacts} s)))))`
const CONTACTS: Reference = { field: 'contact_ids', condition: sql`cardinality(${unknownContacts}) = 0`, paths: unknownContacts }
/** One that the list has is reported there. */
const CONTACT: Reference = {
  field: 'contact_id',
  condition: sql`(coalesce(p.patch -> 'sent_contacts', '[]') ? r.contact_id::text or ${refersTo('contact_id', contacts).condition})`,
}
const REFERENCES = [CONTACTS, CONTACT, refersTo('customer_id', companies), refersTo('deal_id', opportunities)]
export const bulk = bulkTable({ table: activities, entity: 'activity', what: 'activity', fields, references: REFERENCES })

/** Stores the further contacts of each activity in place of those that it has, as far as the activity exists. */
function setOthers(each: { id: string; others: string[] }[]): Statement {
  const ids = `{${each.map(({ id }) => id).join(',')}}`
  const links = each.flatMap(({ id, others }) => others.map((contact_id, rank) => ({ id: newId(), activity_id: id, contact_id, rank })))
  return call('set_activity_contacts', ids, JSON.stringify(links))
}

/** A new activity as it is stored, and its further contacts. @throws VALIDATION_ERROR. */
function newActivity({ contact_id, contact_ids, ...columns }: NewActivity) {
  const faults = activityFaults({ ...columns, contact_id, contact_ids })
  if (faults.length > 0) throw invalid(faults)
  const sent = contactColumns({ contact_id, contact_ids })
  return {
    row: { ...columns, ...sent.columns, id: newId() },
    others: sent.others ?? [],
  }
}

export function createActivity(input: NewActivity) {
  const { row, others } = newActivity(input)
  const linked = others.length > 0 ? [setOthers([{ id: row.id, others }])] : []
  const guard = input.contact_ids && assertReferences(activities, { id: row.id, sent_contacts: input.contact_ids }, [CONTACTS])
  return plan([guard, insertRow(activities, row), ...linked], record(row.id))
}

/** The plan that creates many activities. */
export function activityCreates(records: unknown[]): BulkPlan<typeof fields> {
  const further: { id: string; others: string[] }[] = []
  const validated = validateEach(NewActivity, records, (input) => {
    const { row, others } = newActivity(input)
    if (others.length > 0) further.push({ id: row.id, others })
    return { ...row, sent_contacts: input.contact_ids }
  })
  const linked = further.length > 0 ? setOthers(further) : undefined
  return [bulk, validated, insertEach(activities, valuesOf(validated), REFERENCES), linked]
}

export const createActivities = (records: unknown[]) => bulkWrite(...activityCreates(records))

export const getDealActivity = (dealId: string, id: string) =>
  read(oneOrThrow(all.where(and(eq(activities.id, id), eq(activities.deal_id, dealId))), 'activity of this opportunity'))

export function createDealActivity(ctx: Ctx, dealId: string, input: Omit<NewActivity, 'deal_id'>) {
  const created = createActivity({ ...input, deal_id: dealId })
  return plan([lockForUpdate(ctx, opportunities, dealId, 'opportunity'), ...created.statements], created.result)
}

/** The types of activities that are written with a message, and never by hand. */
const SENT = ACTIVITY_TYPES.filter((type) => !(WRITTEN_TYPES as readonly string[]).includes(type))

/** Updates an activity. A message that was sent or received cannot be changed; every other activity keeps at least one link. */
export function updateActivity(ctx: Ctx, id: string, { contact_id, contact_ids, ...others }: ActivityPatch) {
  const faults = contactFaults({ contact_id, contact_ids })
  if (faults.length > 0) throw invalid(faults)
  const sent = contactColumns({ contact_id, contact_ids })
  const patch: Omit<ActivityPatch, 'contact_ids'> & { contact_ids?: string[] } = { ...others, ...sent.columns }
  const would = <Name extends keyof typeof patch>(name: Name) => (patch[name] === undefined ? activities[name] : sql`${patch[name]}`)
  const holds = (condition: SQL) => sql`exists (select from activities where id = ${id} and ${condition})`
  const hasOthers = sent.others
    ? sql.raw(String(sent.others.length > 0))
    : sql`exists (select from activity_contacts l where l.activity_id = ${id} and l.contact_id is distinct from activities.contact_id)`
  return plan(
    [
      lockForUpdate(ctx, activities, id, 'activity'),
      ...SENT.map((state) =>
        assert(holds(sql`activity_type <> ${state}`), 'INVALID_STATE', 'A message that was sent or received cannot be changed', {
          state,
          allowed: WRITTEN_TYPES,
        }),
      ),
      assertField(
        holds(
          sql`(${hasOthers} or num_nonnulls(${would('contact_id')}::uuid, ${would('customer_id')}::uuid, ${would('deal_id')}::uuid) > 0)`,
        ),
        'contact_id',
        NO_LINK,
      ),
      assertField(holds(sql`(${would('direction')}::text is null or ${would('activity_type')}::text = 'call')`), 'direction', NO_DIRECTION),
      sent.others && assertReferences(activities, { id, sent_contacts: contact_ids }, [CONTACTS]),
      clearable('activity', patch),
      updateEach(activities, [{ id, ...patch }], [], merging(activities, patch)),
      sent.others && setOthers([{ id, others: sent.others }]),
      !sent.others && !!contact_id && sql`delete from activity_contacts where activity_id = ${id} and contact_id = ${contact_id}`,
    ],
    record(id),
  )
}
