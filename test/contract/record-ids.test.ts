import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from '../harness.ts'
import type { TestWorkspace } from '../workspace.ts'
import type { Ids } from './samples.ts'
import { seed } from './seed.ts'

/**
 * Every column of ids is a reference, of which the catalogue tells merges, or stands here with the reason why a merge need not know it. A
 * pattern is a whole name, `table.column`, in which * stands for a part of it.
 */
const NO_RECORDS: Record<string, string[]> = {
  'random values': ['portals.*_seed', 'review_requests.token_seed'],
  'what a card shows, which it outlives': ['training_cards.target_id'],
  'boards, whose content outlives their deletion': ['whiteboard_elements.whiteboard_id', 'whiteboard_scenes.whiteboard_id'],
  'members and their keys': [
    ...[
      '*.*_by',
      '*.user_id',
      '*.*_user_id',
      '*.assigned_to',
      '*.private_to',
      '*.key_id',
      '*.*_key_id',
      '*.requester_key_ids',
      '*.name_scope',
    ],
    ...['bookings.host_ids', '*_holds.host_ids', 'seat_sessions.host_ids', 'host_claims.host_id', 'host_shares.host_id', '*.moved_by'],
  ],
  'claims of workers, attempts and external channels': [
    '*.claim_id',
    '*.*_claim_id',
    '*.*channel_id',
    'invitations.attempt_id',
    'campaign_recipients.batch_id',
    'stream_leases.stream_id',
  ],
  'other workspaces': ['agency_*.client_id', 'commission_lines.client_id', 'websites.client_id'],
  'automations and what belongs to them': [
    ...[
      'auto_queue_steps.automation_id',
      'auto_queue_steps.wait_id',
      'automation_counts.step_id',
      'automation_incidents.run_id',
      'automations.version_id',
    ],
    ...[
      'automation_runs.queue_step_id',
      'automation_runs.source_id',
      'lead_tasks.run_id',
      'automation_runs.version_id',
      'automation_skips.event_id',
      'automation_steps.*_id',
    ],
  ],
  'requests, approvals, events and webhooks': [
    ...['approvals.policy_ids', 'imports.run_approval_id', 'imports.undo_id', 'requests.*', 'feed_followers.event_id'],
    ...['webhook_deliveries.event_id', 'webhook_deliveries.replay_id', '*.webhook_id', 'webhook_states.*', '*.merge_id'],
  ],
  'bookings and series': [
    '*.booking_id',
    '*.hold_id',
    '*.session_id',
    '*.series_id',
    'bookings.*_id',
    'bookings.management_token',
    'booking_counts.subject_id',
  ],
  'messages, files, fields, stages, schedules and other parts': [
    ...[
      'credit_entries.message_id',
      'email_drafts.attachment_ids',
      '*.field_id',
      'phone_bundles.address_ids',
      '*.pipeline_id',
      '*.stage_id',
      '*.*_pipeline_id',
      '*.*_stage_id',
    ],
    ...['schedule_runs.schedule_id', 'timeline_changes.change_id', 'timeline_moves.move_id', 'whatsapp_reads.until_id'],
  ],
  'how far a walk over records has come: any id will do': [
    ...[
      'auto_queue_list_enrolments.after_id',
      'campaign_sends.last_id',
      'custom_indexes.cursor',
      'import_files.undo_before',
      'schedule_runs.last_id',
    ],
    ...['tracked_lists.walk_from', 'zone_work.walk_from'],
  ],
}
/** Ids of records in columns that are no references, which change with the record. */
const FOLLOWS: Record<string, string> = {
  'activities.contact_ids': 'derived from activity_contacts',
  'automation_runs.record_id': 'follows the reference of the run that it is the value of (run-ends.sql)',
  'memories.subject_id': 'derived from the references',
  'service_requests.related_ids': 'derived from service_request_links',
  'conversations.contact_id': 'derived from the row of the channel',
  'auto_responders.identity_ref': 'derived from phone_number_id and email_config_id',
  'custom_values.record_id': 'derived from the metadata of the record',
  'tagged_records.record_id': 'derived from the tags of the record',
  'record_count_deltas.source_id': 'derived from the contacts with this lead source',
  'record_times.record_id': 'derived from activities and tasks',
  'record_time_checks.record_id': 'entries of record_times that are to be checked',
  'list_touches.record_id': 'what a tracked list has to look at next',
  'tracked_members.record_id': 'whose entry into a list was announced; the background announces that they have left',
}
/** What has happened keeps the id of whom it happened to. */
const LOGS: Record<string, string> = {
  'auto_replies.approval_id': 'what was held',
  'auto_replies.incoming_id': 'what was read',
  'auto_replies.run_id': 'what it has cost',
  'commission_causes.payee_id': 'whom a payment pays: a member, or the agency itself',
  'commission_lines.payee_id': 'the same, in a closed month',
  'commission_statements.payee_id': 'the same',
  'commission_lines.payment_id': 'what a closed month was computed from',
  'commission_lines.refund_id': 'the same',
  'memories.source_id': 'what it was learnt from, which a purge looks for',
  'service_requests.requester_id': 'who has asked: a member or a key',
  'automation_skips.record_id': 'events that started no run',
  'changes.entity_id': 'the history',
  'changes.cause_id': 'the history',
  'outbox.entity_id': 'the feed',
  'outbox.cause_id': 'the feed',
  'deleted_rows.row_id': 'what was deleted, for a restore',
  'deletions.cause_id': 'what a job was begun by',
  'deletions.record_id': 'what a job deletes',
  'dismissed_duplicates.first_id': 'pairs that a person has compared; an undo of the merge finds them again',
  'dismissed_duplicates.second_id': 'the same',
  'import_rows.record_id': 'what an import did',
  'incoming_requests.result_id': 'what a request has led to',
  'merge_entries.row_id': 'what a merge did, for its undo',
  'merge_entries.survivor': 'the same',
  'merges.winner_id': 'the same',
  'model_days.subject_id': 'what a skill or the workspace has spent on a day',
  'schedule_skips.record_id': 'whom a fire left out',
  'skill_runs.skill_id': 'what a run has cost, also when the skill is gone',
  'timeline_changes.record_id': 'the history by record',
  'timeline_moves.record_id': 'the history by record',
  'webhook_deliveries.record_id': 'what was delivered',
}

