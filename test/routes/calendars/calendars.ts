import { expect } from 'vitest'
import type { GoogleEvent } from '../../../dev/google-world.ts'
import type { TestWorkspace } from '../../workspace.ts'
import { comeBack } from '../consenting.ts'
import { type Crm, created, found, type Row } from '../crm.ts'
import { book, eventType, monday, SILENT } from '../scheduling/scheduling.ts'

/** What the tests of calendars do: the account of a member at the emulated Google, and bookings that are copied into it. */
export function calendaring(crm: Crm) {
  const helpers = {
    google: () => crm.app.google,
    emailOf: (ws: TestWorkspace = crm.ws) => `${ws.userId}@calendar.test`,
    /** Connects the account of a member, through the page of consent. */
    async connect(ws: TestWorkspace = crm.ws): Promise<Row> {
      const { url } = found(await ws.post('/calendar-connections/start', { provider: 'google' }))
      const back = crm.app.google.accounts.consent(new URL(url).searchParams, { email: helpers.emailOf(ws) })
      expect((await comeBack(crm.app, back)).status).toBe(200)
      const [connection] = found(await ws.get('/calendar-connections')) as unknown as Row[]
      await crm.app.drain()
      return connection as Row
    },
    eventType: (fields: Row = {}, hosts?: string[]) => eventType(crm.ws, { notices: SILENT, ...fields }, hosts),
    async booking(time = '10:00', fields: Row = {}): Promise<Row> {
      const booking = created(await book(crm.ws, { starts_at: `${monday()} ${time}`, timezone: 'Australia/Sydney', ...fields }))
      await crm.app.drain()
      return booking
    },
    read: async (id: string): Promise<Row> => found(await crm.ws.get(`/scheduling-bookings/${id}`)),
    copies: async (bookingId: string): Promise<Row[]> =>
      (await crm.app.owner.query('select * from booking_copies where workspace_id = $1 and booking_id = $2', [crm.ws.id, bookingId])).rows,
    /** The events of a member's calendar that are not deleted. */
    events: (ws: TestWorkspace = crm.ws): GoogleEvent[] => crm.app.google.world.eventsOf(helpers.emailOf(ws)),
    event(): GoogleEvent {
      const events = helpers.events()
      expect(events).toHaveLength(1)
      return events[0] as GoogleEvent
    },
    /** Lets everything be due, and the cron job and the queue do it. */
    async later(): Promise<void> {
      const run = (sql: string) => crm.app.owner.query(sql, [crm.ws.id])
      await run(
        `update booking_copies set due_at = now() - interval '1 second', claimed_until = null
          where workspace_id = $1 and due_at is not null`,
      )
      await run(
        `update connection_calendars set due_at = now() - interval '1 second', claimed_until = null
          where workspace_id = $1 and (busy_from or write_to)`,
      )
      await crm.app.cron('* * * * *')
      await crm.app.drain()
    },
  }
  return helpers
}
