import * as v from 'valibot'
import type { Attached, Delivery, Email, EmailProvider } from './port.ts'

export type Options = { url: string; token: string; timeoutMs?: number }

const text = v.optional(v.nullable(v.string()), null)
const Reply = v.object({ ErrorCode: v.optional(v.nullable(v.number()), null), Message: text, MessageID: text })
const Found = v.object({ Messages: v.array(v.object({ MessageID: v.string() })) })

/** Error codes in the response body that concern the message itself, so that a retry cannot help. */
export const REFUSALS = new Set([300, 402, 403, 409, 411])
/** The error code of a recipient whom the provider has blocked. */
export const INACTIVE = 406

/** The status of a message of more than 10 MB. */
const TOO_LARGE = 413

/** A client for Postmark, or any service with the same API at `url`. `send` never throws: every failure is an outcome. */
export function postmark({ url, token, timeoutMs = 10_000 }: Options): EmailProvider {
  const ask = asker({ url, token, timeoutMs })
  return {
    async send(email) {
      try {
        const signal = email.attachments?.length ? AbortSignal.timeout(3 * timeoutMs) : undefined
        const response = await ask('/email', { method: 'POST', body: JSON.stringify(messageOf(email)), ...(signal && { signal }) })
        return deliveryOf(response.status, await jsonOf(response))
      } catch (error) {
        // The connection broke: the message may have been sent.
        return { outcome: 'unclear', reason: String(error) }
      }
    },
    async find(key, value) {
      const query = new URLSearchParams({ count: '1', offset: '0', [`metadata_${key}`]: value })
      const response = await ask(`/messages/outbound?${query}`)
      if (!response.ok) throw new Error(`The email provider answers a search with ${response.status}`)
      return v.parse(Found, await response.json()).Messages[0]?.MessageID
    },
  }
}

/** Sends requests to the provider. */
export function asker({ url, token, timeoutMs }: Required<Options>) {
  const headers = { Accept: 'application/json', 'Content-Type': 'application/json', 'X-Postmark-Server-Token': token }
  return (path: string, init: RequestInit = {}) => fetch(url + path, { signal: AbortSignal.timeout(timeoutMs), ...init, headers })
}

/** The JSON of a response; undefined for another form, such as the page of a proxy: then the status says what is known. */
export const jsonOf = (response: Response): Promise<unknown> => response.json().catch(() => undefined)

/** The error code of a response, if it has one, and what it says. */
export function failureIn(status: number, body: unknown) {
  const reply = v.safeParse(Reply, body)
  const {
    ErrorCode: code,
    Message,
    MessageID: messageId,
  } = reply.success ? reply.output : { ErrorCode: null, Message: null, MessageID: null }
  return { code, reason: `${code ?? status} ${Message ?? ''}`.trim(), messageId }
}

const messageOf = ({
  from,
  to,
  cc = [],
  bcc = [],
  replyTo,
  headers = {},
  attachments = [],
  subject,
  text,
  html,
  tag,
  metadata,
}: Email) => ({
  From: from,
  To: to,
  ...(cc.length > 0 && { Cc: cc.join(', ') }),
  ...(bcc.length > 0 && { Bcc: bcc.join(', ') }),
  ...(replyTo && { ReplyTo: replyTo }),
  ...(Object.keys(headers).length > 0 && { Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })) }),
  ...(attachments.length > 0 && { Attachments: attachments.map(attachmentOf) }),
  Subject: subject,
  TextBody: text,
  HtmlBody: html,
  Tag: tag,
  Metadata: metadata,
  MessageStream: 'outbound',
  TrackOpens: false,
  TrackLinks: 'None',
})

const attachmentOf = ({ name, content_type, content }: Attached) => ({ Name: name, Content: content, ContentType: content_type })

/** Error codes and HTTP statuses use the same numbers with different meanings: the code in the body takes precedence over the status. */
function deliveryOf(status: number, body: unknown): Delivery {
  const { code, reason, messageId } = failureIn(status, body)
  if (status === 200 && code === 0 && messageId) return { outcome: 'sent', message_id: messageId }
  if (status >= 500 || status === 200) return { outcome: 'unclear', reason }
  if (status === TOO_LARGE) return { outcome: 'refused', reason }
  return { outcome: status === 422 && (code === INACTIVE || REFUSALS.has(code ?? 0)) ? 'refused' : 'unavailable', reason }
}
