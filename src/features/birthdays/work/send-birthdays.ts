import { batch } from '../../../data/batch.ts'
import type { Statement } from '../../../data/db.ts'
import { saveHalving } from '../../../data/halving.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { wake } from '../../../wake.ts'
import {
  type BirthdayRow,
  type ClaimedWorkspace,
  claimWorkspaces,
  type DueContact,
  dueContacts,
  finishWorkspace,
  openIn,
  rowsFor,
  saveRows,
} from '../plans/due.ts'

/** Workspaces per claim, and contacts of a workspace per claim. What is left is due at once, after the other workspaces. */
const WORKSPACES = 20
const CONTACTS = 200

/** Claims the workspaces that are due: one look at an index when there are none. */
export const claimBirthdays = (now: Date): Statement => claimWorkspaces(now, WORKSPACES)

/**
 * Reserves the birthday messages of these workspaces, and of others that are due. Doubled and overlapping ticks reserve no message twice,
 * and a late one makes up for the missed ones of the same local day.
 */
export async function sendBirthdays(env: Env, now: Date, first: ClaimedWorkspace[], isLate: () => boolean): Promise<void> {
  let claimed = first
  for (;;) {
    let more = claimed.length === WORKSPACES
    for (const workspace of claimed)
      try {
        if (await celebrate(env, workspace, now)) more = true
      } catch (error) {
        // Its claim ends by itself, and the next tick tries again.
        console.error(JSON.stringify({ level: 'error', message: 'birthdays', workspace_id: workspace.workspace_id, error: String(error) }))
      }
    if (!more || isLate()) return
    ;[claimed] = (await batch(jobsDatabaseOf(env), [claimBirthdays(now)])) as [ClaimedWorkspace[]]
  }
}

/** Returns whether the workspace has more contacts that are due. */
async function celebrate(env: Env, workspace: ClaimedWorkspace, now: Date): Promise<boolean> {
  const database = jobsDatabaseOf(env)
  const { open, next } = openIn(workspace, now)
  const [due] = (open.length > 0 ? await batch(database, [dueContacts(workspace, open, CONTACTS)]) : [[]]) as [DueContact[]]
  const rows = rowsFor(workspace, due, now)
  if (rows.length > 0) await save(env, workspace, rows)
  if (rows.some(({ message }) => message !== null)) await wakeMessages(env, workspace.workspace_id)
  const more = due.length === CONTACTS
  await batch(database, [finishWorkspace(workspace, more ? now : next)])
  return more
}

/** A lost wake-up costs a minute. */
const wakeMessages = (env: Env, workspaceId: string) => wake(env, 'messages.send', workspaceId)

/** Saves what contacts get. If the database refuses it, it is halved until the refused row is found, which is noted as failed. */
async function save(env: Env, workspace: ClaimedWorkspace, rows: BirthdayRow[]): Promise<void> {
  const store = (some: BirthdayRow[]) => batch(jobsDatabaseOf(env), [saveRows(workspace, some)])
  await saveHalving(rows, store, async (only, error) => {
    if (only.result === 'failed' || only.message === null) throw error
    console.error(JSON.stringify({ level: 'error', message: 'birthdays', contact_id: only.contact_id, error: String(error) }))
    await store([{ ...only, result: 'failed', message: null }])
  })
}
