import * as v from 'valibot'
import { EMAIL_EVENT_KINDS } from '../domain/campaigns/events.ts'
import { MAX_LINK } from '../domain/campaigns/limits.ts'
import { Id } from './fields.ts'

/** What the email provider reports about a message, as a queue carries it. */
export const EmailEvent = v.object({
  kind: v.picklist(EMAIL_EVENT_KINDS),
  recipient_id: v.nullable(Id),
  message_id: v.nullable(Id),
  provider_message_id: v.nullable(v.pipe(v.string(), v.maxLength(100))),
  at: v.pipe(v.string(), v.isoTimestamp()),
  note: v.nullable(v.pipe(v.string(), v.maxLength(500))),
  url: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(MAX_LINK))), null),
})
