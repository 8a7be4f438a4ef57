import * as v from 'valibot'
import { EMAIL_MAX } from '../../../domain/patterns.ts'
import { Id } from '../../../schemas/fields.ts'
import { EMAIL_EVENT_KINDS } from '../../campaigns/rules/events.ts'
import { MAX_LINK } from '../../campaigns/rules/limits.ts'

/** What the email provider reports about a message, as a queue carries it. */
export const EmailEvent = v.object({
  kind: v.picklist(EMAIL_EVENT_KINDS),
  recipient_id: v.nullable(Id),
  message_id: v.nullable(Id),
  address: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(EMAIL_MAX))), null),
  provider_message_id: v.nullable(v.pipe(v.string(), v.maxLength(100))),
  at: v.pipe(v.string(), v.isoTimestamp()),
  note: v.nullable(v.pipe(v.string(), v.maxLength(500))),
  url: v.optional(v.nullable(v.pipe(v.string(), v.maxLength(MAX_LINK))), null),
})
