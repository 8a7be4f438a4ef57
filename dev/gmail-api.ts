import { type GmailBox, type GmailMessage, type GmailWorld, headerOf } from './gmail-world.ts'
import { type ApiCall, refusal } from './google-api.ts'
import type { Reply } from './local-server.ts'
import { decodedHeader, type MimePart, textOfMime } from './mime-reader.ts'

const WEEK_MS = 604_800_000
/** Larger texts are fetched by their attachmentId. */
const INLINE = 10_000
const ME = '/gmail/v1/users/me'
const MESSAGE = /^\/gmail\/v1\/users\/me\/messages\/([^/]+)(?:\/attachments\/([^/]+))?$/

export const isGmail = (path: string) => path.startsWith(`${ME}/`)

/** The most characters of an email in JSON: larger ones are uploaded. */
const MOST_RAW = 5_000_000
/** The body of an upload, as the call without one has it; undefined for a body that is none (uploadType=multipart). */
export function uploaded(type: string, text: string): ApiCall['body'] | undefined {
  const boundary = /^multipart\/related;\s*boundary="?([^";]+)/.exec(type)?.[1]
  const [, facts, email, end] = boundary === undefined ? [] : text.split(new RegExp(`(?:^|\\r\\n)--${boundary}`))
  const [, json] = /^\r\nContent-Type: application\/json[^\r]*\r\n\r\n(.*)$/s.exec(facts ?? '') ?? []
  const [, raw] = /^\r\nContent-Type: message\/rfc822\r\n\r\n(.*)$/s.exec(email ?? '') ?? []
  if (json === undefined || raw === undefined || !end?.startsWith('--')) return undefined
  return { ...JSON.parse(json), upload: Buffer.from(raw).toString('base64url') }
}

/** The name by which the failures of a call are switched. */
export function gmailRouteOf(path: string): string {
  const plain = { '/messages/send': 'send', '/messages': 'list', '/settings/sendAs': 'sendAs', '/history': 'history' }[
    path.slice(ME.length)
  ]
  if (plain) return `gmail.${plain}`
  const [, , attachment] = MESSAGE.exec(path) ?? []
  if (attachment !== undefined) return 'gmail.attachment'
  return MESSAGE.test(path) ? 'gmail.get' : `gmail.${path.slice(ME.length + 1)}`
}

/** Carries out a call of the emulated Gmail (https://developers.google.com/gmail/api/reference/rest). */
export function callGmail(world: GmailWorld, { email, path, query, body }: ApiCall): Reply {
  const box = world.box(email)
  switch (gmailRouteOf(path)) {
    case 'gmail.send':
      return send(world, email, body)
    case 'gmail.sendAs':
      return [200, { sendAs: box.aliases }]
    case 'gmail.profile':
      return [200, { emailAddress: email, messagesTotal: box.messages.size, historyId: String(box.changes) }]
    case 'gmail.list':
      return list(box, query, world)
    case 'gmail.history':
      return history(box, query, world)
    case 'gmail.get':
      return get(box, path, query, world.isLenient)
    case 'gmail.attachment':
      return attachment(box, path)
    case 'gmail.watch':
      if (!body.topicName) return refusal(400, 'invalidArgument', 'Invalid topicName')
      box.watch = { topic: body.topicName, labels: body.labelIds ?? [], expiration: Date.now() + WEEK_MS }
      return [200, { historyId: String(box.changes), expiration: String(box.watch.expiration) }]
    case 'gmail.stop':
      box.watch = undefined
      return [204, undefined]
    default:
      return refusal(404, 'notFound', 'Not Found')
  }
}

function send(world: GmailWorld, email: string, { raw: given, upload, threadId }: ApiCall['body']): Reply {
  const raw = upload ?? given
  if (given?.length > MOST_RAW) return refusal(413, 'uploadTooLarge', 'Request Entity Too Large')
  if (typeof raw !== 'string' || !/^[\w-]+=*$/.test(raw))
    return refusal(400, 'invalidArgument', "'raw' RFC822 payload message string required")
  const message = world.send(email, Buffer.from(raw, 'base64url').toString('utf8'), threadId)
  if (!message) return refusal(404, 'notFound', 'Requested entity was not found.')
  return [200, { id: message.id, threadId: message.threadId, labelIds: message.labelIds }]
}

