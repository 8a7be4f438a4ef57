/** Kinds of records whose changes are events. A test compares this list with the database. */
const TRACKED = [
  'activity',
  'api_key',
  'approval',
  'attachment',
  'billing_party',
  'company',
  'contact',
  'crm_settings',
  'custom_field',
  'deal_stakeholder',
  'dismissed_duplicate',
  'employer',
  'import',
  'invoice',
  'lead_source',
  'member',
  'opportunity',
  'opportunity_bucket',
  'opportunity_contact',
  'opportunity_product',
  'opportunity_user',
  'pipeline',
  'product',
  'product_cost',
  'role',
  'stage',
  'stakeholder_member',
  'stakeholder_type',
  'task',
  'task_stakeholder',
  'workspace',
] as const

/** Records that can be merged, and those that can be purged. */
const MERGED = ['company', 'contact', 'opportunity'] as const

/** Events that are more than a change of a record. */
const SPECIAL = [
  'import.checked',
  'import.failed',
  'import.finished',
  'import.undone',
  'member.invited',
  'member.joined',
  'member.removed',
  'opportunity.lost',
  'opportunity.moved',
  'opportunity.won',
  'task.completed',
  'task.reopened',
] as const

export const TRACKED_RECORDS: readonly string[] = TRACKED

/** Every event type, such as `contact.created`. */
export const EVENT_TYPES: readonly string[] = [
  ...new Set([
    ...TRACKED.flatMap((record) => ['created', 'updated', 'deleted'].map((action) => `${record}.${action}`)),
    ...MERGED.flatMap((record) => ['merged', 'unmerged', 'purged'].map((action) => `${record}.${action}`)),
    ...SPECIAL,
  ]),
]
