/** An entry for a calendar; instants are milliseconds since 1970. */
export type CalendarEntry = { title: string; starts_at: number; ends_at: number; place: string | null; details: string | null }

const compact = (at: number) => `${new Date(at).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
const address = (base: string, parameters: Record<string, string | null>) => {
  const set = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null)
  // Outlook shows a + as it is.
  return `${base}?${new URLSearchParams(set).toString().replaceAll('+', '%20')}`
}

/** The address at which Google Calendar offers to add an entry. */
export const googleCalendarUrl = ({ title, starts_at, ends_at, place, details }: CalendarEntry): string =>
  address('https://calendar.google.com/calendar/render', {
    action: 'TEMPLATE',
    text: title,
    dates: `${compact(starts_at)}/${compact(ends_at)}`,
    location: place,
    details,
  })

/** The address at which Outlook on the web offers to add an entry. */
export const outlookCalendarUrl = ({ title, starts_at, ends_at, place, details }: CalendarEntry): string =>
  address('https://outlook.live.com/calendar/0/deeplink/compose', {
    path: '/calendar/action/compose',
    rru: 'addevent',
    subject: title,
    startdt: new Date(starts_at).toISOString(),
    enddt: new Date(ends_at).toISOString(),
    location: place,
    body: details,
  })

type Booked = { starts_at: number; ends_at: number; location: string | null; video_meet_link: string | null }

/** A booking as an entry for a calendar. It has no link to manage the booking, which is its booker's alone. */
export const entryOf = (
  { starts_at, ends_at, location, video_meet_link }: Booked,
  eventType: string,
  workspace: string,
): CalendarEntry => ({
  title: `${eventType} – ${workspace}`,
  starts_at,
  ends_at,
  place: location ?? video_meet_link,
  details: video_meet_link,
})