let app: Harness
let ws: TestWorkspace
let ids: Ids
beforeAll(async () => {
  // What is checked again waits for each older transaction of its server, also for those of other files.
  app = await start({ ownServer: true })
  ws = await app.workspace()
  ids = await seed(app, ws)
  await app.drain()
}, 120_000)
afterAll(() => app.close())

type Column = { of: string; col: string; name: string; many: boolean; refers: boolean }
async function columns(): Promise<Column[]> {
  const { rows } = await app.owner.query(
    `select c.relname as of, a.attname as col, c.relname || '.' || a.attname as name, a.atttypid = 'uuid[]'::regtype as many,
       exists (select from pg_constraint k
         where k.contype = 'f' and k.conrelid = c.oid and split_part(k.conname, '.', 2) = a.attname) as refers
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       join pg_attribute w on w.attrelid = c.oid and w.attname = 'workspace_id'
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
       and a.atttypid in ('uuid'::regtype, 'uuid[]'::regtype) and a.attname not in ('id', 'workspace_id') order by 3`,
  )
  return rows
}

test('each column of ids is a reference, or stands here with the reason why it is none', async () => {
  const patterns = Object.values(NO_RECORDS)
    .flat()
    .map((pattern) => new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '\\w*')}$`))
  const others = (await columns()).filter(({ refers }) => !refers).map(({ name }) => name)
  const named = [...Object.keys(FOLLOWS), ...Object.keys(LOGS)]
  expect(named.filter((name) => !others.includes(name))).toEqual([])
  expect(others.filter((name) => !named.includes(name) && !patterns.some((pattern) => pattern.test(name)))).toEqual([])
  expect(patterns.filter((pattern) => !others.some((name) => pattern.test(name))).map(String)).toEqual([])
})

test.each(['contact', 'company', 'opportunity'])(
  'after the merge of a %s that everything refers to, only logs hold its id',
  async (entity) => {
    const plural = { contact: 'contacts', company: 'companies', opportunity: 'opportunities' }[entity] as string
    const loser = ids[`${entity}_id`] as string
    const held = async () => {
      const found = await Promise.all(
        (await columns()).map(async ({ of, col, name, many }) => {
          const { rowCount } = await app.owner.query(
            `select from ${of} where workspace_id = $1 and ${many ? `$2 = any (${col})` : `${col} = $2`} limit 1`,
            [ws.id, loser],
          )
          return rowCount ? [name] : []
        }),
      )
      return found.flat()
    }
    const before = await held()
    expect(before.length).toBeGreaterThan(8)
    const body = entity === 'contact' ? { first_name: 'Winner' } : { name: 'Winner' }
    const { id } = (await ws.post(`/${plural}`, body)).body.data
    expect(await ws.post(`/${plural}/merge`, { winner_id: id, loser_ids: [loser] })).toMatchObject({ status: 200 })
    await app.drain()
    await app.cron('* * * * *')
    await app.drain()
    expect((await held()).filter((name) => !(name in LOGS))).toEqual([])
  },
)