function list(box: GmailBox, query: URLSearchParams, { pageSize }: GmailWorld): Reply {
  const q = query.get('q') ?? ''
  const [, internetId] = /^rfc822msgid:(.+)$/.exec(q) ?? []
  const [, after] = /^after:(\d+)$/.exec(q) ?? []
  const found = [...box.messages.values()]
    .filter((one) => internetId === undefined || headerOf(one, 'Message-ID') === `<${internetId}>`)
    .filter(({ receivedAt }) => after === undefined || receivedAt >= Number(after) * 1000)
    .toSorted((a, b) => b.receivedAt - a.receivedAt)
  return paged(found, query, pageSize, ['messages', ({ id, threadId }) => ({ id, threadId })])
}

function history(box: GmailBox, query: URLSearchParams, { pageSize }: GmailWorld): Reply {
  const start = Number(query.get('startHistoryId'))
  if (!(start >= box.oldest)) return refusal(404, 'notFound', 'Requested entity was not found.')
  const types = query.getAll('historyTypes')
  const found = box.history.filter(({ at, removed }) => at > start && types.includes(removed ? 'labelRemoved' : 'messageAdded'))
  const entry = ({ at, id, removed }: GmailBox['history'][number]) => {
    const { threadId, labelIds } = box.messages.get(id) as GmailMessage
    const message = { id, threadId, labelIds }
    return { id: String(at), ...(removed ? { labelsRemoved: [{ message, labelIds: removed }] } : { messagesAdded: [{ message }] }) }
  }
  return paged(found, query, pageSize, ['history', entry], { historyId: String(box.changes) })
}

function paged<One>(
  all: One[],
  query: URLSearchParams,
  most: number,
  [name, shown]: [string, (one: One) => object],
  rest: object = {},
): Reply {
  const [from, size] = [Number(query.get('pageToken') ?? 0), Math.min(most, Number(query.get('maxResults') ?? 100))]
  const page = all.slice(from, from + size).map(shown)
  const more = from + size < all.length
  return [200, { ...(page.length > 0 && { [name]: page }), ...rest, ...(more && { nextPageToken: String(from + size) }) }]
}

function get(box: GmailBox, path: string, query: URLSearchParams, isLenient: boolean): Reply {
  const message = box.messages.get(MESSAGE.exec(path)?.[1] as string)
  if (!message) return refusal(404, 'notFound', 'Requested entity was not found.')
  const { id, threadId, labelIds, receivedAt, mime } = message
  const named = query.getAll('metadataHeaders').map((name) => name.toLowerCase())
  const payload =
    query.get('format') === 'metadata'
      ? { headers: servedHeaders(mime, isLenient).filter(({ name }) => named.includes(name.toLowerCase())) }
      : shownPart(mime, '', isLenient)
  return [200, { id, threadId, labelIds, internalDate: String(receivedAt), payload }]
}

/** Gmail reads encoded words before it serves a header. */
const servedHeaders = ({ headers }: MimePart, isLenient: boolean) =>
  isLenient ? headers : headers.map(({ name, value }) => ({ name, value: decodedHeader(value) }))

/**
 * A part as the API has it; `at` are the numbers of the parts that lead to it. The content of a text is in UTF-8, whatever charset its
 * header names; that of a file is as it was sent.
 */
function shownPart(part: MimePart, at: string, isLenient: boolean): object {
  const { type, filename, parts } = part
  const isShown = filename === '' && type.startsWith('text/')
  const content = isShown ? Buffer.from(textOfMime(part)) : part.content
  const isApart = !isShown || content.length > INLINE || isLenient
  const hasContent = content.length > 0
  const given = isApart ? hasContent && { attachmentId: `part${at}` } : { data: content.toString('base64url') }
  return {
    partId: at,
    mimeType: type,
    filename,
    headers: servedHeaders(part, isLenient),
    body: { size: content.length, ...given },
    parts: parts.map((one, n) => shownPart(one, `${at}.${n}`, isLenient)),
  }
}

function attachment(box: GmailBox, path: string): Reply {
  const [, id = '', place = ''] = MESSAGE.exec(path) ?? []
  const steps = decodeURIComponent(place).replace('part', '').split('.').filter(Boolean)
  const found = steps.reduce<MimePart | undefined>((part, n) => part?.parts[Number(n)], box.messages.get(id)?.mime)
  if (!found) return refusal(404, 'notFound', 'Requested entity was not found.')
  const content = found.filename === '' && found.type.startsWith('text/') ? Buffer.from(textOfMime(found)) : found.content
  return [200, { size: content.length, data: content.toString('base64url') }]
}
