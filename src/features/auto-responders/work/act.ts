import { type SQL, sql } from 'drizzle-orm'
import type { Claimed } from '../../../../queues/work/kind.ts'
import { wake } from '../../../wake.ts'
import type { Decided } from '../plans/answer.ts'
import type { ResponderChannel } from '../rules/auto-responders.ts'
import type { Acting } from './acting.ts'

/** A reply that is due, with what was received. */
export type Message = {
  responder_id: string
  key_id: string | null
  enabled: boolean
  channel: ResponderChannel
  conversation_id: string
  /** The messages of the conversation: it is replied to only while they are so many. */
  message_count: number
  contact_id: string | null
  subject: string | null
  from: string | null
  phone_number_id: string | null
  email_config_id: string | null
  /** The latest messages, the last one last. */
  texts: { id: string; direction: 'inbound' | 'outbound'; text: string }[]
  /** Replies in the conversation within 24 hours. */
  replies: number
}

/** Sends the reply, asks for its approval, or adds a task for the people. The reply ends in the same transaction. */
export async function act(
  acting: Acting,
  { env, workspaceId, id, claimId, item }: Claimed<Message>,
  decided: Decided,
  columns: object,
): Promise<void> {
  const sends = decided.action === 'auto_respond'
  const { operation, body } = sends ? replyOf(item, decided) : taskOf(item, decided)
  const ending = (outcome: string, messages: number) => (finished: SQL) => {
    const reason = decided.reasons.join('. ').slice(0, 500).toWellFormed() || null
    const end = { ...columns, id, claim_id: claimId, outcome, messages, reason }
    return sql`end_auto_reply(${workspaceId}::uuid, ${JSON.stringify(end)}::jsonb, ${finished})`
  }
  const { message_count: read } = item
  const outcome = await acting.send(
    operation,
    { body: { ...body, ...(decided.forced_to_approval && { require_approval: true }) } },
    {
      step: `auto_reply:${id}`,
      ending: { done: sends ? ending('sent', read + 1) : ending('escalated', read), held: ending('held', read) },
    },
  )
  if (outcome.wakes) await wake(env, outcome.wakes, workspaceId)
  if (outcome.delivers) await wake(env, 'events.deliver', workspaceId)
}

const replyOf = ({ channel, conversation_id, email_config_id }: Message, { draft }: Decided) =>
  channel === 'sms'
    ? { operation: 'sendSms', body: { conversation_id, text: draft } }
    : { operation: 'replyToEmailThread', body: { thread_id: conversation_id, config_id: email_config_id, text: draft } }

const MOST_QUOTED = 1_000

function taskOf({ channel, contact_id, from, texts }: Message, { category }: Decided) {
  const title = `Reply to ${from ?? 'a customer'} (${channel === 'sms' ? 'SMS' : 'email'}, ${category?.replaceAll('_', ' ')})`.slice(0, 200)
  const description = (texts.at(-1)?.text ?? '').slice(0, MOST_QUOTED).toWellFormed()
  return { operation: 'createTask', body: { title: title.toWellFormed(), description, ...(contact_id && { contact_id }) } }
}
