import type { JsonSchema } from '../../src/http/openapi/schemas.ts'
import { isId } from './samples.ts'

/** What a list should return, from its records and the names of its parameters alone. */

export type Row = Record<string, unknown>

/** The parameters that choose no records. */
export const FORM = ['limit', 'after', 'fields', 'include', 'count', 'sort', 'wait', 'order']

/** Lists, and parameters, that do not select by a field of their name alone, and where they are tested. */
export const NOT_COMPARED: Record<string, string> = {
  // The ids of deleted records, without fields.
  deleted: 'restores.test.ts',
  // The words of several fields.
  search: 'list-search.test.ts',
  // Computed from the day, or from who asks.
  overdue: 'task-lists.test.ts, work-orders.test.ts',
  mine: 'task-lists.test.ts',
  // Fields of another name.
  tag: 'tags.test.ts',
  min_score: 'duplicate-quality.test.ts',
  kinds: 'timeline.test.ts',
  scheduled_from: 'work-orders.test.ts',
  scheduled_to: 'work-orders.test.ts',
  unscheduled: 'work-orders.test.ts',
  unassigned: 'conversations.test.ts',
  unlinked: 'whatsapp-groups.test.ts',
  'GET /dead-letters created_from': 'dead-letters.test.ts',
  'GET /dead-letters created_to': 'dead-letters.test.ts',
  // Also the other addresses, numbers and employers of a contact, and the other domains of a company.
  'GET /contacts email': 'contact-lists.test.ts',
  'GET /contacts phone': 'contact-phones.test.ts',
  'GET /contacts customer_id': 'contact-lists.test.ts',
  'GET /companies domain': 'company-domains.test.ts',
  'GET /email/threads participant': 'email.test.ts',
  // The external id is that of another sample.
  'GET /companies/:company_id/tasks external_id': 'the tasks of a contact',
  'GET /opportunities/:opportunity_id/tasks external_id': 'the tasks of a contact',
  // The request that lists is the newest entry of what it lists.
  'GET /requests': 'requests.test.ts',
  'GET /events': 'event-feed.test.ts',
  // Those of one record, which must exist.
  'GET /deal-stakeholders deal_id': 'stakeholders.test.ts',
  // Both, or the second alone.
  'GET /knowledge-bases agent_type': 'knowledge.test.ts',
}

/** Lists of which the samples have no record. */
export const EMPTY: Record<string, string> = {
  'GET /companies/:company_id/lists': 'lists.test.ts',
  'GET /companies/:company_id/opportunities': 'companies-lists.test.ts',
  'GET /companies/:company_id/subsidiaries': 'companies.test.ts',
  'GET /opportunities/:opportunity_id/lists': 'lists.test.ts',
  'GET /opportunities/duplicates': 'duplicates.test.ts',
  'GET /company/users/:userId/workspace-user-connections': 'members.test.ts',
  'GET /company/birthday-messages/preview': 'birthday-messages.test.ts',
  'GET /company/birthday-messages/deliveries': 'birthday-messages.test.ts',
  'GET /email-campaigns/:email_campaign_id/recipients': 'campaigns.test.ts',
  'GET /imports/:import_id/rows': 'imports.test.ts',
}

/** Words that are sorted by what they mean. */
const RANKS: Record<string, string[]> = { priority: ['low', 'normal', 'high', 'urgent'] }

/** Fields without which a record comes last in both directions, and not first with the minus sign. */
const ALWAYS_LAST = ['last_activity_at', 'next_task_due_at']

/** Compares two values of the field that an order names. */
export function compared(order: string, a: unknown, b: unknown): number {
  const field = order.replace('-', '')
  const [one, other] = [a, b].map(
    (value) => RANKS[field]?.indexOf(value as string) ?? (typeof value === 'string' ? value.toLowerCase() : value),
  )
  if (one === other) return 0
  const isDescending = order.startsWith('-')
  if (one === null || other === null) return (one === null) === (isDescending && !ALWAYS_LAST.includes(field)) ? -1 : 1
  return (one as string) < (other as string) === isDescending ? 1 : -1
}

const DAY = 86_400_000
const momentOf = (value: unknown) => Date.parse(value as string)

/** Values of a filter, and the records that each selects. */
export function selected(name: string, schema: JsonSchema, rows: Row[]): [string, Row[]][] {
  if (name === 'ids') return rows.length > 0 ? [[String(rows[0]?.id), rows.slice(0, 1)]] : []
  const [, start, side] = /^(.*)_(after|before)$/.exec(name) ?? []
  if (start && side) {
    const field = `${start}_at`
    return momentsBetween(rows.map((row) => row[field])).map((moment) => [
      new Date(moment).toISOString(),
      rows.filter((row) => row[field] !== null && momentOf(row[field]) < moment === (side === 'before')),
    ])
  }
  return valuesOf(name, schema, rows).map((value) => [value, rows.filter((row) => [row[name]].flat().map(String).includes(value))])
}

/** A moment before all, one after all, and one in the middle that none has. */
function momentsBetween(times: unknown[]): number[] {
  const sorted = [...new Set(times.filter((time) => typeof time === 'string').map(momentOf))].sort((a, b) => a - b)
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined) return []
  const at = sorted.findIndex((time, index) => index >= (sorted.length - 1) / 2 && (sorted[index + 1] ?? 0) > time + 2)
  const middle = at < 0 ? [] : [Math.floor(((sorted[at] as number) + (sorted[at + 1] as number)) / 2)]
  return [first - DAY, ...middle, last + DAY]
}

/** At most three values that records have, and one that none has. */
function valuesOf(name: string, schema: JsonSchema, rows: Row[]): string[] {
  const present = [
    ...new Set(
      rows
        .flatMap((row) => row[name])
        .filter((value) => value !== null && value !== undefined && typeof value !== 'object')
        .map(String),
    ),
  ]
  const known = schema.type === 'boolean' ? ['true', 'false'] : ((schema.enum ?? []) as string[])
  const absent = known.length > 0 ? known.filter((value) => !present.includes(value)) : isId(schema) ? [crypto.randomUUID()] : []
  return [...present.slice(0, 3), ...absent.slice(0, 1)]
}
