/** Rows of a workspace, and calls that are each made with them; what one does is taken back. `$ws` is the workspace, `$user` its member. */
export interface Outcomes {
  rows: Record<string, Record<string, unknown>[]>
  calls: Record<string, string>
}

/** The ids of rows that have a name in what is recorded. */
export const NAMED = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `${n}0000000-0000-4000-8000-00000000000${n}`)
export const [ROW, OTHER, THIRD] = NAMED as [string, string, string]
const PAST = '2020-01-01T00:00:00Z'
const LATER = '2100-01-01T00:00:00Z'
const EMBEDDING = `[${Array(1024).fill(1)}]`
const json = (value: object) => `'${JSON.stringify(value)}'::jsonb`
/** A call of a settler with each of these reports, of the present attempt and of another one. */
const reports = (name: string, attempts: number, all: Record<string, object>) => ({
  ...Object.fromEntries(Object.entries(all).map(([what, report]) => [what, `select ${name}(${json({ id: ROW, attempts, ...report })})`])),
  'of an earlier attempt': `select ${name}(${json({ id: ROW, attempts: attempts - 1, ...Object.values(all)[0] })})`,
  'of another': `select ${name}(${json({ id: THIRD, attempts, ...Object.values(all)[0] })})`,
})
const settled = (name: string, all: Record<string, object>) =>
  Object.fromEntries(
    Object.entries(all).flatMap(([what, report]) =>
      [true, false].map((isSame) => [
        `${what}${isSame ? '' : ', and it has changed'}`,
        `select ${name}($ws, '${ROW}', ${isSame}, ${json(report)})`,
      ]),
    ),
  )

const email = (more: object, thread: object) =>
  `select add_email(${json({
    thread: { id: ROW, ...thread },
    email: { id: THIRD, direction: 'inbound', from_email: 'bo@example.com', internet_id: 'late', subject: 'Late', ...more },
    snippet: 'Late',
    participants: ['ana@example.com', 'bo@example.com', 'bo@example.com'],
  })}, 2, 2)`

