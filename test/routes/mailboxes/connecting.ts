import { expect } from 'vitest'
import type { TestWorkspace } from '../../workspace.ts'
import { comeBack } from '../consenting.ts'
import { type Crm, found, type Row } from '../crm.ts'

export const ME = 'ana.lee@gmail.example'

/** What the tests of mailboxes do. The owner of the workspace connects a mailbox of the emulated Gmail. */
export function connecting(crm: Crm) {
  const helpers = {
    gmail: () => crm.app.google.gmail,
    reset(): Promise<unknown> {
      crm.app.google.clear()
      return crm.app.owner.query('delete from mailboxes')
    },
    async start(ws: TestWorkspace = crm.ws): Promise<URLSearchParams> {
      return new URL(found(await ws.post('/mailboxes/start', {})).url).searchParams
    },
    async callback(address: string): Promise<{ status: number; text: string }> {
      const shown = await comeBack(crm.app, address)
      await crm.app.drain()
      return shown
    },
    /** Connects a mailbox, which is read at once: from now on. */
    async connect(ws: TestWorkspace = crm.ws, email = ME): Promise<Row> {
      const back = crm.app.google.accounts.consent(await helpers.start(ws), { email })
      expect(await helpers.callback(back)).toMatchObject({ status: 200, text: expect.stringContaining('Your mailbox is connected') })
      const [mailbox] = found(await ws.get(`/mailboxes?user_id=${ws.userId}`)) as Row[]
      return mailbox as Row
    },
    send: (fields: Row = {}, ws: TestWorkspace = crm.ws) =>
      ws.post('/email/send', { mode: 'personal', sender_user_id: ws.userId, subject: 'Your offer', text: 'Hello Ana', ...fields }),
    /** Posts what Pub/Sub has to post last, as it would. */
    async push(token = 'local-gmail-push-token-0123456789'): Promise<number> {
      const response = await crm.app.fetch(`/mailbox-notifications/gmail/${token}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(crm.app.google.pushes.at(-1)),
      })
      await crm.app.drain()
      return response.status
    },
    /** Lets so many minutes pass, and the cron job and the queue do what is due. */
    async later(minutes = 6): Promise<void> {
      const set = ['due_at', 'claimed_until', 'watch_due_at', 'watch_expires_at', 'synced_at'].map(
        (name) => `${name} = ${name} - $2 * interval '1 minute'`,
      )
      await crm.app.owner.query(`update mailboxes set ${set.join(', ')} where workspace_id = $1`, [crm.ws.id, minutes])
      await crm.app.owner.query("update messages set due_at = due_at - $2 * interval '1 minute' where workspace_id = $1", [
        crm.ws.id,
        minutes,
      ])
      await crm.app.cron('* * * * *')
      await crm.app.drain()
    },
    threads: async (ws: TestWorkspace = crm.ws) => found(await ws.get('/email/threads')) as Row[],
    messages: async (thread: string, ws: TestWorkspace = crm.ws) => found(await ws.get(`/email/threads/${thread}/messages`)) as Row[],
  }
  return helpers
}
