import { batch, type Database } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { hasSnapshot } from '../../../domain/events.ts'
import { RECORD_ENTITIES, type RecordEntity } from '../../../domain/records.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError, STATUS_OF } from '../../../errors.ts'
import { wasVisible } from '../../../lib/snapshots.ts'
import { exitFor } from '../../auto-queues/rules/auto-queues.ts'
import { SNAPSHOTS, shownEvent } from '../../events/schemas/snapshots.ts'
import { type About, failingFor } from '../plans/engine/ask.ts'
import { isDeletion, mainSubject, recordsOf, type Subjects, subjectsOf } from '../rules/about.ts'
import { type DataTest, failureIn } from '../rules/data-tests.ts'
import { eventOf, type FeedEvent, readableBy, refusalOf } from '../rules/triggers.ts'
import type { Test, Trigger } from '../rules/types.ts'
import { readerFor } from './ask.ts'

const MAX_EVENTS = 500
/** Batches per message, after which another message continues. */
const MAX_BATCHES = 20

/** `since`: the snapshot of its publication; `unreadable`: the kinds of records, of these events, that its key may not read. */
type Published = { id: string; key_id: string; since: string; trigger: Trigger; conditions: Test[]; unreadable: string[] }
/** `stored`: the payload as it is stored. */
type FedEvent = FeedEvent & { xid: string; stored: Record<string, unknown> }
type Batch = { from: object; to: object | null; count: number; events: FedEvent[]; automations: Published[]; queues: QueueExits[] }
type Row = Subjects & {
  record_id?: string | undefined
  dedupe_key: string
  trigger_data: object
  depth: number
  event_id: string
  skip?: string[]
}
type QueueExits = { id: string; exits: Trigger[] }
type Start = { automation: string; row: Row }
type Skip = { automation_id: string; event_id: string; record_id: string | null; reason: string; failed: string | undefined }

/**
 * Starts the runs for the new events of a workspace, and wakes those that wait for one. All that a batch of events leads to commits
 * together with the position in the feed, so each event counts once. Returns whether there is more to read.
 */
export async function startFromEvents(env: Env, workspaceId: string): Promise<boolean> {
  const database = jobsDatabaseOf(env)
  for (let done = 0; done < MAX_BATCHES; done++) {
    const [read] = (await batch(database, [call('automation_batch', workspaceId, MAX_EVENTS)])) as [Batch | null]
    if (!read?.to) return false
    const events = read.events.map((event) => ({ ...shownEvent(event), stored: event.payload }))
    const found = await Promise.all(read.automations.map((automation) => startsOf(database, workspaceId, automation, events)))
    const moved = await batch(database, [
      call('begin_automation_work', workspaceId),
      call('move_follower', workspaceId, 'automations', JSON.stringify(read.from), JSON.stringify(read.to)),
      ...statementsOf(found.flatMap(({ starts }) => starts)),
      call('note_skips', workspaceId, JSON.stringify(found.flatMap(({ skips }) => skips))),
      ...read.queues.flatMap((queue) => exitsFrom(workspaceId, queue, events)),
      call('wake_runs', workspaceId, JSON.stringify(events.flatMap(decisionsIn))),
      call('wake_waits', workspaceId, JSON.stringify(events.flatMap(linesOf))),
    ]).catch(unlessMoved)
    if (!moved || read.count < MAX_EVENTS) return false
  }
  return true
}

/** Another delivery has read these events. */
function unlessMoved(error: unknown): undefined {
  if (error instanceof AppError && (error.details as { follower?: string } | undefined)?.follower === 'moved') return undefined
  throw error
}

/** The runs that events start of an automation, and the events that only its conditions keep out. */
async function startsOf(
  database: Database,
  workspaceId: string,
  automation: Published,
  events: FedEvent[],
): Promise<{ starts: Start[]; skips: Skip[] }> {
  const candidates = events
    .filter((event) => !wasVisible(event.xid, automation.since) && refusalOf(automation.trigger, event) === undefined)
    .map((event) => ({
      event,
      subjects: subjectsOf(event),
      failed: ownFailure(automation.conditions, readableBy(event, automation.unreadable)),
    }))
  const left = candidates.filter(({ failed }) => failed === undefined)
  const failures = await failuresOf(database, workspaceId, automation, left)
  const decided = candidates.map((one) => ({ ...one, failed: one.failed ?? failures[left.indexOf(one)] }))
  return {
    starts: decided
      .filter(({ failed }) => !failed)
      .map(({ event, subjects }) => ({ automation: automation.id, row: rowOf(event, subjects) })),
    skips: decided
      .filter(({ failed }) => failed)
      .map(({ event, subjects, failed }) => ({
        automation_id: automation.id,
        event_id: event.id,
        record_id: mainSubject(subjects) ?? (isDeletion(event) ? event.entity_id : null),
        reason: 'conditions',
        failed,
      })),
  }
}

