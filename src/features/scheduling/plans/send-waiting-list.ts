import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { saveHalving } from '../../../data/halving.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { wake } from '../../../wake.ts'
import { type Reservation, toReservation } from '../../messages/plans/send-message.ts'
import { renderNotice } from '../rules/notice-texts.ts'
import { settingOf } from '../rules/notices.ts'
import { factsOfVisitor, type WantedTime } from '../rules/page-facts.ts'

/** Entries per claim, for so many seconds. */
const CLAIMED = 50
const LEASE = 300

export type ClaimedEntry = {
  id: string
  workspace_id: string
  contact_id: string
  state: 'waiting' | 'offered'
  lease: string
  facts: Omit<WantedTime, 'now'>
}

type EntryEmail = Pick<ClaimedEntry, 'id' | 'state' | 'lease'> & { message: Reservation | null }

/** Claims entries of waiting lists that are due in any workspace: two looks at an index when there are none. */
export const claimWaiting = (now: Date): Statement => call('claim_waiting_list', now.toISOString(), CLAIMED, LEASE)

/** Sends the emails of claimed entries, and of further ones that are due. An email is reserved once, however often its entry is claimed. */
export async function sendWaiting(env: Env, now: Date, first: ClaimedEntry[], isLate: () => boolean): Promise<void> {
  let claimed = first
  while (claimed.length > 0) {
    for (const [workspaceId, entries] of Map.groupBy(claimed, ({ workspace_id }) => workspace_id))
      await save(env, workspaceId, entries, now)
    if (claimed.length < CLAIMED || isLate()) return
    ;[claimed] = (await batch(jobsDatabaseOf(env), [claimWaiting(now)])) as [ClaimedEntry[]]
  }
}

/** A failure of one workspace does not delay the others: its claims end by themselves, and a later tick tries again. */
async function save(env: Env, workspaceId: string, entries: ClaimedEntry[], now: Date): Promise<void> {
  const emails = entries.map((entry) => ({ id: entry.id, state: entry.state, lease: entry.lease, message: emailTo(env, entry, now) }))
  try {
    await saveEach(env, workspaceId, emails)
    await wake(env, 'messages.send', workspaceId)
  } catch (error) {
    console.error(JSON.stringify({ level: 'error', message: 'waiting list', workspace_id: workspaceId, error: String(error) }))
  }
}

/** Saves emails together. If the database refuses them, they are halved until the refused one is found, which is left out. */
async function saveEach(env: Env, workspaceId: string, emails: EntryEmail[]): Promise<void> {
  const store = (some: EntryEmail[]) => batch(jobsDatabaseOf(env), [call('save_waiting_list', workspaceId, JSON.stringify(some))])
  await saveHalving(emails, store, async (only, error) => {
    if (only.message === null) throw error
    console.error(JSON.stringify({ level: 'error', message: 'waiting list', entry_id: only.id, error: String(error) }))
    await store([{ ...only, message: null }])
  })
}

const EMAILS = { waiting: 'waiting_list', offered: 'waiting_list_offer' } as const

/** That somebody is on the list, or that a seat is free; null if the workspace cannot send emails. */
function emailTo(env: Env, { id, contact_id, state, facts }: ClaimedEntry, now: Date): Reservation | null {
  const kind = EMAILS[state]
  const wanted = factsOfVisitor({ ...facts, now: now.getTime() })
  const recipient = facts.email as string
  const to = { channel: 'email', recipient, is_booker: true, sequence: 0 } as const
  const message = toReservation({
    ...renderNotice(settingOf(facts.event_type.notices, kind), wanted, to, env.APP_URL),
    channel: 'email',
    purpose: 'booking',
    contact_id,
    recipient,
    dedupe_key: `${kind}:${id}`,
    expires_at: new Date(facts.valid_until ?? facts.starts_at).toISOString(),
  })
  return 'code' in message ? null : message
}
