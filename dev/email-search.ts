import type { EmailEmulator, SentEmail } from './email-emulator.ts'
import type { Reply } from './local-server.ts'

/** `GET /messages/outbound`: finds sent messages by recipient, tag or metadata, newest first. */
export function search(sent: SentEmail[], query: URLSearchParams) {
  const matches = sent.filter((message) =>
    [...query].every(([name, value]) => {
      if (name === 'recipient') return recipientsOf(message).includes(value.toLowerCase())
      if (name === 'tag') return message.Tag === value
      if (name === 'subject') return message.Subject === value
      if (name === 'messagestream') return (message.MessageStream ?? 'outbound') === value
      if (name.startsWith('metadata_')) return message.Metadata?.[name.slice('metadata_'.length)] === value
      return true
    }),
  )
  const offset = Number(query.get('offset') ?? 0)
  const page = matches.reverse().slice(offset, offset + Number(query.get('count') ?? 500))
  return { TotalCount: matches.length, Messages: page.map(shown) }
}

/** `GET /messages/outbound/:id/details`: a message with what has happened to it. */
export function details({ sent, events }: EmailEmulator, id: string): Reply {
  const message = sent.find(({ MessageID }) => MessageID === id)
  if (!message) return [422, { ErrorCode: 701, Message: 'This message was not found.' }]
  const { TextBody = '', HtmlBody = '', Subject = '' } = message
  const [Recipient = ''] = recipientsOf(message)
  const MessageEvents = (events.get(id) ?? []).map((event) => ({ Recipient, ...event }))
  return [200, { ...shown(message), TextBody, HtmlBody, Body: `Subject: ${Subject}\r\n\r\n${TextBody}`, MessageEvents }]
}

/** A message with every field that Postmark's package gives it (https://www.npmjs.com/package/postmark). */
function shown(message: SentEmail) {
  const { MessageID, Tag = '', From = '', Subject = '', SubmittedAt, Metadata = {}, MessageStream = 'outbound', Attachments = [] } = message
  const people = (list: string | undefined) => addresses(list).map((Email) => ({ Email, Name: null }))
  return {
    MessageID,
    Tag,
    To: people(message.To),
    Cc: people(message.Cc),
    Bcc: people(message.Bcc),
    Recipients: recipientsOf(message),
    ReceivedAt: SubmittedAt,
    From,
    Subject,
    Attachments: Attachments.map(({ Name }) => Name),
    Status: 'Sent',
    TrackOpens: message.TrackOpens ?? false,
    TrackLinks: message.TrackLinks ?? 'None',
    Metadata,
    MessageStream,
    Sandboxed: false,
  }
}

const recipientsOf = ({ To, Cc, Bcc }: SentEmail) => [To, Cc, Bcc].flatMap(addresses)

/** The bare addresses of a recipient list; a quoted name may hold a comma. */
export const addresses = (list: string | undefined) => (list ? list.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map(bareAddress) : [])

export const bareAddress = (text: string) => (/<([^<>]+)>\s*$/.exec(text)?.[1] ?? text).trim().toLowerCase()
