import * as v from 'valibot'
import type { BatchDelivery, BatchResult, BroadcastEmail, BroadcastProvider } from './broadcast-port.ts'
import { asker, failureIn, INACTIVE, jsonOf, type Options, REFUSALS } from './postmark.ts'

/** Postmark's default stream of broadcasts. */
const STREAM = 'broadcast'
/** The most messages of one call, and of one page of a search. */
const MAX = 500

const text = v.optional(v.nullable(v.string()), null)
const Results = v.array(v.object({ ErrorCode: v.number(), Message: text, MessageID: text }))
const Found = v.object({
  Messages: v.array(v.object({ MessageID: v.string(), Metadata: v.optional(v.nullable(v.record(v.string(), v.string()))) })),
})

/**
 * A client for the batches of Postmark (`POST /email/batch`, developer documentation, "Email API"), or of any service with the same API at
 * `url`.
 */
export function postmarkBroadcast({ url, token, timeoutMs = 30_000 }: Options): BroadcastProvider {
  const ask = asker({ url, token, timeoutMs })
  return {
    async sendBatch(emails) {
      try {
        const response = await ask('/email/batch', { method: 'POST', body: JSON.stringify(emails.map(messageOf)) })
        return deliveryOf(response.status, await jsonOf(response), emails.length)
      } catch (error) {
        // The connection broke or the response was unreadable: some may have been sent.
        return { outcome: 'unclear', reason: String(error) }
      }
    },
    async findBatch(key, value, by) {
      const query = new URLSearchParams({ count: String(MAX), offset: '0', messagestream: STREAM, [`metadata_${key}`]: value })
      const response = await ask(`/messages/outbound?${query}`)
      if (!response.ok) throw new Error(`The email provider answers a search with ${response.status}`)
      const { Messages } = v.parse(Found, await response.json())
      return new Map(Messages.flatMap(({ MessageID, Metadata }) => (Metadata?.[by] ? [[Metadata[by], MessageID] as const] : [])))
    },
  }
}

const messageOf = ({ from, to, reply_to, subject, text, html, tag, metadata, unsubscribe_url, tracking }: BroadcastEmail) => ({
  From: from,
  To: to,
  ...(reply_to && { ReplyTo: reply_to }),
  Subject: subject,
  TextBody: text,
  HtmlBody: html,
  Tag: tag,
  Metadata: metadata,
  MessageStream: STREAM,
  TrackOpens: tracking.opens,
  TrackLinks: tracking.clicks ? 'HtmlAndText' : 'None',
  Headers: [
    { Name: 'List-Unsubscribe', Value: `<${unsubscribe_url}>` },
    { Name: 'List-Unsubscribe-Post', Value: 'List-Unsubscribe=One-Click' },
  ],
})

/** A response of 200 has a result for each message, even when some fail. Another one below 500 accepted nothing. */
function deliveryOf(status: number, body: unknown, count: number): BatchDelivery {
  const results = v.safeParse(Results, body)
  if (status === 200 && results.success && results.output.length === count)
    return { outcome: 'answered', results: results.output.map(resultOf) }
  const { reason } = failureIn(status, body)
  return { outcome: status === 200 || status >= 500 ? 'unclear' : 'unavailable', reason }
}

function resultOf({ ErrorCode, Message, MessageID }: v.InferOutput<typeof Results>[number]): BatchResult {
  if (ErrorCode === 0 && MessageID) return { outcome: 'sent', message_id: MessageID }
  const reason = `${ErrorCode} ${Message ?? ''}`.trim()
  if (ErrorCode === INACTIVE) return { outcome: 'inactive', reason }
  return { outcome: REFUSALS.has(ErrorCode) ? 'refused' : 'unavailable', reason }
}