export const SETTLED: Record<string, Outcomes> = {
  settle_phone_address: {
    rows: { phone_addresses: [{ id: ROW, status: 'creating', attempts: 2, provider_id: 'kept', validated: true, due_at: PAST }] },
    calls: reports('settle_phone_address', 2, {
      'that is active': { status: 'active', provider_id: 'AD1', validated: true },
      'that is tried again': { status: 'creating', error: 'It is down', wait: 90 },
      'that has failed': { status: 'failed', error: 'No such street' },
    }),
  },
  settle_phone_bundle: {
    rows: {
      phone_bundles: [
        { id: ROW, status: 'creating', attempts: 2, provider_id: 'kept', items: ['a'], submitted_at: null },
        { id: OTHER, status: 'creating', attempts: 2 },
      ],
    },
    calls: reports('settle_phone_bundle', 2, {
      'that is a draft': { status: 'draft', provider_id: 'BU1', wait: 90 },
      'that is tried again': { status: 'creating', error: 'It is down', wait: 30 },
      'that is submitted': { status: 'submitting' },
      'that is reviewed': { status: 'in_review', wait: 3600 },
      'that is refused': { status: 'rejected', failure_reason: 'Unreadable' },
      'that has failed': { status: 'failed', error: 'No' },
    }),
  },
  conclude_phone_bundle: {
    rows: {
      phone_bundles: [
        { id: ROW, status: 'submitting', items: ['a'], submitted_at: null },
        { id: OTHER, status: 'submitting', items: ['b'], submitted_at: null },
      ],
    },
    calls: settled('conclude_phone_bundle', {
      'that is being created': { status: 'creating' },
      'that is reviewed': { status: 'in_review' },
      'that is refused': { status: 'rejected', failure_reason: 'Unreadable' },
      'that has failed': { status: 'failed', error: 'No' },
    }),
  },
  conclude_voice_sync: {
    rows: {
      phone_numbers: [
        { id: ROW, voice_sync_turn: 3, voice_provider_last_sync_error: 'kept' },
        { id: OTHER, voice_sync_turn: 3, voice_provider_last_sync_error: 'kept' },
      ],
    },
    calls: settled('conclude_voice_sync', { 'that is done': {}, 'that has failed': { error: 'No' } }),
  },
  settle_voice_sync: {
    rows: {
      phone_numbers: [
        { id: ROW, voice_sync_turn: 3, voice_provider_last_sync_error: 'kept' },
        { id: OTHER, voice_sync_turn: 3 },
      ],
    },
    calls: {
      'of the present turn': `select settle_voice_sync(${json({ id: ROW, turn: 3 })})`,
      'that has failed': `select settle_voice_sync(${json({ id: ROW, turn: 3, error: 'It is down', wait: 90 })})`,
      'that has failed for good': `select settle_voice_sync(${json({ id: ROW, turn: 3, error: 'No' })})`,
      'of an earlier turn': `select settle_voice_sync(${json({ id: ROW, turn: 2 })})`,
      'of an earlier turn that has failed': `select settle_voice_sync(${json({ id: ROW, turn: 2, error: 'No', wait: 90 })})`,
    },
  },
  settle_knowledge_copy: {
    rows: {
      knowledge_copies: [
        { id: ROW, provider_kb_id: 'kb', provider_keys: ['a'], imported_urls: ['https://example.com'], status: 'pending', is_kept: true },
        { id: OTHER, status: 'pending', is_kept: true },
      ],
    },
    calls: settled('settle_knowledge_copy', {
      'that is ready': {},
      'that goes on': { wait: 5 },
      'that is tried again': { error: 'It is down', wait: 90 },
      'that has failed': { error: 'No' },
      'that is gone': { gone: true },
    }),
  },
  touch_knowledge_copies: {
    rows: {
      knowledge_copies: [
        { id: ROW, knowledge_base_id: ROW, turn: 3, attempts: 5, status: 'failed' },
        { id: OTHER, knowledge_base_id: OTHER, turn: 3, attempts: 5, status: 'ready' },
      ],
    },
    calls: { 'of one base': `select touch_knowledge_copies($ws, array['${ROW}'::uuid])` },
  },
  settle_memory_vector: {
    rows: {
      memory_vectors: [
        { id: ROW, model: 'old', turn: 1, due_at: null, embedding: EMBEDDING },
        { id: OTHER, model: 'b-new', turn: 1, due_at: null, embedding: EMBEDDING },
        { id: THIRD, model: 'new', turn: 1, due_at: null, embedding: EMBEDDING },
      ],
    },
    calls: settled('settle_memory_vector', { 'of a model': { results: { model: 'new' } }, 'of none': { results: {} } }),
  },
  settle_service_request_vector: {
    rows: {
      service_request_vectors: [
        { id: ROW, model: 'old', turn: 1, due_at: null, embedding: EMBEDDING },
        { id: OTHER, model: 'new', turn: 1, due_at: null, embedding: EMBEDDING },
      ],
    },
    calls: settled('settle_service_request_vector', { 'of a model': { results: { model: 'new' } }, 'of none': { results: {} } }),
  },
  settle_whatsapp_reaction: {
    rows: {
      whatsapp_reactions: [{ id: ROW, whatsapp_message_id: OTHER }],
      whatsapp_messages: [{ id: OTHER, conversation_id: THIRD, group_id: null }],
    },
    calls: settled('settle_whatsapp_reaction', {
      'that is sent': { results: { status: 'sent' } },
      'that is queued': { results: { status: 'queued' } },
      'that has failed': { results: { status: 'failed', error: 'No' } },
    }),
  },
  conclude_booking_copy: {
    rows: {
      booking_copies: [
        {
          id: ROW,
          outside_id: 'a',
          outside_version: 'b',
          meeting: 'made',
          meet_link: 'https://example.com',
          state: 'pending',
          error: 'kept',
          requested_at: PAST,
          written_starts_at: PAST,
          written_ends_at: PAST,
        },
        { id: OTHER, state: 'pending' },
      ],
    },
    calls: settled('conclude_booking_copy', {
      'that is removed': { removed: true },
      'that is written': { state: 'synced', written: { outside_id: 'c', outside_version: 'd', meet_link: null } },
      'that has failed': { state: 'failed', error: 'No' },
      'without a state': { error: 'Later' },
    }),
  },
  claim_token: {
    rows: {
      account_grants: [
        { id: ROW, connection_id: ROW, sealed_access_token: 'a', sealed_refresh_token: 'r', access_expires_at: PAST },
        { id: OTHER, connection_id: OTHER, sealed_access_token: 'a', sealed_refresh_token: 'r', access_expires_at: LATER },
        { id: THIRD, connection_id: THIRD, access_expires_at: PAST, refresh_claimed_until: LATER },
      ],
      calendar_connections: [ROW, OTHER, THIRD].map((id) => ({ id, status: 'connected' })),
    },
    calls: Object.fromEntries(
      Object.entries({
        'that has ended': ROW,
        'that is fresh': OTHER,
        'that is claimed': THIRD,
        'of nobody': '40000000-0000-4000-8000-000000000004',
      }).flatMap(([what, id]) =>
        ['a', 'b'].map((refused) => [
          `${what}, after ${refused} was refused`,
          `select claim_token($ws, '${id}', '${OTHER}', 60, '${refused}')`,
        ]),
      ),
    ),
  },
  settle_webhook: {
    rows: {
      webhook_states: [
        { webhook_id: ROW, leased_until: LATER, failing_since: PAST, last_failed_at: PAST, last_delivered_at: PAST },
        { webhook_id: OTHER, due_at: PAST },
      ],
      webhook_deliveries: [
        { id: ROW, webhook_id: ROW, claim_id: OTHER, record_id: ROW, state: 'pending', attempts: 2, log: [{ a: 1 }], response: { b: 2 } },
        { id: OTHER, webhook_id: ROW, claim_id: null, record_id: ROW, state: 'pending', due_at: null },
        { id: THIRD, webhook_id: ROW, claim_id: null, record_id: ROW, state: 'pending', due_at: null },
      ],
    },
    calls: Object.fromEntries(
      Object.entries({
        'that is delivered': { state: 'delivered', outcome: 'success', attempt: { at: 1 }, response: { c: 3 } },
        'that has failed': { state: 'failed', outcome: 'failure', attempt: { at: 1 } },
        'that is tried again': { state: 'pending', outcome: 'failure', seconds: 90, attempt: { at: 1 } },
        'that is released': { state: 'pending', released: true },
      }).map(([what, report]) => [what, `select settle_webhook($ws, '${ROW}', '${OTHER}', ${json([{ id: ROW, ...report }])})`]),
    ),
  },
  purge_by_running_job: {
    rows: {
      deletions: [
        { id: ROW, type: 'deletion', table_name: 'contacts', record_id: THIRD, state: 'running', ended_at: null },
        { id: OTHER, type: 'deletion', table_name: 'contacts', record_id: ROW, state: 'running', ended_at: null },
        { id: THIRD, type: 'restore', table_name: 'contacts', record_id: OTHER, state: 'running', ended_at: null },
      ],
    },
    calls: Object.fromEntries([ROW, OTHER, THIRD].map((id) => [`of ${id[0]}`, `select purge_by_running_job('${id}')`])),
  },
  'purge_by_running_job of a purge': {
    rows: {
      deletions: [
        { id: ROW, type: 'purge', table_name: 'contacts', record_id: THIRD, state: 'failed', ended_at: null, error: 'No', attempts: 9 },
      ],
    },
    calls: { 'that has failed': `select purge_by_running_job('${THIRD}')` },
  },
  add_email: {
    rows: {
      email_threads: [
        { id: ROW, direction: 'outbound', is_read: true, message_count: 3, last_message_at: PAST, status: 'archived', snippet: 'Before' },
        { id: OTHER, direction: 'outbound', is_read: true, message_count: 3, last_message_at: PAST, status: 'active' },
      ],
    },
    calls: {
      'to a thread': email({ occurred_at: '2026-02-02T00:00:00.5Z' }, { contact_id: OTHER, deal_id: THIRD }),
      'that was sent before the last one': email({ occurred_at: '2019-02-02T00:00:00.5Z' }, {}),
      'that is sent': email({ direction: 'outbound' }, {}),
      'that is automatic': email({ is_automatic: true }, {}),
      'of a new thread': email(
        { reference_ids: ['a'], to_emails: ['c@example.com'] },
        { id: THIRD, is_new: true, subject: 'Late', private_to: OTHER, customer_id: ROW },
      ),
      'that is sent, of a new thread': email(
        { direction: 'outbound' },
        { id: THIRD, is_new: true, subject: 'Late', outside_thread_id: 'x' },
      ),
    },
  },
  charge_recording: {
    rows: {
      notetakers: [{ id: ROW, credits: 10, credits_charged: 3, recorded_minutes: 5 }],
      credit_accounts: [{ balance: 4 }],
    },
    calls: { 'in part': `select charge_recording($ws, '${ROW}')`, 'of nobody': `select charge_recording($ws, '${THIRD}')` },
  },
}