/** The path of the first condition over the data of the trigger that an event does not meet. */
function ownFailure(conditions: Test[], event: FeedEvent): string | undefined {
  for (const [index, { on, filter }] of conditions.entries()) {
    const failure = on === 'trigger' ? failureIn(event, filter as DataTest, `conditions.${index}.filter`) : undefined
    if (failure) return failure.path
  }
  return undefined
}

type Candidate = { event: FedEvent; subjects: Subjects }

/**
 * The path of the first condition over records that each event does not meet. It is asked of the record as it was when the event was
 * written, if the event is its creation or a change of it, and of other records as they are. Conditions that can no longer be evaluated, as
 * after the deletion of a custom field, or not with the publisher's rights, hold for nothing.
 */
async function failuresOf(
  database: Database,
  workspace_id: string,
  { id, key_id, conditions }: Published,
  candidates: Candidate[],
): Promise<(string | undefined)[]> {
  const caller = { kind: 'automation_run' as const, automation_run_id: id, workspace_id, key_id, depth: 0 }
  const runs = candidates.map(({ event, subjects: { contact_id = null, customer_id = null, opportunity_id = null } }) => ({
    contact: contact_id,
    company: customer_id,
    opportunity: opportunity_id,
    snapshot: snapshotOf(event),
  }))
  try {
    const failing = await failingFor(readerFor(database, caller, new Date()), conditions, runs)
    return failing.map((position) => (position === undefined ? undefined : `conditions.${position}.filter`))
  } catch (error) {
    if (!(error instanceof AppError) || STATUS_OF[error.code] >= 500) throw error
    return candidates.map(() => 'conditions')
  }
}

/** The row of the contact, company or opportunity whose creation or change an event is. */
function snapshotOf({ type, entity, entity_id, stored }: FedEvent): About['snapshot'] {
  const shape = RECORD_ENTITIES.includes(entity as RecordEntity) && hasSnapshot(type) ? SNAPSHOTS[entity] : undefined
  if (!shape) return undefined
  const nothing = Object.fromEntries(Object.keys(shape.entries).map((name) => [name, null]))
  return { on: entity as RecordEntity, row: { ...nothing, ...stored, id: entity_id } }
}

function rowOf(event: FeedEvent, subjects: Subjects): Row {
  const skip = event.payload.skip_action_ids
  return {
    ...subjects,
    record_id: mainSubject(subjects) ?? event.entity_id,
    dedupe_key: event.id,
    trigger_data: eventOf(event),
    depth: event.depth + 1,
    event_id: event.id,
    ...(Array.isArray(skip) && { skip: skip as string[] }),
  }
}

/** A statement for each automation. */
function statementsOf(starts: Start[]): Statement[] {
  return [...Map.groupBy(starts, ({ automation }) => automation)].map(([automation, own]) =>
    call('start_runs', automation, 'event', null, JSON.stringify(own.map(({ row }) => row))),
  )
}

/**
 * Ends the enrolments of a queue that these events are about. What skip_automations or an undo keeps from starting runs counts here too.
 */
function exitsFrom(workspaceId: string, { id, exits }: QueueExits, events: FeedEvent[]): Statement[] {
  const ends = events.flatMap((event) => {
    const exit = exitFor(exits, event)
    if (!exit) return []
    const about = { at: event.at, exit: { type: exit.type, event_type: event.type, event_id: event.id } }
    const { contact, opportunity } = recordsOf(event)
    return [
      ...contact.map((contact_id) => ({ ...about, contact_id })),
      ...opportunity.map((opportunity_id) => ({ ...about, opportunity_id })),
    ]
  })
  return ends.length > 0 ? [call('exit_enrolments', workspaceId, id, JSON.stringify(ends))] : []
}

/** The decisions about approvals, for which runs wait. */
function decisionsIn({ type, entity, entity_id, at, payload, id }: FeedEvent): { key: string; event: object }[] {
  return entity === 'approval' ? [{ key: `approval:${entity_id}`, event: { id, type, entity, entity_id, at, payload } }] : []
}

/** A line for each record that an event is about, for the runs that wait for an event of it. */
function linesOf(event: FeedEvent): object[] {
  const { contact, company, opportunity } = recordsOf(event)
  const line = { event_id: event.id, type: event.type }
  return [
    ...contact.map((contact_id) => ({ ...line, contact_id })),
    ...company.map((customer_id) => ({ ...line, customer_id })),
    ...opportunity.map((opportunity_id) => ({ ...line, opportunity_id })),
  ]
}
