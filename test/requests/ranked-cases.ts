/** Rows of which a function takes the first ones, in an order, up to a limit, and of those that are not beyond a bound. */
export interface Ranked {
  table: string
  /** The column with the order: its bound is now, or so many seconds ago. */
  by: string
  seconds?: number
  values?: Record<string, unknown>
  /** What a row differs in that is never taken. */
  except?: Record<string, Record<string, unknown>>
  /** Whether the order of what it returns says nothing. */
  isUnordered?: boolean
  /** Rows of other tables that it needs. */
  beside?: Record<string, Record<string, unknown>>
  /** A row of another table for each row, whose id is `$id`. */
  each?: Record<string, Record<string, unknown>>
  /** Whether it takes any of the rows, so that only their number says something. */
  isCounted?: boolean
  /** The call; `$ws` is the workspace, `$limit` the limit. */
  call: string
  /** The column that a row is known by, if it has no id. */
  key?: string
}

const DAY = 86_400
const PAST = '2020-01-01T00:00:00Z'
const FUTURE = '2100-01-01T00:00:00Z'
const OTHER_ID = '00000000-0000-4000-8000-000000000009'

export const RANKED: Record<string, Ranked> = {
  end_snoozes: {
    table: 'conversations',
    by: 'snoozed_until',
    values: { status: 'snoozed' },
    except: { open: { status: 'open' } },
    call: 'select end_snoozes($limit)',
  },
  expire_auto_replies: { table: 'auto_replies', by: 'id', seconds: 90 * DAY, call: 'select expire_auto_replies($limit)' },
  'expire_confirmations: forms': {
    table: 'booking_confirmations',
    by: 'expires_at',
    values: { form: {} },
    except: { empty: { form: null } },
    call: 'select expire_confirmations($limit)',
  },
  expire_confirmations: { table: 'booking_confirmations', by: 'created_at', seconds: DAY, call: 'select expire_confirmations($limit)' },
  forget_unpaid_orders: {
    table: 'form_orders',
    by: 'created_at',
    seconds: 30 * DAY,
    values: { buyer: {} },
    except: { paid: { buyer: null } },
    call: 'select forget_unpaid_orders($limit)',
  },
  expire_portal_attempts: {
    table: 'portal_attempts',
    by: 'failed_at',
    key: 'network_hash',
    seconds: DAY,
    call: 'select expire_portal_attempts($limit)',
  },
  expire_holds: {
    table: 'booking_holds',
    by: 'expires_at',
    values: { state: 'held', session_id: null },
    except: { booked: { state: 'booked' } },
    call: 'select expire_holds($limit)',
  },
  'expire_holds: results of calls': { table: 'voice_results', by: 'created_at', seconds: 2 * DAY, call: 'select expire_holds($limit)' },
  expire_approvals: {
    table: 'approvals',
    by: 'expires_at',
    values: { status: 'pending' },
    except: { rejected: { status: 'rejected' } },
    call: 'select expire_approvals()',
  },
  expire_skill_runs: { table: 'skill_runs', by: 'id', seconds: 30 * DAY, call: 'select expire_skill_runs($limit)' },
  expire_schedule_runs: {
    table: 'schedule_runs',
    by: 'fired_at',
    seconds: 30 * DAY,
    values: { ended_at: PAST, status: 'succeeded' },
    except: { running: { ended_at: null, status: null } },
    call: 'select expire_schedule_runs(30, $limit)',
  },
  expire_deletions: {
    table: 'deletions',
    by: 'id',
    seconds: 30 * DAY,
    values: { ended_at: PAST },
    except: { running: { ended_at: null } },
    call: 'select expire_deletions($limit)',
  },
  due_suppression_lifts: {
    table: 'suppression_lifts',
    by: 'due_at',
    key: 'address',
    values: { attempts: 1 },
    except: { 'with all attempts': { attempts: 5 } },
    call: 'select due_suppression_lifts($limit, 60, 5)',
  },
  send_reminders: {
    table: 'tasks',
    by: 'reminder_at',
    values: { status: 'open', archived: false },
    except: { completed: { status: 'completed' }, archived: { archived: true }, reminded: { reminded_at: PAST } },
    call: 'select send_reminders($limit)',
  },
  claim_outgoing: {
    table: 'outgoing_requests',
    by: 'due_at',
    values: { attempts: 0, webhook_id: null },
    isUnordered: true,
    call: `select claim_outgoing($ws, '${OTHER_ID}', $limit, 60)`,
  },
  claim_booking_notices: {
    table: 'booking_notices',
    by: 'wake_at',
    call: 'select claim_booking_notices(null, null, now(), $limit, 60)',
  },
  'claim_booking_notices of a booking': {
    table: 'booking_notices',
    by: 'wake_at',
    values: { booking_id: OTHER_ID },
    except: { 'of another': { booking_id: '00000000-0000-4000-8000-000000000008' } },
    call: `select claim_booking_notices($ws, '${OTHER_ID}', now(), $limit, 60)`,
  },
  claim_waiting_list: {
    table: 'waiting_list_entries',
    by: 'due_at',
    values: { state: 'waiting', starts_at: PAST },
    call: 'select claim_waiting_list(now(), $limit, 60)',
  },
  'claim_waiting_list before the event': {
    table: 'waiting_list_entries',
    by: 'due_at',
    values: { state: 'offered', starts_at: FUTURE },
    call: 'select claim_waiting_list(now(), $limit, 60)',
  },
  due_webhooks: {
    table: 'webhook_states',
    by: 'due_at',
    key: 'webhook_id',
    except: { leased: { leased_until: FUTURE } },
    call: 'select array(select due_webhooks($ws, $limit))',
  },
  due_schedules: { table: 'auto_schedules', by: 'next_run_at', call: 'select due_schedules(now(), $limit)' },
  waiting_campaigns: {
    table: 'campaign_sends',
    by: 'due_at',
    key: 'campaign_id',
    call: 'select array(select id from waiting_campaigns($limit))',
  },
  claim_zone_work: { table: 'zone_work', by: 'due_at', key: 'workspace_id', call: 'select array(select claim_zone_work($limit))' },
  claim_runs: {
    table: 'automation_runs',
    by: 'due_at',
    except: { claimed: { claimed_until: FUTURE } },
    call: 'select claim_runs($ws, $limit, 60)',
  },
  claim_messages: {
    table: 'messages',
    by: 'due_at',
    values: { status: 'queued', channel: 'email' },
    except: { sent: { status: 'sent', due_at: null } },
    isUnordered: true,
    call: 'select claim_messages($ws, $limit, 60)',
  },
  retry_runs: {
    table: 'automation_runs',
    by: 'created_at',
    values: { state: 'failed' },
    except: { completed: { state: 'completed' } },
    call: 'select retry_runs(null, null, $limit)',
  },
  mark_stale_calendars: {
    table: 'connection_calendars',
    by: 'synced_at',
    seconds: 900,
    values: { busy_from: true, connection_id: OTHER_ID },
    beside: { calendar_connections: { id: OTHER_ID, status: 'connected' } },
    except: { stale: { stale_since: PAST }, unread: { busy_from: false } },
    call: 'select mark_stale_calendars($limit)',
  },
  ...Object.fromEntries(
    ['$ws', 'null'].map((workspace) => [
      `claim_events of ${workspace === 'null' ? 'all workspaces' : 'one'}`,
      {
        table: 'outbox',
        by: 'id',
        values: { needs_delivery: true, attempts: 19 },
        except: {
          delivered: { delivered_at: PAST },
          claimed: { claimed_at: FUTURE },
          'with all attempts': { attempts: 20 },
          'of nobody': { needs_delivery: false },
        },
        call: `select array(select event ->> 'id' from claim_events(${workspace}, $limit))`,
      },
    ]),
  ),
  notify_mailboxes: {
    table: 'mailboxes',
    by: 'created_at',
    values: { status: 'connected', account_email: 'ana@example.com', provider: 'gmail' },
    except: {
      disconnected: { status: 'disconnected' },
      'of another person': { account_email: 'bo@example.com' },
      'of another provider': { provider: 'microsoft' },
    },
    isUnordered: true,
    call: "select notify_mailboxes('gmail', 'ana@example.com', $limit)",
  },
  bundles_of_address: {
    table: 'phone_bundles',
    by: 'created_at',
    values: { address_ids: [OTHER_ID] },
    except: { 'of another address': { address_ids: [] } },
    call: `select bundles_of_address('${OTHER_ID}', $limit)`,
  },
  stored_files_after: {
    table: 'files',
    by: 'created_at',
    call: "select jsonb_agg(f) from stored_files_after($ws, '00000000-0000-0000-0000-000000000000', $limit) f",
  },
  end_lost_runs: {
    table: 'skill_runs',
    by: 'created_at',
    seconds: 600,
    values: { status: 'running' },
    except: { done: { status: 'done' } },
    call: 'select end_lost_runs($limit)',
  },
}
