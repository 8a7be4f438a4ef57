import * as v from 'valibot'
import { asker, type Options } from './postmark.ts'

const text = v.optional(v.nullable(v.string()))
const Details = v.object({
  Metadata: v.optional(v.nullable(v.record(v.string(), v.string())), {}),
  MessageEvents: v.array(
    v.object({
      Type: v.string(),
      ReceivedAt: v.string(),
      Details: v.optional(v.nullable(v.looseObject({ Link: text, Summary: text })), {}),
    }),
  ),
})

/** How an event of a message is reported by a webhook (developer documentation, "Messages API" and "Webhooks"). */
const REPORTS: Record<string, string> = { Delivered: 'Delivery', Opened: 'Open', LinkClicked: 'Click', Bounced: 'Bounce' }

/**
 * A client for what Postmark knows of a message that it has accepted: its events, as its webhooks would have reported them. Of a bounce it
 * is not known here whether it is final. Empty for a message that the provider no longer has; throws when there is no response.
 */
export function postmarkDetails({ url, token, timeoutMs = 10_000 }: Options) {
  const ask = asker({ url, token, timeoutMs })
  return async (messageId: string): Promise<Record<string, unknown>[]> => {
    const response = await ask(`/messages/outbound/${encodeURIComponent(messageId)}/details`)
    if (response.status === 404 || response.status === 422) return []
    if (!response.ok) throw new Error(`The email provider answers with ${response.status}`)
    const { Metadata, MessageEvents } = v.parse(Details, await response.json())
    return MessageEvents.flatMap(({ Type, ReceivedAt, Details: details }) => {
      const RecordType = REPORTS[Type]
      if (RecordType === undefined) return []
      const more = { OriginalLink: details?.Link, Description: details?.Summary, Type: 'SoftBounce' }
      return [{ RecordType, MessageID: messageId, Metadata, ReceivedAt, ...more }]
    })
  }
}
