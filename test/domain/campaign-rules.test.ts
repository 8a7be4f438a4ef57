import { expect, test } from 'vitest'
import { reconciled, settled } from '../../src/features/campaigns/plans/outcomes.ts'
import { winnerOf } from '../../src/features/campaigns/rules/ab-tests.ts'
import { emailEventOf } from '../../src/features/campaigns/rules/events.ts'
import { MAX_MESSAGE_ATTEMPTS } from '../../src/features/messages/rules/messages.ts'

const NOW = new Date('2026-11-28T09:00:00Z')
const ID = '019a0000-0000-7000-8000-000000000001'
const SENT = { MessageID: 'm', Metadata: { workspace_id: ID, recipient_id: ID } }

test.each([
  [{ RecordType: 'Delivery' }, 'delivered'],
  [{ RecordType: 'Open' }, 'opened'],
  [{ RecordType: 'Click' }, 'clicked'],
  [{ RecordType: 'SpamComplaint' }, 'complained'],
  [{ RecordType: 'Bounce', Type: 'SpamComplaint' }, 'complained'],
  [{ RecordType: 'Bounce', Type: 'Unsubscribe' }, 'unsubscribed'],
  [{ RecordType: 'Bounce', Type: 'HardBounce' }, 'blocked'],
  [{ RecordType: 'Bounce', Type: 'BadEmailAddress' }, 'blocked'],
  [{ RecordType: 'Bounce', Type: 'ManuallyDeactivated' }, 'blocked'],
  [{ RecordType: 'Bounce', Type: 'SoftBounce' }, 'bounced'],
  [{ RecordType: 'Bounce', Type: 'SoftBounce', Inactive: false }, 'bounced'],
  [{ RecordType: 'Bounce', Type: 'SoftBounce', Inactive: true }, 'blocked'],
  [{ RecordType: 'Bounce', Type: 'Transient' }, undefined],
  [{ RecordType: 'Bounce', Type: 'AutoResponder' }, undefined],
  [{ RecordType: 'SubscriptionChange', SuppressSending: true, SuppressionReason: 'HardBounce' }, 'blocked'],
  [{ RecordType: 'SubscriptionChange', SuppressSending: true, SuppressionReason: 'SpamComplaint' }, 'complained'],
  [{ RecordType: 'SubscriptionChange', SuppressSending: true, SuppressionReason: 'ManualSuppression' }, 'unsubscribed'],
  [{ RecordType: 'SubscriptionChange', SuppressSending: false, SuppressionReason: null }, undefined],
  [{ RecordType: 'SubscriptionChange', SuppressionReason: 'HardBounce' }, undefined],
  [{ RecordType: 'AddedLater' }, undefined],
])('what the provider reports as %j is: %s', (posted, kind) => {
  expect(emailEventOf({ ...SENT, ...posted }, NOW)?.event.kind).toBe(kind)
})

test('a report needs a workspace and a recipient, or a message of the ledger, that its metadata names', () => {
  const read = (Metadata: unknown) => emailEventOf({ RecordType: 'Delivery', Metadata }, NOW)
  expect(read({ workspace_id: ID, message_id: ID })?.event).toMatchObject({ message_id: ID, recipient_id: null })
  expect(read({ workspace_id: ID, recipient_id: ID })?.event).toMatchObject({ message_id: null, recipient_id: ID })
  for (const metadata of [null, 'text', {}, { workspace_id: ID }, { recipient_id: ID }, { workspace_id: 'x', recipient_id: ID }])
    expect([metadata, read(metadata)]).toEqual([metadata, undefined])
  expect(read({ workspace_id: ID, recipient_id: 'x' })).toBeUndefined()
  for (const body of [null, 'text', undefined, 1]) expect(emailEventOf(body, NOW)).toBeUndefined()
})

test('a report without a time, with one that cannot be read, or with one that is yet to come is about now', () => {
  const at = (times: object) => emailEventOf({ ...SENT, RecordType: 'Delivery', ...times }, NOW)?.event.at
  const now = NOW.toISOString()
  expect([at({}), at({ DeliveredAt: '' }), at({ DeliveredAt: 'soon' }), at({ DeliveredAt: '2027-01-01T00:00:00Z' })]).toEqual(
    Array.from({ length: 4 }, () => now),
  )
  const before = '2026-11-27T08:00:00.000Z'
  for (const name of ['DeliveredAt', 'BouncedAt', 'ReceivedAt', 'ChangedAt']) expect([name, at({ [name]: before })]).toEqual([name, before])
  expect(emailEventOf({ ...SENT, MessageID: '', RecordType: 'Delivery' }, NOW)?.event.provider_message_id).toBeNull()
})

const claimed = (attempts: number) => ({ id: ID, attempts })

