import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { keyOfEmail } from '../../../domain/file-names.ts'
import { MAX_EMAIL_FILE_BYTES } from '../../../domain/files.ts'
import { textOf } from '../../../domain/templates.ts'
import { AppError } from '../../../errors.ts'
import { escapeHtml } from '../../../lib/html.ts'
import { newId } from '../../../lib/ids.ts'
import { AccountFailure, type AccountFailureReason } from '../../accounts/provider/port.ts'
import { inboundRows, type StoredAttachment } from '../../email/plans/inbound-rows.ts'
import { MAX_PARTICIPANTS, MAX_THREAD_LINKS } from '../../email/rules/emails.ts'
import { contentIdOf, contentParts, fileNameOf, fileTypeOf, type MailPart } from '../../email/rules/mail-parts.ts'
import { receivedType } from '../../files/plans/received.ts'
import type { MailboxProvider } from '../provider/port.ts'
import { readMailboxEmail, sidesOf, textOfPart } from '../rules/mailbox-email.ts'
import type { Held, MailSync } from './sync.ts'

/** The emails whose addresses are looked at together. */
const AT_ONCE = 10
/** The readings that fail because the database refuses an email, until it is left out so that it does not keep away those after it. */
const MOST_ATTEMPTS = 5
/** How long a mailbox is held up by an email that cannot be read or kept, until that is left out, too. */
const MOST_HELD_UP_MS = 6 * 3_600_000
/** The contacts to whom the member has sent an email that get an activity each. */
const MOST_CONTACTS = 10

/**
 * Stores the emails that are from contacts, or that the member has sent to them at the provider, and that are not stored yet. Of every
 * other one only the addresses are read. One that is repeated is stored once.
 */
export async function receiveEmails(access: MailSync, mailbox: MailboxProvider, token: string, held: Held, ids: string[]): Promise<void> {
  let stored = 0
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const without = <Out>(id: string, work: () => Promise<Out>) => unlessStuck(mailbox, token, held, id, work)
    const heads = await Promise.all(ids.slice(from, from + AT_ONCE).map((id) => without(id, () => mailbox.head(token, id))))
    const known = heads.flatMap((head) => {
      const sides = head && sidesOf(head)
      return sides ? [{ id: head.id, internet_id: sides.internet_id, correspondents: sides.correspondents }] : []
    })
    if (known.length === 0) continue
    const { workspace_id, user_id } = held
    const [wanted] = (await batch(access.database, [call('wanted_emails', workspace_id, user_id, JSON.stringify(known))])) as [string[]]
    for (const { id } of known) if (wanted.includes(id) && (await without(id, () => receive(access, mailbox, token, held, id)))) stored++
  }
  if (stored > 0) await access.deliverEvents(held.workspace_id)
}

/**
 * Does something with an email. One that has held up its mailbox for hours, although the provider answers otherwise, is left out, so that
 * it does not keep away those after it.
 */
async function unlessStuck<Out>(mailbox: MailboxProvider, token: string, held: Held, id: string, work: () => Promise<Out>) {
  try {
    return await work()
  } catch (error) {
    const isOfAll =
      error instanceof AccountFailure ? ALL_CALLS.includes(error.reason) : error instanceof AppError && error.code === 'UNAVAILABLE'
    const heldUp = Date.parse(held.now) - Date.parse(held.synced_at ?? held.now)
    if (isOfAll || held.attempts < MOST_ATTEMPTS || heldUp < MOST_HELD_UP_MS) throw error
    await mailbox.cursor(token)
    leaveOut(held, id, error)
    return undefined
  }
}
/** Reasons that concern no email, but all calls. */
const ALL_CALLS: AccountFailureReason[] = ['unauthorized', 'forbidden', 'limited']

const leaveOut = ({ mailbox_id }: Held, email: string, error: unknown): void =>
  console.error(JSON.stringify({ level: 'error', message: 'an email of a mailbox is left out', mailbox_id, email, error: String(error) }))

type ContentOf = (part: MailPart) => Promise<string>
type Texts = Map<MailPart, string>

async function readParts(parts: MailPart[], contentOf: ContentOf): Promise<Texts> {
  const read: Texts = new Map()
  for (const part of parts) read.set(part, textOfPart(part, await contentOf(part)))
  return read
}

const isHtml = ({ mime_type }: MailPart) => mime_type === 'text/html'

/** The text of an email: of each of its parts, in order. A photo that stood between two of them is among the files. */
const joinedText = (parts: MailPart[], texts: Texts): string =>
  parts
    .map((part) => (isHtml(part) ? textOf(texts.get(part) ?? '') : (texts.get(part) ?? '')))
    .filter((text) => text.trim() !== '')
    .join('\n')

/** The HTML of an email, in which its plain texts stand where they were; null for one without HTML. */
function joinedHtml(parts: MailPart[], texts: Texts): string | null {
  if (!parts.some(isHtml)) return null
  const all = parts.map((part) => {
    const text = texts.get(part) ?? ''
    return isHtml(part) ? text : `<div>${escapeHtml(text).replace(/\r?\n/g, '<br>')}</div>`
  })
  return all.join('\n').trim() || null
}

/**
 * Stores an email with its files. The files come first: those of an attempt that fails belong to no row, so the file sweep deletes them.
 */
async function receive(access: MailSync, mailbox: MailboxProvider, token: string, held: Held, id: string): Promise<boolean> {
  const { workspace_id, mailbox_id, claim } = held
  const found = await mailbox.email(token, id)
  if (!found) return false
  const { text, html, files } = contentParts(found.payload)
  const contentOf: ContentOf = async (part: MailPart) =>
    part.data ?? (part.attachment_id === null ? '' : await mailbox.attachment(token, id, part.attachment_id))
  const shown = await readParts([...new Set([...text, ...html])], contentOf)
  const email = readMailboxEmail(found, joinedText(text, shown), joinedHtml(html, shown))
  if (!email) return false
  const attachments: StoredAttachment[] = []
  for (const [rank, part] of files.entries()) {
    if (part.size > MAX_EMAIL_FILE_BYTES) continue
    const bytes = Buffer.from(await contentOf(part), 'base64url')
    const attachment = {
      id: newId(),
      name: fileNameOf(part),
      content_type: await receivedType(fileTypeOf(part), bytes),
      size: bytes.byteLength,
      rank,
      content_id: contentIdOf(part),
    }
    await access.files.put(keyOfEmail(workspace_id, attachment.id), bytes)
    attachments.push(attachment)
  }
  const { direction, correspondents } = email
  const rows = {
    ...(await inboundRows(email, attachments, found.received_at)),
    outside_thread_id: found.thread_id,
    direction,
    correspondents,
  }
  const [isStored] = await batch(access.database, [
    call('receive_mailbox_email', workspace_id, mailbox_id, claim, JSON.stringify(rows), MAX_THREAD_LINKS, MAX_PARTICIPANTS, MOST_CONTACTS),
  ]).catch((error: unknown) => {
    const isUnavailable = error instanceof AppError && error.code === 'UNAVAILABLE'
    if (isUnavailable || held.attempts < MOST_ATTEMPTS) throw error
    leaveOut(held, id, error)
    return [false]
  })
  if (!isStored && attachments.length > 0)
    await access.files.delete(attachments.map((attachment) => keyOfEmail(workspace_id, attachment.id))).catch(() => {})
  return isStored === true
}
