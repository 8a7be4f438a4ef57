import type { Case } from './late-calls.ts'

const outcome = (more = '{}') =>
  `jsonb_build_array(jsonb_build_object('id', t.id, 'attempts', t.attempts, 'status', 'failed', 'error', 'late') || '${more}')`
const ANOTHER = "'00000000-0000-4000-8000-000000000009'"
/** A conversation in the mailbox of a member. */
const thread = (id: string, member: string) =>
  `insert into email_threads (workspace_id, id, subject, direction, private_to) values ($ws, ${id}, 'Late', 'outbound', ${member})`

/** What workers store about messages that were handed to a provider. */
export const MESSAGES: Record<string, Case> = {
  settle_messages: {
    table: 'messages',
    set: "status = 'sending', attempts = 3, due_at = now()",
    args: { p_outcomes: outcome() },
    changes: 'messages',
    late: {
      'another attempt': { p_outcomes: outcome('{"attempts": 2}') },
      'a message that was sent': "set status = 'sent'",
      'a message that has failed': "set status = 'failed'",
    },
  },
  'settle_messages of an attempt that was repeated and sent': {
    table: 'messages',
    set: "status = 'sending', attempts = 3, due_at = now()",
    args: { p_outcomes: outcome('{"attempts": 2, "status": "sent"}') },
    changes: 'messages',
    late: { 'a message that was sent': "set status = 'sent'" },
  },
  'settle_messages of an email that was sent': {
    table: 'messages',
    set: `status = 'sending', attempts = 3, due_at = now(), channel = 'email', thread_id = $other, private_to = $other,
      contact_id = (select id from contacts where workspace_id = $ws order by id limit 1)`,
    before: [thread('$other', '$other'), thread(ANOTHER, '$other')],
    args: { p_outcomes: outcome('{"status": "sent", "outside_thread_id": "late"}') },
    changes: 'email_threads',
    also: ['messages', 'email_threads', 'activities', 'whatsapp_receipts', 'changes_open', 'outbox_open'],
    afterwards: `select array_agg(id) = array[$other::uuid]
      and (select count(*) = 1 from activities where workspace_id = $ws and metadata ->> 'message_id' = $row and private_to = $other)
      from email_threads where workspace_id = $ws and outside_thread_id = 'late'`,
    late: {
      'the thread of another member': `update email_threads set private_to = $row where id = $other`,
      'a message of nobody': 'set contact_id = null, deal_id = null',
      'a message of another kind': "set channel = 'whatsapp'",
    },
  },
  'settle_messages of a number that takes none': {
    table: 'messages',
    set: "status = 'sending', attempts = 3, due_at = now(), channel = 'sms', recipient = '+61491570159'",
    args: { p_outcomes: outcome('{"suppress": "hard_bounce"}') },
    changes: 'suppressions',
    also: ['messages', 'changes_open', 'outbox_open'],
    late: { 'a message of another channel': "set channel = 'whatsapp'" },
  },
}
