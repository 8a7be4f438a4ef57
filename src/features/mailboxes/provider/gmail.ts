import * as v from 'valibot'
import { callGoogle, failureOf, type GoogleRequest, type GoogleResponse } from '../../accounts/provider/google-http.ts'
import { AccountFailure } from '../../accounts/provider/port.ts'
import type { Delivery } from '../../email/provider/port.ts'
import { DECIDING_HEADERS, type MailboxEmail, type MailHead } from '../rules/mailbox-email.ts'
import {
  AccountReply,
  AliasesReply,
  AttachmentReply,
  HistoryReply,
  ListReply,
  MessageReply,
  ProfileReply,
  partOf,
  SentReply,
  WatchReply,
} from './gmail-replies.ts'
import type { MailboxProvider, RawEmail } from './port.ts'

/**
 * `url`: https://gmail.googleapis.com, `accountUrl`: https://www.googleapis.com, or services with the same API. `topic`: where Google
 * publishes changes, such as projects/crm/topics/gmail; without one mailboxes are only read regularly.
 */
export type GmailOptions = { url: string; accountUrl: string; topic: string | undefined; timeoutMs?: number; sendTimeoutMs?: number }

const ME = '/gmail/v1/users/me'
const PAGE = '100'
/** The most pages in a row that may have nothing but the token of the next one. */
const MAX_EMPTY_PAGES = 20
/** The most characters of an email that is sent within JSON: Gmail refuses some MB there, and takes 25 MB as an upload. */
const MOST_IN_JSON = 700_000
/** The labels of what is kept away, until its owner takes it out there. */
const KEPT_AWAY = ['SPAM', 'TRASH']
/** The most bytes of an email with the content of its parts: Gmail accepts 25 MB, which are a third larger in base64. */
const MAX_EMAIL_BYTES = 40_000_000

/** A client for Gmail (https://developers.google.com/gmail/api/reference/rest). */
export function gmail({ url, accountUrl, topic, timeoutMs = 10_000, sendTimeoutMs = 30_000 }: GmailOptions): MailboxProvider {
  const ask = (token: string, request: GoogleRequest, at = url) => callGoogle(at, token, request, timeoutMs)

  async function read<Schema extends v.GenericSchema>(token: string, schema: Schema, request: GoogleRequest) {
    return parsed(schema, await ask(token, request))
  }

  /** Undefined for an email that was deleted. */
  async function message(token: string, id: string, query: Record<string, string | string[]>) {
    const response = await ask(token, { path: `${ME}/messages/${encodeURIComponent(id)}`, query, maxBytes: MAX_EMAIL_BYTES })
    return response.status === 404 ? undefined : parsed(MessageReply, response)
  }

  async function send(token: string, { raw, thread_id }: RawEmail): Promise<Delivery> {
    const facts = thread_id === null ? {} : { threadId: thread_id }
    const path = `${ME}/messages/send`
    const request =
      raw.length <= MOST_IN_JSON
        ? { path, body: { ...facts, raw: Buffer.from(raw).toString('base64url') } }
        : { path: `/upload${path}`, query: { uploadType: 'multipart' }, content: uploadOf(facts, raw) }
    const response = await ask(token, { ...request, method: 'POST', deadline: sendTimeoutMs }).catch((error: unknown) => String(error))
    // The connection broke, or Google failed while it worked on it: the email may have been sent.
    if (typeof response === 'string') return { outcome: 'unclear', reason: response }
    if (response.status >= 500) return { outcome: 'unclear', reason: failureOf(response).message }
    if (isSuccess(response)) return sentOf(response)
    // A conversation that its owner has deleted is begun anew.
    if (response.status === 404 && thread_id !== null) return send(token, { raw, thread_id: null })
    const failure = failureOf(response)
    if (failure.reason === 'refused' || failure.reason === 'not_found') return { outcome: 'refused', reason: failure.message }
    throw failure
  }

  return {
    async account(token) {
      const { sub, email, name } = parsed(AccountReply, await ask(token, { path: '/oauth2/v3/userinfo' }, accountUrl))
      return { id: sub, email: email.toLowerCase(), name }
    },
    async aliases(token) {
      const { sendAs } = await read(token, AliasesReply, { path: `${ME}/settings/sendAs` })
      return sendAs
        .filter(({ isPrimary, verificationStatus }) => isPrimary || verificationStatus === 'accepted')
        .map(({ sendAsEmail, displayName, isPrimary }) => ({
          email: sendAsEmail.toLowerCase(),
          name: displayName?.trim() || null,
          is_primary: isPrimary === true,
        }))
    },
    send,
    async find(token, internetId) {
      const query = { q: `rfc822msgid:${internetId}`, maxResults: '1', includeSpamTrash: 'true' }
      const { messages } = await firstWithContent(async (pageToken) => {
        const page = await read(token, ListReply, { path: `${ME}/messages`, query: { ...query, pageToken } })
        return { ...page, isEmpty: page.messages.length === 0 }
      })
      const [found] = messages
      return found && { id: found.id, thread_id: found.threadId }
    },
    cursor: async (token) => (await read(token, ProfileReply, { path: `${ME}/profile` })).historyId,
    async changes(token, cursor) {
      const query = { startHistoryId: cursor, historyTypes: ['messageAdded', 'labelRemoved'], maxResults: PAGE }
      const found = await firstWithContent(async (pageToken) => {
        const response = await ask(token, { path: `${ME}/history`, query: { ...query, pageToken } })
        if (response.status === 404) return { isEmpty: false, nextPageToken: undefined }
        const page = parsed(HistoryReply, response)
        return { ...page, isEmpty: page.history.length === 0 }
      })
      if (!('history' in found)) return 'expired'
      const { history, historyId, nextPageToken } = found
      const ids = history.flatMap(({ messagesAdded, labelsRemoved }) => {
        const takenOut = labelsRemoved.filter(({ labelIds }) => labelIds.some((label) => KEPT_AWAY.includes(label)))
        return [...messagesAdded, ...takenOut].map(({ message: { id } }) => id)
      })
      // The next page begins after the last change of this one, so it needs no token of Google, and begins anew after a crash.
      const last = history.at(-1)?.id
      const has_more = nextPageToken !== undefined && last !== undefined
      return { ids: [...new Set(ids)], cursor: has_more ? last : historyId, has_more }
    },
    async list(token, since, page) {
      const query = { q: `after:${Math.floor(since.getTime() / 1000)}`, maxResults: PAGE, pageToken: page ?? undefined }
      const { messages, nextPageToken = null } = await read(token, ListReply, { path: `${ME}/messages`, query })
      return { ids: messages.map(({ id }) => id), next_page: nextPageToken }
    },
    async head(token, id) {
      const found = await message(token, id, { format: 'metadata', metadataHeaders: DECIDING_HEADERS })
      return found && headOf(found)
    },
    async email(token, id): Promise<MailboxEmail | undefined> {
      const found = await message(token, id, { format: 'full' })
      return found && { ...headOf(found), payload: partOf(found.payload) }
    },
    async attachment(token, id, attachmentId) {
      const path = `${ME}/messages/${encodeURIComponent(id)}/attachments/${encodeURIComponent(attachmentId)}`
      return (await read(token, AttachmentReply, { path, maxBytes: MAX_EMAIL_BYTES, deadline: sendTimeoutMs })).data
    },
    async watch(token) {
      if (topic === undefined) throw new AccountFailure('refused', 'This service has no topic for the changes of mailboxes')
      const body = { topicName: topic, labelIds: ['INBOX', 'SENT'], labelFilterBehavior: 'include' }
      const { expiration } = await read(token, WatchReply, { method: 'POST', path: `${ME}/watch`, body })
      return { expires_at: new Date(Number(expiration)).toISOString() }
    },
    async unwatch(token) {
      const response = await ask(token, { method: 'POST', path: `${ME}/stop` })
      if (!isSuccess(response)) throw failureOf(response)
    },
  }
}

