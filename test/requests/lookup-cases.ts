import { OTHER, type Outcomes, ROW, THIRD } from './outcome-cases.ts'

const PAST = '2020-01-01T00:00:00Z'
/** Twelve rows, in another order than that of their ids. */
const many = (row: (id: string, n: number) => Record<string, unknown>) =>
  [7, 3, 11, 1, 9, 5, 12, 2, 10, 4, 8, 6].map((n) => row(`${n.toString(16)}0000000-0000-4000-8000-0000000000${n + 10}`, n))

/** What is found, or refused. */
export const LOOKUPS: Record<string, Outcomes> = {
  asked_for_review: {
    rows: {
      review_requests: [
        { id: OTHER, contact_id: ROW, created_at: '2026-02-02T00:00:00Z', status: 'sent' },
        { id: ROW, contact_id: ROW, created_at: '2026-02-03T00:00:00Z', status: 'sent' },
        { id: THIRD, contact_id: ROW, created_at: '2026-02-01T00:00:00Z', status: 'sent' },
        { contact_id: ROW, created_at: '2026-02-04T00:00:00Z', status: 'cancelled', sent_at: null },
        { contact_id: OTHER, created_at: '2026-02-05T00:00:00Z', status: 'cancelled', sent_at: PAST },
      ],
    },
    calls: {
      latest: `select asked_for_review('${ROW}', '2026-01-01')::date = '2026-02-03'`,
      'cancelled when it was sent': `select asked_for_review('${OTHER}', '2026-01-01')::date = '2026-02-05'`,
      since: `select asked_for_review('${ROW}', '2026-02-03T00:00:00Z') is null`,
    },
  },
  assert_unchanged: {
    rows: {},
    calls: Object.fromEntries(
      [
        ['"2026-01-01T00:00:00+00:00"', '"2026-01-01T00:00:00Z"'],
        ['"2026-01-01T00:00:00.120+00:00"', '"2026-01-01T00:00:00.12Z"'],
        ['"2026-01-01T00:00:00.000Z"', '"2026-01-01T00:00:00Z"'],
        ['"2026-01-01T00:00:00.001Z"', '"2026-01-01T00:00:00Z"'],
        ['"2026-01-01T00:00:01Z"', '"2026-01-01T00:00:00Z"'],
        ['["2026-01-01T00:00:00.500Z","2026-01-01T00:00:00.0Z"]', '["2026-01-01T00:00:00.5Z","2026-01-01T00:00:00Z"]'],
        ['null', '"a"'],
        ['"a"', 'null'],
        ['null', 'null'],
      ].map(([stored, sent]) => [
        `${stored} and ${sent}`,
        `select assert_unchanged('{"a": ${stored}, "b": 1}', '{"a": ${sent}, "b": 1}', '{"a": "It is read-only", "b": "It is too"}')`,
      ]),
    ),
  },
  list_tracking_batch: {
    rows: {
      tracked_lists: [{ list_id: ROW }],
      list_touches: [3, 1, 2].map((n) => ({ id: `${n}0000000-0000-4000-8000-00000000000${n}`, object: 'contacts', record_id: ROW })),
      feed_followers: [{ follower: 'lists' }],
    },
    calls: {
      'of two': `select list_tracking_batch($ws, 2, 3, 10) -> 'touches'`,
      'of ten': `select list_tracking_batch($ws, 10, 3, 10) -> 'touches'`,
    },
  },
  assert_unsent_attachment: {
    rows: {
      email_attachments: many((id) => ({ source_id: ROW, email_message_id: id })),
      message_media: many((id) => ({ source_id: OTHER, id, sms_message_id: id })),
    },
    calls: {
      'in emails': `select assert_unsent_attachment('${ROW}')`,
      'in messages': `select assert_unsent_attachment('${OTHER}')`,
      'in none': `select assert_unsent_attachment('${THIRD}')`,
    },
  },
  opportunities_of: {
    rows: {
      opportunities: many((id, n) => ({ id, name: `Deal ${n}` })),
      opportunity_contacts: many((id) => ({ opportunity_id: id, contact_id: ROW })),
    },
    calls: { 'of twelve': `select opportunities_of('${ROW}')`, 'of none': `select opportunities_of('${OTHER}')` },
  },
  stakeholder_types_of: {
    rows: {
      stakeholder_types: many((id, n) => ({ id, name: `Type ${n}` })),
      stakeholder_members: many((id) => ({ type_id: id, contact_id: ROW })),
    },
    calls: { 'of twelve': `select stakeholder_types_of('${ROW}')`, 'of none': `select stakeholder_types_of('${OTHER}')` },
  },
  static_lists_of: {
    rows: {
      lists: many((id, n) => ({ id, name: `List ${n}`, kind: 'static', object: 'contacts', archived: n === 5 })),
      list_members: many((id) => ({ list_id: id, contact_id: ROW })),
    },
    calls: { 'of twelve': `select static_lists_of('${ROW}')`, 'of none': `select static_lists_of('${OTHER}')` },
  },
  assert_few_confirmations: {
    rows: {
      booking_confirmations: ['a', 'a', 'a', 'b'].map((email_hash, n) => ({
        email_hash,
        created_at: n === 0 ? PAST : '2100-01-01T00:00:00Z',
      })),
    },
    calls: {
      'one fewer than there may be': `select assert_few_confirmations('a', 3)`,
      'as many as there may be': `select assert_few_confirmations('a', 2)`,
    },
  },
  assert_mailbox_connected: {
    rows: {
      mailboxes: [
        { id: OTHER, status: 'disconnected' },
        { id: ROW, status: 'connected' },
      ],
    },
    calls: Object.fromEntries(
      Object.entries({ connected: ROW, disconnected: OTHER, unknown: THIRD }).map(([what, id]) => [
        `a mailbox that is ${what}`,
        `select assert_mailbox_connected('${id}')`,
      ]),
    ),
  },
}
