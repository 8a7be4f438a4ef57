import { cutText } from '../../../lib/text.ts'
/** How an email is sent: through the workspace's mail provider, or from a member's own mailbox. */
export const EMAIL_MODES = ['company', 'personal'] as const
export const EMAIL_PROVIDERS = ['postmark', 'gmail'] as const
export const EMAIL_DIRECTIONS = ['inbound', 'outbound'] as const
export const THREAD_STATUSES = ['active', 'archived', 'spam'] as const
export const INBOUND_STATES = ['received', 'done', 'failed'] as const

/** The most recipients of an email, in to, cc and bcc together: the limit of Postmark. */
export const MAX_RECIPIENTS = 50
/** The most addresses of a thread by which it can be found. */
export const MAX_PARTICIPANTS = 200
/** The most contacts, deals or customers that a thread is linked to, of each kind. */
export const MAX_THREAD_LINKS = 50
/** The most Message-IDs in a References header: the first, and the latest ones. */
export const MAX_REFERENCES = 20
/** The most threads that one call marks as read. */
export const MAX_MARKED = 500
/** The maximum size of an email that the provider posts, in bytes: attachments are a third larger in base64. */
export const MAX_INBOUND_BODY = 20_000_000
export const MAX_ATTACHMENTS = 50
/** The most files attached to an email that is sent, and the most bytes of all of it with the files in base64: the limit of Postmark. */
export const MAX_SENT_ATTACHMENTS = 10
export const MAX_EMAIL_BYTES = 10_000_000
/** The characters of a body that are stored. */
export const MAX_BODY = 200_000
export const MAX_SUBJECT = 255
const SNIPPET = 160

/** Handles that mail systems use themselves (RFC 2142), so that nobody sends in their name. */
const RESERVED = new Set(['abuse', 'admin', 'hostmaster', 'mailer-daemon', 'postmaster', 'root', 'security', 'webmaster'])
const HANDLE = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/

/**
 * A handle in the form in which it is stored, or undefined for what is not the local part of an address. `+` separates the id of a thread,
 * so no handle has it.
 */
export function toHandle(text: string): string | undefined {
  const handle = text.trim().toLowerCase()
  return HANDLE.test(handle) && !handle.includes('..') && !RESERVED.has(handle) ? handle : undefined
}

/** The name and the address of a sender such as `Workspace CRM <crm@example.com>`. */
export function parseSender(text: string): { name: string | null; address: string; domain: string } {
  const [, name = '', inner] = /^(.*?)<([^<>]+)>\s*$/.exec(text) ?? []
  const address = (inner ?? text).trim().toLowerCase()
  return { name: name.trim().replace(/^"|"$/g, '') || null, address, domain: address.slice(address.lastIndexOf('@') + 1) }
}

/**
 * A display name and an address as a header has them (RFC 5322, quoted string). Control characters are removed, so that no header can
 * follow.
 */
export function senderHeader(name: string | null, address: string): string {
  const plain = (name ?? '').replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return plain === '' ? address : `"${plain.replace(/["\\]/g, '\\$&')}" <${address}>`
}

/** The Message-IDs in a header: `<a@b> <c@d>`. */
export const messageIdsIn = (header: string | undefined): string[] =>
  [...(header ?? '').slice(0, 20_000).matchAll(/<([^<>\s]{1,250})>/g)].map(([, id]) => id as string)

/** The references of a reply to a message, bounded: the first of a thread and the latest ones (RFC 5322, 3.6.4). */
export function referencesOf(references: readonly string[], inReplyTo: string): string[] {
  const all = [...new Set([...references.filter((id) => id !== inReplyTo), inReplyTo])]
  return all.length <= MAX_REFERENCES ? all : [all[0] as string, ...all.slice(1 - MAX_REFERENCES)]
}

/** The subject of a reply, with one `Re:`. */
export const replySubject = (subject: string): string => cutText(`Re: ${subject.replace(/^(?:\s*(?:re|aw|sv)\s*:)+\s*/i, '')}`, MAX_SUBJECT)

/** The beginning of a text, on one line. */
export const snippetOf = (text: string): string => text.slice(0, 2_000).replace(/\s+/g, ' ').trim().slice(0, SNIPPET).toWellFormed()

/** The address that replies go to: its part after `+` names the thread, so that a reply finds it without any header. */
export const replyAddress = (address: string, threadId: string): string => address.replace('@', `+${threadId.replaceAll('-', '')}@`)

/** The id of the thread that an address names, if it does (see replyAddress). */
export function threadIn(hash: string): string | undefined {
  const [, ...parts] = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(hash.toLowerCase()) ?? []
  return parts.length === 5 ? parts.join('-') : undefined
}
