import { type Crm, created, found, type Row } from '../crm.ts'
import { messaging } from '../messaging.ts'
import { book, eventType, monday, sydney } from './scheduling.ts'

/** Files that share a database book for different people. */
let people = 0

/** Bookings and what their attendees get. */
export function notifying(crm: Crm) {
  const { emailsTo, later } = messaging(crm)
  const noticesOf = async (booking: Row) => found(await crm.ws.get(`/scheduling-bookings/${booking.id}/notices`)) as Row[]
  return {
    emailsTo,
    later,
    noticesOf,
    /** The states of a booking's notices, such as `reminder 1440 due`. */
    statesOf: async (booking: Row) =>
      (await noticesOf(booking)).map(({ kind, offset_minutes, state, reason }) =>
        [kind, ...(offset_minutes ? [offset_minutes] : []), state, ...(reason ? [reason] : [])].join(' '),
      ),
    /** A booking of a new person on a Monday at a time in Sydney; all that follows from it has happened. */
    async booked(time = '09:00', fields: Row = {}, type?: Row): Promise<Row> {
      if (type) await eventType(crm.ws, type)
      const email = `booker-${++people}@example.com`
      const booking = created(await book(crm.ws, { email, starts_at: `${monday()} ${time}`, timezone: 'Australia/Sydney', ...fields }))
      await crm.app.drain()
      return booking
    },
    change: async (booking: Row, step: string, body: Row = {}) => {
      const changed = found(await crm.ws.post(`/scheduling-bookings/${booking.id}/${step}`, body))
      await crm.app.drain()
      return changed
    },
    /** The cron job at a time before a booking, or after it. */
    async tick(booking: Row, minutesBefore: number) {
      await crm.app.cron('* * * * *', new Date(Date.parse(booking.starts_at) - minutesBefore * 60_000))
      await crm.app.drain()
    },
    subjectsTo: (address: string) => emailsTo(address).map(({ Subject }) => Subject as string),
    /** The calendar entry of an email. */
    inviteOf({ Attachments = [] }: Row): string {
      const [file] = Attachments
      return file ? Buffer.from(file.Content, 'base64').toString() : ''
    },
    start: (time: string) => sydney(monday(), time),
  }
}
