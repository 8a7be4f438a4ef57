import type { Ids } from './samples.ts'

const snoozed = () => ({ status: 'snoozed', snoozed_until: new Date(Date.now() + 86_400_000).toISOString() })

/** A snooze ends within a year. */
export const INBOX_OVER: Record<string, (ids: Ids) => { body: Record<string, unknown> }> = {
  'PATCH /conversations/:conversation_id': () => ({ body: snoozed() }),
  'POST /conversations/bulk-update': ({ conversation_id }) => ({
    body: { records: [{ id: conversation_id, ...snoozed(), unread: true }] },
  }),
}
