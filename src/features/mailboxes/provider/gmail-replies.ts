import * as v from 'valibot'
import type { MailPart } from '../../email/rules/mail-parts.ts'

const Text = (most: number) => v.pipe(v.string(), v.maxLength(most))
const Id = Text(200)

export const AccountReply = v.object({ sub: Text(1000), email: Text(320), name: v.optional(v.nullable(Text(300)), null) })
export const AliasesReply = v.object({
  sendAs: v.optional(
    v.array(
      v.object({
        sendAsEmail: Text(320),
        displayName: v.optional(v.nullable(Text(1000)), ''),
        isPrimary: v.optional(v.nullable(v.boolean()), false),
        verificationStatus: v.optional(v.nullable(v.string())),
      }),
    ),
    [],
  ),
})
export const SentReply = v.object({ id: Id, threadId: Id })
export const ListReply = v.object({ messages: v.optional(v.array(SentReply), []), nextPageToken: v.optional(Text(1000)) })
export const ProfileReply = v.object({ emailAddress: Text(320), historyId: Id })
export const HistoryReply = v.object({
  history: v.optional(
    v.array(
      v.object({
        id: Id,
        messagesAdded: v.optional(v.array(v.object({ message: v.object({ id: Id }) })), []),
        labelsRemoved: v.optional(v.array(v.object({ message: v.object({ id: Id }), labelIds: v.optional(v.array(v.string()), []) })), []),
      }),
    ),
    [],
  ),
  historyId: Id,
  nextPageToken: v.optional(Text(1000)),
})
export const WatchReply = v.object({ historyId: Id, expiration: v.pipe(v.string(), v.regex(/^\d{1,15}$/)) })
export const AttachmentReply = v.object({ data: v.string() })

const Headers = v.optional(v.array(v.object({ name: v.string(), value: v.string() })), [])
/** Parts are nested; what is deeper than this is left out. */
const DEPTH = 20
const Part: v.GenericSchema<unknown, PartReply> = v.object({
  mimeType: v.optional(v.string(), ''),
  filename: v.optional(v.string(), ''),
  headers: Headers,
  body: v.optional(
    v.object({ data: v.optional(v.string()), attachmentId: v.optional(v.string()), size: v.optional(v.number(), 0) }),
    () => ({ size: 0 }),
  ),
  parts: v.optional(v.array(v.lazy(() => Part)), []),
})
type PartReply = {
  mimeType: string
  filename: string
  headers: { name: string; value: string }[]
  body: { data?: string | undefined; attachmentId?: string | undefined; size: number }
  parts: PartReply[]
}
export const MessageReply = v.object({
  id: Id,
  threadId: Id,
  labelIds: v.optional(v.nullable(v.array(v.string())), []),
  internalDate: v.pipe(v.string(), v.regex(/^\d{1,15}$/)),
  payload: v.optional(Part, { headers: [] }),
})

export const partOf = ({ mimeType, filename, headers, body, parts }: PartReply, depth = 0): MailPart => ({
  mime_type: mimeType.toLowerCase(),
  filename,
  headers,
  size: body.size,
  data: body.data ?? null,
  attachment_id: body.attachmentId ?? null,
  parts: depth < DEPTH ? parts.map((one) => partOf(one, depth + 1)) : [],
})
