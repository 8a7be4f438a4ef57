import { expect } from 'vitest'
import type { TestWorkspace } from '../../workspace.ts'
import { comeBack } from '../consenting.ts'
import { type Crm, found, type Row } from '../crm.ts'

export const HOST = 'host@example.com'

/** What the tests of calendars do. The owner of the workspace connects an account of the emulated Google. */
export function connecting(crm: Crm) {
  const helpers = {
    google: () => crm.app.google,
    /** An empty Google, and no connection to what it was before. */
    async reset(): Promise<void> {
      crm.app.google.clear()
      // The background and the deletion would wait for each other.
      await crm.app.drain()
      await crm.app.owner.query('delete from calendar_connections')
    },
    /** Begins a connection; returns the parameters of the page of consent. */
    async start(ws: TestWorkspace = crm.ws, fields: Row = {}): Promise<URLSearchParams> {
      const { url } = found(await ws.post('/calendar-connections/start', { provider: 'google', ...fields }))
      return new URL(url).searchParams
    },
    /** The browser of the member who comes back from the provider, and confirms the account. */
    async callback(address: string): Promise<{ status: number; text: string }> {
      const shown = await comeBack(crm.app, address)
      await crm.app.drain()
      return shown
    },
    /** Connects an account, which is read at once. */
    async connect(ws: TestWorkspace = crm.ws, email = HOST): Promise<Row> {
      const back = crm.app.google.accounts.consent(await helpers.start(ws), { email })
      expect((await helpers.callback(back)).status).toBe(200)
      const [connection] = found(await ws.get(`/calendar-connections?user_id=${ws.userId}&sort=-updated_at`)) as Row[]
      return connection as Row
    },
    read: async (connection: Row): Promise<Row> => found(await crm.ws.get(`/calendar-connections/${connection.id}`)),
    calendars: async (connection: Row): Promise<Row[]> => found(await crm.ws.get(`/calendar-connections/${connection.id}/calendars`)),
    choose: (connection: Row, calendar: Row, fields: Row) =>
      crm.ws.patch(`/calendar-connections/${connection.id}/calendars/${calendar.id}`, fields),
    /** The times at which the owner is busy, in order. */
    async busy(): Promise<[string, string][]> {
      const { rows } = await crm.app.owner.query(
        'select starts_at, ends_at from busy_times where workspace_id = $1 order by starts_at, ends_at',
        [crm.ws.id],
      )
      return rows.map(({ starts_at, ends_at }) => [starts_at.toISOString(), ends_at.toISOString()])
    },
    /** Lets so many minutes pass for the calendars, and the cron job and the queue do what is due. */
    async later(minutes = 6): Promise<void> {
      await helpers.age(minutes)
      await crm.app.cron('* * * * *')
      await crm.app.drain()
    },
    async age(minutes: number): Promise<void> {
      await crm.app.owner.query(
        `update connection_calendars set due_at = due_at - $2 * interval '1 minute', synced_at = synced_at - $2 * interval '1 minute',
            busy_since = busy_since - $2 * interval '1 minute', fully_synced_at = fully_synced_at - $2 * interval '1 minute',
            channel_due_at = channel_due_at - $2 * interval '1 minute', channel_expires_at = channel_expires_at - $2 * interval '1 minute'
          where workspace_id = $1`,
        [crm.ws.id, minutes],
      )
    },
    /** Posts the latest notification of the provider, as it would. */
    async notify(): Promise<number> {
      const notification = crm.app.google.notifications.at(-1)
      if (!notification) throw new Error('Google has not reported anything')
      const { pathname } = new URL(notification.url)
      const response = await crm.app.fetch(pathname, { method: 'POST', headers: notification.headers })
      await crm.app.drain()
      return response.status
    },
  }
  return helpers
}

/** An event of a day in two weeks, at these hours in UTC. */
export function at(from: string, to: string, days = 14): { start: { dateTime: string }; end: { dateTime: string } } {
  return { start: { dateTime: instant(from, days) }, end: { dateTime: instant(to, days) } }
}
export const instant = (time: string, days = 14): string =>
  `${new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)}T${time}:00.000Z`