/** An email with what is said about it, as one request (RFC 2387). No line of an email begins as its boundary. */
function uploadOf(facts: object, raw: string): { type: string; text: string } {
  const part = (type: string, content: string) => `--${UPLOAD}\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`
  const parts = [part('application/json; charset=UTF-8', JSON.stringify(facts)), part('message/rfc822', raw)]
  return { type: `multipart/related; boundary="${UPLOAD}"`, text: `${parts.join('')}--${UPLOAD}--` }
}
const UPLOAD = '=_upload'

const isSuccess = ({ status }: GoogleResponse) => status >= 200 && status < 300

/** The first page that has something, or the last one: a page may be empty although another one follows. */
async function firstWithContent<Page extends { isEmpty: boolean; nextPageToken?: string | undefined }>(
  read: (pageToken: string | undefined) => Promise<Page>,
): Promise<Page> {
  let page = await read(undefined)
  for (let n = 0; page.isEmpty && page.nextPageToken !== undefined; n++) {
    if (n >= MAX_EMPTY_PAGES) throw new AccountFailure('unavailable', 'Google answers with empty pages only')
    page = await read(page.nextPageToken)
  }
  return page
}

/** A response of the expected form. @throws AccountFailure for any other. */
function parsed<Schema extends v.GenericSchema>(schema: Schema, response: GoogleResponse): v.InferOutput<Schema> {
  if (!isSuccess(response)) throw failureOf(response)
  const read = v.safeParse(schema, response.reply)
  if (read.success) return read.output
  throw new AccountFailure('unavailable', `Google answers with ${response.status} in an unexpected form`)
}

/** An answer that says nothing may belong to an email that was sent. */
function sentOf({ status, reply }: GoogleResponse): Delivery {
  const read = v.safeParse(SentReply, reply)
  if (!read.success) return { outcome: 'unclear', reason: `Google answers with ${status} in an unexpected form` }
  return { outcome: 'sent', message_id: read.output.id, thread_id: read.output.threadId }
}

const headOf = ({ id, threadId, labelIds, internalDate, payload }: v.InferOutput<typeof MessageReply>): MailHead => ({
  id,
  thread_id: threadId,
  labels: labelIds ?? [],
  headers: payload.headers,
  received_at: new Date(Number(internalDate)).toISOString(),
})
