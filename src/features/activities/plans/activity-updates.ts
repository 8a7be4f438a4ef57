import { type SQL, sql } from 'drizzle-orm'
import { activities } from '../../../../schema/index.ts'
import { type Reference, thereIs } from '../../../data/bulk.ts'
import { mergedMetadata } from '../../../data/metadata.ts'
import { validateEach } from '../../../schemas/bulk.ts'
import type { BulkPlan } from '../../records/plans/bulk.ts'
import { updatesOf } from '../../records/plans/updates.ts'
import { NO_DIRECTION, NO_LINK } from '../rules/activities.ts'
import { ActivityPatchWithId } from '../schemas/activities.ts'
import { bulk, type fields } from './activities.ts'

/** A value of an activity as it is after its update. */
const updated = (name: string) =>
  sql`case when p.patch ? ${sql.raw(`'${name}'`)} then r.${sql.identifier(name)} else t.${sql.identifier(name)} end`
/** A rule that an activity, if it exists, has to meet after its update. */
const rule = (field: string, message: string, condition: SQL): Reference => ({
  field,
  message,
  condition: sql`not ${thereIs(sql`activities t where t.id = r.id and not (${condition})`)}`,
})
const RULES = [
  rule('activity_type', 'A message that was sent or received cannot be changed', sql`t.activity_type in ('call', 'meeting', 'note')`),
  rule(
    'contact_id',
    NO_LINK,
    sql`(num_nonnulls(${updated('contact_id')}, ${updated('customer_id')}, ${updated('deal_id')}) > 0
      or exists (select from activity_contacts l where l.activity_id = t.id))`,
  ),
  rule('direction', NO_DIRECTION, sql`${updated('direction')} is null or ${updated('activity_type')} = 'call'`),
]

/** The plan that updates many activities. */
export const activityUpdates = (records: unknown[]): BulkPlan<typeof fields> =>
  updatesOf(
    bulk,
    validateEach(ActivityPatchWithId, records, (patch) => patch),
    { rules: RULES, merging: { metadata: mergedMetadata(activities) } },
  )
