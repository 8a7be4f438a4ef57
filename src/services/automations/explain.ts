import { eq, sql } from 'drizzle-orm'
import { automations } from '../../../schema/index.ts'
import { plan } from '../../data/plan.ts'
import { mapResult, plainRows } from '../../data/query.ts'
import { assertExists } from '../../data/store.ts'
import { mainSubject, type Subjects } from '../../domain/automations/about.ts'
import { type FeedEvent, refusalOf } from '../../domain/automations/triggers.ts'
import type { Trigger } from '../../domain/automations/types.ts'
import { invalid } from '../../errors.ts'

const MOST_EVENTS = 50
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
type Found = FeedEvent & { state: string; trigger: Trigger | null; run_id: string | null; skip: string | null }

/**
 * Why the latest 50 events of a record started a run of an automation, or did not. An event is compared with the trigger that was published when it
 * happened; conditions and enrolment are those that were decided then.
 */
export function explain(automation: string, subjects: Subjects) {
  const record = mainSubject(subjects)
  if (record === undefined) throw invalid([{ path: 'contact_id', message: 'Send contact_id, customer_id or opportunity_id' }])
  const names = [
    'id',
    'type',
    'entity',
    'entity_id',
    'at',
    'payload',
    'changes',
    'skip_automations',
    'cause_type',
    'depth',
    'state',
    'trigger',
    'run_id',
    'skip',
  ]
  const events = sql`select o.id, o.type, o.entity, o.entity_id, iso(o.at) as at, o.payload, c.fields as changes, o.skip_automations, o.cause_type, o.depth, a.state, v.trigger,
      (select r.id from automation_runs r where r.automation_id = a.id and r.source_id = o.id limit 1) as run_id,
      (select s.reason from automation_skips s where s.automation_id = a.id and s.record_id = ${record}::uuid and s.event_id = o.id limit 1) as skip
    from (select * from outbox where outbox.entity_id = ${record}::uuid order by outbox.id desc limit ${MOST_EVENTS}) o
      left join lateral (select h.fields from changes h where h.id = o.id limit 1) c on true
      cross join (select ${automations.id}, ${automations.state} from ${automations} where ${eq(automations.id, automation)}) a
      left join lateral (select v.definition -> 'trigger' as trigger from automation_versions v where v.automation_id = a.id and v.created_at <= o.at
        order by v.number desc limit 1) v on true
    order by o.id desc`
  return plan(
    [assertExists(automations, automation, 'automation')],
    mapResult(plainRows<Found>(events, names), (found) => found.map(explained)),
  )
}

function explained({ id, type, at, run_id, skip, trigger, state, ...event }: Found) {
  const reason =
    run_id !== null
      ? null
      : ((skip && (REASONS[skip] ?? skip)) ??
        (trigger ? refusalOf(trigger, { id, type, at, ...event }) : 'The automation had not been published') ??
        (state === 'published' ? 'The event is about to be read, or the automation was paused' : 'The automation is not published'))
  return { event_id: id, type, at, started: run_id !== null, run_id, reason }
}
