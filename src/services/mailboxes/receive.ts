import { sql } from 'drizzle-orm'
import { batch } from '../../data/batch.ts'
import { MAX_PARTICIPANTS, MAX_THREAD_LINKS } from '../../domain/emails.ts'
import { keyOfEmail } from '../../domain/file-names.ts'
import { contentParts, fileNameOf, fileTypeOf, type MailPart, readMailboxEmail, senderOf, textOfPart } from '../../domain/mailbox-email.ts'
import { AppError } from '../../errors.ts'
import { newId } from '../../lib/ids.ts'
import type { MailboxProvider } from '../../providers/mailboxes/port.ts'
import { inboundRows, type StoredAttachment } from '../email/inbound-rows.ts'
import type { Held, MailSync } from './sync.ts'

/** The emails whose senders are looked at together. */
const AT_ONCE = 10
/** The readings that fail because the database refuses an email, until it is left out so that it does not keep away those after it. */
const MOST_ATTEMPTS = 5
/** The most bytes of an attachment: Gmail accepts emails of 25 MB. A larger one is left out. */
const MAX_FILE = 26_000_000

type Head = { id: string; from_email: string; internet_id: string }

/**
 * Stores the emails that are from contacts, and that are not stored yet. Only the sender of every other one is read. One that is repeated is stored once.
 */
export async function receiveEmails(access: MailSync, mailbox: MailboxProvider, token: string, held: Held, ids: string[]): Promise<void> {
  let stored = 0
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const heads = await Promise.all(ids.slice(from, from + AT_ONCE).map((id) => mailbox.head(token, id)))
    const senders = heads.flatMap((head): Head[] => {
      const sender = head && senderOf(head)
      return sender ? [{ id: head.id, ...sender }] : []
    })
    if (senders.length === 0) continue
    const { workspace_id, user_id } = held
    const [wanted] = (await batch(access.database, [
      sql`select wanted_emails(${workspace_id}::uuid, ${user_id}::uuid, ${JSON.stringify(senders)}::jsonb)`,
    ])) as [string[]]
    for (const { id } of senders) if (wanted.includes(id) && (await receive(access, mailbox, token, held, id))) stored++
  }
  if (stored > 0) await access.deliverEvents(held.workspace_id)
}

/** Stores an email with its files. The files come first: those of an attempt that fails belong to no row, so the file sweep deletes them. */
async function receive(access: MailSync, mailbox: MailboxProvider, token: string, held: Held, id: string): Promise<boolean> {
  const { workspace_id, mailbox_id, claim } = held
  const found = await mailbox.email(token, id)
  if (!found) return false
  const { text, html, files } = contentParts(found)
  const contentOf = async (part: MailPart) =>
    part.data ?? (part.attachment_id === null ? '' : await mailbox.attachment(token, id, part.attachment_id))
  const shown = async (part: MailPart | undefined) => (part ? textOfPart(part, await contentOf(part)) : '')
  const email = readMailboxEmail(found, await shown(text), (await shown(html)) || null)
  if (!email) return false
  const attachments: StoredAttachment[] = []
  for (const [rank, part] of files.entries()) {
    if (part.size > MAX_FILE) continue
    const bytes = Buffer.from(await contentOf(part), 'base64url')
    const attachment = { id: newId(), name: fileNameOf(part), content_type: fileTypeOf(part), size: bytes.byteLength, rank }
    await access.files.put(keyOfEmail(workspace_id, attachment.id), bytes)
    attachments.push(attachment)
  }
  const rows = { ...(await inboundRows(email, attachments, found.received_at)), outside_thread_id: found.thread_id }
  const [isStored] = await batch(access.database, [
    sql`select receive_mailbox_email(${workspace_id}::uuid, ${mailbox_id}::uuid, ${claim}::uuid, ${JSON.stringify(rows)}::jsonb, ${MAX_THREAD_LINKS}::int, ${MAX_PARTICIPANTS}::int)`,
  ]).catch((error: unknown) => {
    const isUnavailable = error instanceof AppError && error.code === 'UNAVAILABLE'
    if (isUnavailable || held.attempts < MOST_ATTEMPTS) throw error
    console.error(
      JSON.stringify({ level: 'error', message: 'an email of a mailbox is left out', mailbox_id, email: id, error: String(error) }),
    )
    return [false]
  })
  if (!isStored && attachments.length > 0)
    await access.files.delete(attachments.map((attachment) => keyOfEmail(workspace_id, attachment.id))).catch(() => {})
  return isStored === true
}
