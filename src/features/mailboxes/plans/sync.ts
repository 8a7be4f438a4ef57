import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { MOST_WAIT, waitAfter } from '../../../domain/retry-after.ts'
import { loggable } from '../../../lib/text.ts'
import { GrantEnded, refuseAlone } from '../../accounts/plans/grants.ts'
import { AccountFailure } from '../../accounts/provider/port.ts'
import type { MailboxProvider } from '../provider/port.ts'
import { MAIL_CATCH_UP_MINUTES } from '../rules/mailboxes.ts'
import { type MailboxAccess, mailboxKind, withMailbox } from './access.ts'
import { receiveEmails } from './receive.ts'

/** Where the files of emails are stored. */
export type MailFiles = { put(key: string, bytes: Uint8Array): Promise<unknown>; delete(keys: string[]): Promise<unknown> }
/** What the background needs to read mailboxes. */
export type MailSync = MailboxAccess & {
  files: MailFiles
  /** Has the events of a workspace delivered. One whose message is lost is found by cron. */
  deliverEvents(workspaceId: string): Promise<unknown>
}

/** A mailbox that was claimed (read_mailboxes). */
export type ClaimedMailbox = {
  mailbox_id: string
  user_id: string
  provider: string
  cursor: string | null
  synced_at: string | null
  is_watch_due: boolean
  now: string
}
export type Held = ClaimedMailbox & {
  workspace_id: string
  claim: string
  attempts: number
  /** Stores how far it was read, and renews the lease. */
  extend(facts: { cursor: string }): Promise<boolean>
}

/** The pages of changes that one message reads, before another continues. */
const MOST_PAGES = 3
/**
 * The pages that are read when the provider has forgotten the changes since the last reading: of the latest emails, and how much earlier
 * than it.
 */
const MOST_LISTED = 5
const OVERLAP_MS = 3_600_000

/** Reads what has arrived in a mailbox that is due. A failure is noted, and leads to another attempt. */
export async function syncMailbox(access: MailSync, held: Held) {
  try {
    await keepWatch(access, held)
    return await withMailbox(access, held, ({ mailbox }, token) => read(access, mailbox, token, held))
  } catch (error) {
    if (!(error instanceof AccountFailure || error instanceof GrantEnded)) throw error
    const wait = error instanceof GrantEnded ? MOST_WAIT : waitAfter(error.retryAfter, held.attempts)
    if (error instanceof GrantEnded) await access.deliverEvents(held.workspace_id)
    return { facts: { sync_error: loggable(error.message, 300) }, wait, failed: true }
  }
}

/**
 * Has the provider report changes, or renews that a day before it ends. A failure leaves the mailbox to the readings every five minutes.
 */
async function keepWatch(access: MailSync, held: Held): Promise<void> {
  if (!held.is_watch_due || !mailboxKind(access, held.provider).reports) return
  const watching = withMailbox(access, held, ({ mailbox }, token) => mailbox.watch(token).catch(refuseAlone))
  const watched = await watching.catch((error: unknown) => {
    if (error instanceof AccountFailure) return null
    throw error
  })
  const { workspace_id, mailbox_id, claim } = held
  await batch(access.database, [call('note_mailbox_watch', workspace_id, mailbox_id, claim, watched?.expires_at ?? null)])
}

/**
 * Reads the emails since the cursor; a mailbox that was never read is read from now on. Each page is stored with its cursor, so a
 * repetition begins after it.
 */
async function read(access: MailSync, mailbox: MailboxProvider, token: string, held: Held) {
  let { cursor } = held
  if (cursor === null) return readUntil(held, await mailbox.cursor(token))
  for (let page = 1; page <= MOST_PAGES; page++) {
    const changes = await mailbox.changes(token, cursor)
    if (changes === 'expired') return readUntil(held, await catchUp(access, mailbox, token, held))
    await receiveEmails(access, mailbox, token, held, changes.ids)
    cursor = changes.cursor
    if (!changes.has_more) return readUntil(held, cursor)
    if (page < MOST_PAGES && !(await held.extend({ cursor }))) return {}
  }
  return readUntil(held, cursor, 0)
}

/** What is stored after a reading. Without a report of the provider the next one comes after some minutes, or at once if there is more. */
const readUntil = ({ now }: Held, cursor: string, wait = MAIL_CATCH_UP_MINUTES * 60) => ({
  facts: { cursor, synced_at: now, sync_error: null },
  wait,
})

/** Reads the latest emails, because the changes since the cursor are forgotten. Returns the cursor that was valid before. */
async function catchUp(access: MailSync, mailbox: MailboxProvider, token: string, held: Held): Promise<string> {
  const cursor = await mailbox.cursor(token)
  const since = new Date(Date.parse(held.synced_at ?? held.now) - OVERLAP_MS)
  const ids: string[] = []
  let page: string | null = null
  for (let count = 0; count < MOST_LISTED; count++) {
    const listed = await mailbox.list(token, since, page)
    ids.push(...listed.ids)
    page = listed.next_page
    if (page === null) break
  }
  // The oldest first: it begins its conversation, and the latest is what that shows.
  await receiveEmails(access, mailbox, token, held, [...new Set(ids)].toReversed())
  return cursor
}
