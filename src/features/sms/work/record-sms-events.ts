import type { MessageOf } from '../../../../queues/messages.ts'
import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { wake } from '../../../wake.ts'
import { toReservation } from '../../messages/plans/send-message.ts'
import { DELIVERY_STATUSES } from '../../messages/rules/messages.ts'
import { HELP_TEXT, keywordOf, smsSuppressionOf } from '../rules/sms.ts'
import type { SmsReceived, SmsReport } from '../schemas/sms-events.ts'

const RANKS = JSON.stringify(Object.fromEntries(DELIVERY_STATUSES.map((status, rank) => [status, rank])))

/**
 * Stores the messages that the SMS provider has received, and records its reports: one statement for each message, and one for all reports
 * of a workspace. They may come in any order, and repeatedly.
 */
export async function recordSmsEvents(env: Env, posted: MessageOf<'sms.event'>[]): Promise<void> {
  const database = jobsDatabaseOf(env)
  for (const [workspace, messages] of Map.groupBy(posted, ({ workspace_id }) => workspace_id)) {
    const reports = messages.flatMap(({ event }) => (event.kind === 'report' ? [rowOf(event)] : []))
    const received = messages.flatMap(({ event }) => (event.kind === 'received' ? [event] : []))
    await batch(database, [
      ...(reports.length > 0 ? [call('record_sms_reports', workspace, JSON.stringify(reports), RANKS)] : []),
      ...received.map((event) => call('receive_sms', workspace, JSON.stringify(messageOf(event)))),
    ])
    // The response to HELP is in the send ledger, and followers of the feed wait for the message.
    if (received.length > 0) await wake(env, 'messages.send', workspace)
    if (received.some(({ media_count }) => media_count > 0)) await wake(env, 'media.fetch', workspace)
    if (received.length > 0) await wake(env, 'events.deliver', workspace)
  }
}

function rowOf({ message_id, provider_message_id, status, error_code }: SmsReport) {
  const isFailed = status === 'failed' || status === 'undelivered'
  return { message_id, provider_message_id, status, note: error_code, suppress: isFailed ? smsSuppressionOf(error_code ?? '') : null }
}

/** What receive_sms takes. The provider has replied to a keyword that it has recognised itself. */
function messageOf({ keyword, ...sms }: SmsReceived) {
  const found = keyword ?? keywordOf(sms.body) ?? null
  const reply = toReservation({
    channel: 'sms',
    purpose: 'sms',
    contact_id: null,
    recipient: sms.from,
    subject: null,
    text: HELP_TEXT,
    html: null,
    dedupe_key: `sms_help:${sms.provider_message_id}`,
    sender_phone: sms.to,
  })
  // Whoever asks for help gets it, also from a workspace without credits.
  return { ...sms, keyword: found, reply: keyword === 'help' || 'code' in reply ? null : { ...reply, credits: 0 } }
}
