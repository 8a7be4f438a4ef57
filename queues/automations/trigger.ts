import { sql } from 'drizzle-orm'
import { batch, type Database } from '../../src/data/batch.ts'
import type { Statement } from '../../src/data/db.ts'
import { exitFor } from '../../src/domain/auto-queues.ts'
import { mainSubject, recordsOf, type Subjects, subjectsOf } from '../../src/domain/automations/about.ts'
import { type DataTest, meets } from '../../src/domain/automations/data-tests.ts'
import { eventOf, type FeedEvent, refusalOf } from '../../src/domain/automations/triggers.ts'
import type { Test, Trigger } from '../../src/domain/automations/types.ts'
import { type Env, jobsDatabaseOf } from '../../src/env.ts'
import { AppError, STATUS_OF } from '../../src/errors.ts'
import { wasVisible } from '../../src/lib/snapshots.ts'
import { shownEvent } from '../../src/schemas/snapshots.ts'
import { holdsFor } from '../../src/services/automations/engine/ask.ts'
import { readerFor } from './ask.ts'

const MAX_EVENTS = 500
/** Batches per message, after which another message continues. */
const MAX_BATCHES = 20

/** `since`: the snapshot of its publication. */
type Published = { id: string; key_id: string; since: string; trigger: Trigger; conditions: Test[] }
type FedEvent = FeedEvent & { xid: string }
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
type Skip = { automation_id: string; event_id: string; record_id: string | null; reason: string }

/**
 * Starts the runs for the new events of a workspace, and wakes those that wait for one. All that a batch of events leads to commits together with
 * the position in the feed, so each event counts once. Returns whether there is more to read.
 */
export async function startFromEvents(env: Env, workspaceId: string): Promise<boolean> {
  const database = jobsDatabaseOf(env)
  for (let done = 0; done < MAX_BATCHES; done++) {
    const [read] = (await batch(database, [sql`select automation_batch(${workspaceId}::uuid, ${MAX_EVENTS}::int)`])) as [Batch | null]
    if (!read?.to) return false
    const events = read.events.map(shownEvent)
    const found = await Promise.all(read.automations.map((automation) => startsOf(database, workspaceId, automation, events)))
    const moved = await batch(database, [
      sql`select begin_automation_work(${workspaceId}::uuid)`,
      sql`select move_follower(${workspaceId}::uuid, 'automations', ${JSON.stringify(read.from)}::jsonb, ${JSON.stringify(read.to)}::jsonb)`,
      ...statementsOf(found.flatMap(({ starts }) => starts)),
      sql`select note_skips(${workspaceId}::uuid, ${JSON.stringify(found.flatMap(({ skips }) => skips))}::jsonb)`,
      ...read.queues.flatMap((queue) => exitsFrom(workspaceId, queue, events)),
      sql`select wake_runs(${workspaceId}::uuid, ${JSON.stringify(events.flatMap(decisionsIn))}::jsonb)`,
      sql`select wake_waits(${workspaceId}::uuid, ${JSON.stringify(events.flatMap(linesOf))}::jsonb)`,
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
    .map((event) => ({ event, subjects: subjectsOf(event), holds: meetsOwn(automation.conditions, event) }))
  const holds = await conditionsHold(
    database,
    workspaceId,
    automation,
    candidates.filter((one) => one.holds).map(({ subjects }) => subjects),
  )
  let next = 0
  const decided = candidates.map((one) => ({ ...one, holds: one.holds && (holds[next++] ?? false) }))
  return {
    starts: decided.filter((one) => one.holds).map(({ event, subjects }) => ({ automation: automation.id, row: rowOf(event, subjects) })),
    skips: decided
      .filter((one) => !one.holds)
      .map(({ event, subjects }) => ({
        automation_id: automation.id,
        event_id: event.id,
        record_id: mainSubject(subjects) ?? null,
        reason: 'conditions',
      })),
  }
}

const meetsOwn = (conditions: Test[], event: FeedEvent): boolean =>
  conditions.every(({ on, filter }) => on !== 'trigger' || meets(event, filter as DataTest))

/** Conditions that can no longer be evaluated, as after the deletion of a custom field, or not with the publisher's rights, hold for nothing. */
async function conditionsHold(
  database: Database,
  workspace_id: string,
  { id, key_id, conditions }: Published,
  subjects: Subjects[],
): Promise<boolean[]> {
  const caller = { kind: 'automation_run' as const, automation_run_id: id, workspace_id, key_id, depth: 0 }
  const runs = subjects.map(({ contact_id = null, customer_id = null, opportunity_id = null }) => ({
    contact: contact_id,
    company: customer_id,
    opportunity: opportunity_id,
  }))
  try {
    return await holdsFor(readerFor(database, caller, new Date()), conditions, runs)
  } catch (error) {
    if (!(error instanceof AppError) || STATUS_OF[error.code] >= 500) throw error
    return subjects.map(() => false)
  }
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
  return [...Map.groupBy(starts, ({ automation }) => automation)].map(
    ([automation, own]) => sql`select start_runs(${automation}::uuid, 'event', null, ${JSON.stringify(own.map(({ row }) => row))}::jsonb)`,
  )
}

/** Ends the enrolments of a queue that these events are about. What skip_automations or an undo keeps from starting runs counts here too. */
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
  return ends.length > 0 ? [sql`select exit_enrolments(${workspaceId}::uuid, ${id}::uuid, ${JSON.stringify(ends)}::jsonb)`] : []
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
