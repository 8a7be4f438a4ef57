import { NAMED, type Outcomes } from './outcome-cases.ts'

type IdsOfRows = [string, string, string, string, string, string, string, string, string]
const PAST = '2020-01-01T00:00:00Z'
const LATER = '2100-01-01T00:00:00Z'
const [ROW, OTHER, THIRD, FOURTH, FIFTH, SIXTH, SEVENTH, EIGHTH, NINTH] = NAMED as IdsOfRows
const IDS = [ROW, OTHER, THIRD, FOURTH]
const json = (value: unknown) => `'${JSON.stringify(value)}'::jsonb`
/** A call for each of these ids, by the number that it begins with. */
const each = (ids: string[], call: (id: string) => string) => Object.fromEntries(ids.map((id) => [`of ${id[0]}`, call(id)]))
/** A call of a stream of the key. */
const streaming = (call: string, key = ROW) => `select (array[set_config('app.key_id', '${key}', true), (${call})::text])[2]`
const leases = (...rows: [string, number, string, string][]) => ({
  stream_leases: rows.map(([key_id, slot, stream_id, expires_at]) => ({ key_id, slot, stream_id, expires_at })),
})
const sms = (external: string, contact: string | null, direction: string, at: string) =>
  `select add_to_conversation($ws, '+61400000001', '${external}', ${contact ? `'${contact}'` : 'null'}, '${direction}',
    '  Late  words ', '${at}')`
const suppressed = (reason: string) => `select suppress_phone($ws, '+61400000002', '${reason}', 'Late')`
const letter = (workspace: string, message: object, error: string | null, most: number) =>
  `select record_dead_letter(${workspace}, 'webhooks', 'late', ${json(message)}, 3, ${error ? `'${error}'` : 'null'}, ${most})`
const event = (xid: string, id: string, more: object = {}) => ({ xid, id, type: 'task.created', entity: 'task', payload: {}, ...more })
const fire = (id: string, runs_triggered: number, runs_skipped: number, runs_failed: number, more: object = {}) => ({
  ...{ id, schedule_id: ROW, runs_triggered, runs_skipped, runs_failed, audience_size: 9, due_at: `2026-01-0${id[0]}T00:00:00Z` },
  ...more,
})
const lead = (id: string, more: object) => ({
  id,
  name: 'Ana',
  city: 'Perth',
  status: 'new',
  created_at: `2026-01-0${id[0]}T00:00:00Z`,
  ...more,
})
const offer = (id: string, more: object) => ({
  id,
  product_id: ROW,
  currency: 'AUD',
  supplier_price: Number(id[0]),
  min_quantity: 1,
  ...more,
})
const order = (id: string, schedule_date: string, schedule_time: string | null, more: object = {}) => ({
  ...{ id, assigned_to: ROW, title: 'Work', schedule_date, schedule_time, duration_minutes: 60, completed_at: null },
  ...more,
})