test('what the provider has answered about each email of a batch decides its outcome', () => {
  const of = (attempts: number, ...results: object[]) =>
    settled(
      results.map(() => claimed(attempts)),
      { outcome: 'answered', results: results as never },
    )
  const sent = { outcome: 'sent', message_id: 'm' }
  const [inactive, refused, unavailable] = ['inactive', 'refused', 'unavailable'].map((outcome) => ({ outcome, reason: '405 No credits' }))
  expect(of(1, sent, inactive!, refused!, unavailable!)).toMatchObject({
    refused: null,
    wait: 0,
    outcomes: [
      { status: 'sent', provider_message_id: 'm', error: null },
      { status: 'bounced', error: '405 No credits', wait: 0 },
      { status: 'failed', error: '405 No credits', wait: 0 },
      { status: 'queued', error: '405 No credits', wait: expect.any(Number) },
    ],
  })
  // A provider that accepts none of them has a reason that is not theirs.
  const none = of(1, unavailable!, unavailable!)
  expect([none.refused, none.wait > 0, none.outcomes[0]!.wait > 0]).toEqual(['405 No credits', true, true])
  expect(of(MAX_MESSAGE_ATTEMPTS, unavailable!, unavailable!)).toMatchObject({
    refused: '405 No credits',
    outcomes: [{ status: 'queued' }, { status: 'queued' }],
  })
  // Of others it has accepted some, and this one not once.
  expect(of(MAX_MESSAGE_ATTEMPTS, sent, unavailable!)).toMatchObject({ refused: null, wait: 0, outcomes: [{}, { status: 'failed' }] })
  expect(of(MAX_MESSAGE_ATTEMPTS - 1, sent, unavailable!)).toMatchObject({ refused: null, outcomes: [{}, { status: 'queued' }] })
  expect(of(1)).toEqual({ outcomes: [], refused: null, wait: 0 })
  // An answer that is shorter than the batch says nothing about the rest.
  expect(settled([claimed(1)], { outcome: 'answered', results: [] })).toMatchObject({
    outcomes: [{ status: 'queued', error: '' }],
    refused: '',
  })
})

test('an email whose outcome is not known is sent again only if the provider does not have it, and fails in the end', () => {
  const since = (days: number) => new Date(NOW.getTime() - days * 86_400_000).toISOString()
  const of = (attempts: number, days: number, found: Map<string, string> | { error: string }) =>
    reconciled([{ ...claimed(attempts), created_at: since(days) }], found, NOW).outcomes[0]
  const down = { error: 'drop' }
  expect(of(1, 2.9, down)).toMatchObject({ status: 'unclear', error: 'drop', wait: 120 })
  expect(of(1, 3.1, down)).toMatchObject({ status: 'failed', error: expect.stringContaining('not known whether the email was sent') })
  expect(of(9, 3.1, new Map([[ID, 'm']]))).toMatchObject({ status: 'sent', provider_message_id: 'm', error: null })
  expect(of(MAX_MESSAGE_ATTEMPTS - 1, 3.1, new Map())).toMatchObject({ status: 'queued', error: null })
  expect(of(MAX_MESSAGE_ATTEMPTS, 0, new Map())).toMatchObject({
    status: 'failed',
    error: `The provider did not accept it in ${MAX_MESSAGE_ATTEMPTS} attempts`,
  })
})

test.each([
  ['a draw', 'opens', { a_recipients: 10, b_recipients: 10, a_opened: 2, b_opened: 2 }, 'a'],
  ['no data', 'opens', {}, 'a'],
  ['more opens', 'opens', { a_recipients: 10, b_recipients: 10, a_opened: 2, b_opened: 3 }, 'b'],
  ['the same number of a smaller half', 'opens', { a_recipients: 10, b_recipients: 9, a_opened: 2, b_opened: 2 }, 'b'],
  ['those who were not reached', 'opens', { a_recipients: 10, b_recipients: 10, b_failed: 5, b_queued: 1, a_opened: 3, b_opened: 2 }, 'b'],
  ['a click, which is an open', 'opens', { a_recipients: 4, b_recipients: 4, a_opened: 1, b_opened: 1, b_clicked: 1 }, 'b'],
  ['clicks alone', 'clicks', { a_recipients: 4, b_recipients: 4, a_clicked: 1, b_opened: 4 }, 'a'],
  ['a subject that nobody got', 'opens', { a_recipients: 2, a_failed: 2, b_recipients: 2, b_opened: 1 }, 'b'],
  ['neither of which anybody got', 'opens', { a_recipients: 2, a_failed: 2, b_recipients: 2, b_failed: 2 }, 'a'],
] as const)('the better subject: %s', (_, by, counts, winner) => {
  expect(winnerOf(by, counts)).toBe(winner)
})
