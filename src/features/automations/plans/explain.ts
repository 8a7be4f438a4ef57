import { eq, type SQL, sql } from 'drizzle-orm'
import { automations } from '../../../../schema/index.ts'
import { plan } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { assertExists } from '../../../data/store.ts'
import { hasSnapshot } from '../../../domain/events.ts'
import { invalid } from '../../../errors.ts'
import { shownEvent } from '../../events/schemas/snapshots.ts'
import { isAbout, isRecord, mainSubject, type Subjects } from '../rules/about.ts'
import { expectedOf, type Failure } from '../rules/data-tests.ts'
import { valueAt } from '../rules/templates.ts'
import { type FeedEvent, failureOf, refusalOf } from '../rules/triggers.ts'
import type { Definition } from '../rules/types.ts'
import { type Present, presentValues, readerOf } from './explain-values.ts'

const MOST_EVENTS = 50
const MOST_SEARCHED = 500
/** What the reasons of start_runs mean. */
const REASONS: Record<string, string> = {
  conditions: 'The conditions of the automation did not hold',
  not_published: 'The automation was not published',
  record_deleted: 'The record was deleted',
  too_deep: 'The event came from too many automations in a row',
  too_often: 'The automation has started too often for this record within an hour',
  enrolled_before: 'The record has started the automation before',
  already_running: 'A run of this record had not ended',
}
type Found = FeedEvent & {
  state: string
  definition: Definition | null
  run_id: string | null
  skip: string | null
  failed: string | null
  present: Present | null
  hidden: boolean
}
const NAMES = [
  ...['id', 'type', 'entity', 'entity_id', 'at', 'payload', 'changes', 'skip_automations', 'cause_type', 'depth'],
  ...['state', 'definition', 'run_id', 'skip', 'failed', 'present', 'hidden'],
]

/**
 * Why the latest 50 events about a record started a run of an automation, or did not. An event is compared with the trigger that was
 * published when it happened; conditions and enrolment are those that were decided then. Beside the events of the record itself, and those
 * that the automation has decided about, the latest MOST_SEARCHED events of the workspace are searched for the record, and as many of each
 * type that the trigger waits for.
 */
export function explain(automation: string, subjects: Subjects) {
  const record = mainSubject(subjects)
  if (record === undefined) throw invalid([{ path: 'contact_id', message: 'Send contact_id, customer_id or opportunity_id' }])
  const naming = (found: SQL) =>
    sql`select id from (${found} order by id desc limit ${MOST_SEARCHED}) latest
      where entity_id = ${record}::uuid or strpos(payload::text, ${record}::text) > 0`
  const candidates = sql`select id from (select id from outbox where entity_id = ${record}::uuid order by id desc limit ${MOST_EVENTS}) own
    union ${naming(sql`select id, entity_id, payload from outbox`)}
    union select found.id from automation_versions v, lateral (select array_agg(t.event_type) as types from automation_triggers t
      where t.automation_id = v.automation_id and t.starts) t,
      unnest(t.types) type, lateral (${naming(sql`select id, entity_id, payload from outbox where outbox.type = type.type`)}) found
      where v.id = (select version_id from automations where automations.id = ${automation})
    union select event_id from (select event_id from automation_skips where automation_id = ${automation} and record_id = ${record}::uuid
      order by id desc limit ${MOST_EVENTS}) skipped
    union select source_id
    from (select source_id from automation_runs where automation_id = ${automation} and record_id = ${record}::uuid and source = 'event'
      order by created_at desc limit ${MOST_EVENTS}) started`
  const unreadable = sql`select unreadable_entities(a, array(select entity from entity_scopes())) from current_authority() a`
  const events = sql`select o.id, o.type, o.entity, o.entity_id, iso(o.at) as at, o.payload, c.fields as changes, o.skip_automations,
      o.cause_type, o.depth, a.state, v.definition,
      (select r.id from automation_runs r where r.automation_id = a.id and r.source_id = o.id limit 1) as run_id, s.reason as skip,
        s.failed, ${presentValues} as present, o.entity = any ((${unreadable})::text[]) as hidden
    from (select * from outbox
      where outbox.id = any (array(select id from (${candidates}) candidates order by id desc limit ${MOST_SEARCHED}))
      order by outbox.id desc) o
      left join lateral (select h.fields from changes h where h.id = o.id limit 1) c on true
      cross join (select ${automations.id}, ${automations.state} from ${automations} where ${eq(automations.id, automation)}) a
      left join lateral (select s.reason, s.failed from automation_skips s
        where s.automation_id = a.id and s.record_id = ${record}::uuid and s.event_id = o.id limit 1) s on true
      left join lateral (select v.definition from automation_versions v where v.automation_id = a.id and v.created_at <= o.at
        order by v.number desc limit 1) v on true
    order by o.id desc`
  return plan(
    [assertExists(automations, automation, 'automation')],
    mapResult(plainRows<Found>(events, NAMES), (found) =>
      found
        .map(shownEvent)
        .filter((event) => isAbout(event, subjects))
        .slice(0, MOST_EVENTS)
        .map(explained),
    ),
  )
}

function explained(event: Found) {
  const { id, type, at, run_id, skip, definition, state } = event
  if (run_id !== null) return { event_id: id, type, at, started: true, run_id, reason: null, failed: null }
  const refusal = definition ? refusalOf(definition.trigger, event) : 'The automation had not been published'
  const later = state === 'published' ? 'The event is about to be read, or the automation was paused' : 'The automation is not published'
  const reason = (skip && (REASONS[skip] ?? skip)) ?? refusal ?? later
  return { event_id: id, type, at, started: false, run_id, reason, failed: definition ? (failedOf(definition, event) ?? null) : null }
}

/** The condition that an event did not meet, with what was there, else the setting of the trigger. */
function failedOf(definition: Definition, event: Found): Failure | undefined {
  const { failed: path, skip, type, entity, payload, present } = event
  if (path === null) {
    const isRefused = skip === null && refusalOf(definition.trigger, event) !== undefined
    return isRefused ? shownTo(event, failureOf(definition.trigger, event)) : undefined
  }
  const names = path.split('.')
  const expected = valueAt(definition, names)
  const { on } = definition.conditions[Number(names[1])] ?? {}
  if (typeof expected !== 'object' || expected === null || names.length === 1) return { path, expected: null, actual: null }
  if (on === 'trigger') return shownTo(event, { path, ...expectedOf(expected, (field = '') => valueAt(event, field.split('.'))) })
  if (on === undefined || !isRecord(on)) return { path, expected, actual: null }
  const own = on === entity && hasSnapshot(type) ? payload : undefined
  return own || present ? { path, ...expectedOf(expected, readerOf(on, own, present)) } : { path, expected, actual: null }
}

/** A failure without what the event says of a record that the caller may not read. */
const shownTo = ({ hidden }: Found, failure: Failure | undefined) => (hidden && failure ? { ...failure, actual: null } : failure)