/** What calls do with rows in each state: which of them they take, and which they leave as they are. */
export const STATES: Record<string, Outcomes> = {
  record_dead_letter: {
    rows: {
      dead_letters: [
        { id: ROW, queue: 'webhooks', message: { a: 1 }, status: 'open', attempts: 2, last_error: 'Before', last_failed_at: PAST },
        { id: OTHER, queue: 'webhooks', message: { a: 2 }, status: 'replayed', attempts: 2, last_error: 'Before' },
        { id: THIRD, queue: 'webhooks', message: { a: 3 }, status: 'open', attempts: 2, created_at: PAST },
      ],
    },
    calls: {
      'that is open': letter('$ws', { a: 1 }, 'Late', 9),
      'that is open, from the queue of dead letters': letter('$ws', { a: 1 }, null, 9),
      'that is open, where there are too many': letter('$ws', { a: 1 }, 'Late', 1),
      'that was replayed': letter('$ws', { a: 2 }, 'Late', 9),
      'that is the last one of a day': letter('$ws', { a: 4 }, 'Late', 3),
      'that is one too many of a day': letter('$ws', { a: 4 }, 'Late', 2),
      'of no workspace': letter(`'${ROW}'`, { a: 4 }, 'Late', 9),
    },
  },
  open_stream: {
    rows: leases([ROW, 1, OTHER, LATER], [ROW, 2, THIRD, PAST], [OTHER, 1, FOURTH, PAST]),
    calls: {
      'where a place has run out': streaming(`open_stream('${ROW}', 2, 60)`),
      'where all are taken': streaming(`open_stream('${ROW}', 1, 60)`),
      'of a key without any': streaming(`open_stream('${ROW}', 1, 60)`, THIRD),
      'where the next place is free': streaming(`open_stream('${ROW}', 2, 60)`, OTHER),
    },
  },
  renew_stream: {
    rows: leases([ROW, 1, ROW, PAST], [ROW, 2, THIRD, LATER], [OTHER, 1, OTHER, LATER]),
    calls: {
      'that has its place': streaming(`renew_stream('${ROW}', 60)`),
      'that has lost it': streaming(`renew_stream('${FOURTH}', 60)`),
      'of another key': streaming(`renew_stream('${OTHER}', 60)`),
      'that ends': streaming(`close_stream('${ROW}')`),
      'of another key, that ends': streaming(`close_stream('${OTHER}')`),
    },
  },
  add_to_conversation: {
    rows: {
      sms_conversations: [
        {
          ...{ id: ROW, phone_number: '+61400000001', external_phone_number: '+61400000002', contact_id: null, unread: false },
          ...{ direction: 'outbound', snippet: 'Before', message_count: 3, last_message_at: '2026-02-02T00:00:00Z' },
        },
        {
          ...{ id: OTHER, phone_number: '+61400000001', external_phone_number: '+61400000003', contact_id: THIRD, unread: true },
          ...{ direction: 'inbound', snippet: 'Before', message_count: 3, last_message_at: '2026-02-02T00:00:00Z' },
        },
      ],
    },
    calls: {
      'that is later': sms('+61400000002', THIRD, 'inbound', '2026-02-03T00:00:00Z'),
      'that is earlier': sms('+61400000002', null, 'inbound', '2026-02-01T00:00:00Z'),
      'of the same time': sms('+61400000002', null, 'inbound', '2026-02-02T00:00:00Z'),
      'of somebody else, that is sent': sms('+61400000003', ROW, 'outbound', '2026-02-03T00:00:00Z'),
      'that is received first': sms('+61400000004', ROW, 'inbound', PAST),
      'that is sent first': sms('+61400000004', null, 'outbound', PAST),
    },
  },
  ...Object.fromEntries(
    ['unsubscribed', 'manual', 'hard_bounce', 'complaint', null].map((reason) => [
      `suppress_phone with ${reason}`,
      {
        rows: {
          suppressions: reason ? [{ id: ROW, channel: 'sms', address: '+61400000002', reason, note: 'Before' }] : [],
          contacts: [
            { id: OTHER, phone: '+61400000002', sms_unsubscribed: false },
            { id: THIRD, phone: '+61400000003', sms_unsubscribed: false },
          ],
        },
        calls: Object.fromEntries(['unsubscribed', 'hard_bounce'].map((now) => [`and then ${now}`, suppressed(now)])),
      } satisfies Outcomes,
    ]),
  ),
  store_inbound_email: {
    rows: {
      inbound_emails: ['failed', 'received', 'done'].map((state, n) => ({
        id: IDS[n],
        provider_message_id: state,
        state,
        error: 'No',
        ended_at: PAST,
      })),
    },
    calls: Object.fromEntries(
      ['failed', 'received', 'done', 'new'].map((id) => [
        `that is ${id}`,
        `select store_inbound_email('${FOURTH}', '${id}') - 'workspace_id'`,
      ]),
    ),
  },
  unknown_suppressions: {
    rows: {
      suppressions: [
        { id: ROW, channel: 'email', address: 'listed@example.com', reason: 'manual' },
        { id: OTHER, channel: 'sms', address: 'sms@example.com', reason: 'manual' },
      ],
      suppression_lifts: [{ address: 'lifted@example.com', due_at: LATER }],
    },
    calls: {
      'of each kind': `select unknown_suppressions(${json(['unknown', 'sms', 'lifted', 'listed'].map((name) => `${name}@example.com`))})`,
    },
  },
  due_suppression_lifts: {
    rows: {
      suppression_lifts: [
        { address: 'first@example.com', due_at: PAST, attempts: 0 },
        { address: 'last@example.com', due_at: '2021-01-01T00:00:00Z', attempts: 2 },
        { address: 'over@example.com', due_at: PAST, attempts: 3 },
        { address: 'listed@example.com', due_at: PAST, attempts: 0 },
        { address: 'later@example.com', due_at: LATER, attempts: 3 },
      ],
      suppressions: [
        { id: ROW, channel: 'email', address: 'listed@example.com', reason: 'manual' },
        { id: OTHER, channel: 'sms', address: 'first@example.com', reason: 'manual' },
      ],
    },
    calls: { 'of each kind': 'select due_suppression_lifts(9, 60, 3)' },
  },
  end_fire: {
    rows: {
      schedule_runs: [
        fire(ROW, 2, 1, 0),
        fire(OTHER, 1, 0, 1),
        fire(THIRD, 0, 1, 1),
        fire(FOURTH, 0, 0, 2),
        fire(FIFTH, 2, 0, 0, { status: 'completed', ended_at: PAST }),
      ],
    },
    calls: {
      ...each([...IDS, FIFTH], (id) => `select end_fire('${id}')`),
      'that ends after some': `select end_fire('${ROW}', 'INTERNAL', 'It is down')`,
      'that ends after none': `select end_fire('${FOURTH}', 'INTERNAL', 'It is down')`,
    },
  },
  read_webhook_replay: {
    rows: {
      webhook_states: [
        { webhook_id: ROW, replay_id: THIRD, replay_xid: '5', replay_event_id: OTHER, replay_until_xid: '7', replay_until_id: OTHER },
        { webhook_id: OTHER, replay_id: null },
      ],
      outbox: [
        event('5', OTHER),
        event('5', THIRD),
        event('6', FIFTH, { private_to: ROW }),
        event('6', SIXTH, { type: 'task.deleted' }),
        event('7', '00000000-0000-4000-8000-000000000007'),
        event('7', FOURTH),
      ],
    },
    calls: Object.fromEntries(
      [9, 2].map((most) => [
        `of ${most}`,
        `select jsonb_build_object('to', r -> 'to', 'count', r -> 'count', 'events', jsonb_path_query_array(r, '$.events[*].id'))
          from read_webhook_replay($ws, '${ROW}', '{task.created}', ${most}) r`,
      ]),
    ),
  },
  same_lead: {
    rows: {
      lead_results: [
        lead(ROW, { email: 'ana@example.com', phone: '+61400000001', website: 'https://ana.example' }),
        lead(OTHER, { email: 'ana@example.com', status: 'duplicate' }),
        lead(THIRD, { email: 'bo@example.com', phone: '+61400000001' }),
        lead(FOURTH, { phone: '+61400000001' }),
        lead(FIFTH, { phone: '+61400000009', website: 'https://www.ana.example/about' }),
        lead(SIXTH, { website: 'https://ana.example', name: 'Cy' }),
        lead(SEVENTH, { website: 'https://bo.example' }),
        lead(EIGHTH, { name: ' ANA ', city: 'perth' }),
        lead(NINTH, { city: 'Sydney', email: 'ana@example.com', status: 'converted' }),
      ],
    },
    calls: each(NAMED, (id) => `select to_jsonb(s) from lead_results r left join lateral same_lead(r) s on true where r.id = '${id}'`),
  },
  supplier_offers: {
    rows: {
      supplier_catalog_entries: [
        offer(NINTH, { valid_from: '2026-02-02', valid_to: '2026-02-02', min_quantity: 5 }),
        offer(EIGHTH, { valid_from: '2026-02-03' }),
        offer(SEVENTH, { valid_to: '2026-02-01' }),
        offer(SIXTH, { min_quantity: 5.0001 }),
        offer(FIFTH, { currency: 'EUR' }),
        offer(FOURTH, { product_id: OTHER }),
        offer(THIRD, {}),
        offer(OTHER, { supplier_price: 3, is_preferred: true }),
        offer(ROW, { supplier_price: 3 }),
      ],
    },
    calls: Object.fromEntries(
      [9, 2].map((most) => [`of ${most}`, `select jsonb_agg(o) from supplier_offers('${ROW}', 5, '2026-02-02', 'AUD', ${most}) o`]),
    ),
  },
  work_order_clashes: {
    rows: {
      work_orders: [
        order(ROW, '2026-02-02', '10:00'),
        order(OTHER, '2026-02-02', '10:59', { duration_minutes: null }),
        order(THIRD, '2026-02-02', '11:00'),
        order(FOURTH, '2026-02-02', '09:00'),
        order(FIFTH, '2026-02-02', '09:01'),
        order(SIXTH, '2026-02-01', '23:00', { duration_minutes: 661 }),
        order(SEVENTH, '2026-02-02', '10:00', { assigned_to: OTHER }),
        order(EIGHTH, '2026-02-02', '10:00', { completed_at: PAST }),
        order(NINTH, '2026-02-02', null),
      ],
    },
    calls: each(
      [ROW, OTHER, SEVENTH, EIGHTH, NINTH],
      (id) => `select jsonb_path_query_array(work_order_clashes(w), '$[*].id') from work_orders w where w.id = '${id}'`,
    ),
  },
}
