import { type SQL, sql } from 'drizzle-orm'
import { activities, companies, contacts, opportunities } from '../../../schema/index.ts'
import { insertEach, type Reference, refersTo } from '../../data/bulk.ts'
import { columnsFor, mergedMetadata } from '../../data/store.ts'
import { activityFaults, NO_DIRECTION, NO_LINK } from '../../domain/activities.ts'
import { invalid } from '../../errors.ts'
import { newId } from '../../lib/ids.ts'
import { withoutNulls } from '../../lib/objects.ts'
import { Activity, ActivityPatchWithId, NewActivity } from '../../schemas/activities.ts'
import { validateEach, valuesOf } from '../../schemas/bulk.ts'
import { type BulkPlan, bulkTable } from '../bulk/bulk.ts'
import { updatesOf } from '../bulk/updates.ts'

const bulk = bulkTable({
  table: activities,
  entity: 'activity',
  what: 'activity',
  fields: columnsFor(activities, Activity),
  references: [refersTo('contact_id', contacts), refersTo('customer_id', companies), refersTo('deal_id', opportunities)],
})

/** The plan that creates many activities. */
export function activityCreates(records: unknown[]): BulkPlan<typeof bulk.fields> {
  const validated = validateEach(NewActivity, records, ({ metadata, ...input }) => {
    const faults = activityFaults(input)
    if (faults.length > 0) throw invalid(faults)
    return { ...input, ...(metadata && { metadata: withoutNulls(metadata) }), id: newId() }
  })
  return [bulk, validated, insertEach(activities, valuesOf(validated), bulk.references)]
}

/** A value of an activity as it is after its update. */
const updated = (name: string) =>
  sql`case when p.patch ? ${sql.raw(`'${name}'`)} then r.${sql.identifier(name)} else t.${sql.identifier(name)} end`
/** A rule that an activity, if it exists, has to meet after its update. */
const rule = (field: string, message: string, condition: SQL): Reference => ({
  field,
  message,
  condition: sql`not exists (select from activities t where t.id = r.id and not (${condition}))`,
})
const RULES = [
  rule('activity_type', 'An email cannot be changed', sql`t.activity_type <> 'email'`),
  rule('contact_id', NO_LINK, sql`num_nonnulls(${updated('contact_id')}, ${updated('customer_id')}, ${updated('deal_id')}) > 0`),
  rule('direction', NO_DIRECTION, sql`${updated('direction')} is null or ${updated('activity_type')} = 'call'`),
]

/** The plan that updates many activities. */
export const activityUpdates = (records: unknown[]): BulkPlan<typeof bulk.fields> =>
  updatesOf(
    bulk,
    validateEach(ActivityPatchWithId, records, (patch) => patch),
    { rules: RULES, merging: { metadata: mergedMetadata(activities) } },
  )
