import type { CalendarProvider, GrantProvider } from './port.ts'

/**
 * A kind of calendar that can be connected. `grants` null: there is no grant, and the address of the calendar takes the place of the access token. `notifies`: the provider
 * reports changes through channels.
 */
export type CalendarKind = { calendars: CalendarProvider; grants: GrantProvider | null; notifies: boolean }

/** The kinds that this deployment has an account for, by the name of the provider. */
export type CalendarKinds = { google?: CalendarKind | undefined; microsoft?: CalendarKind | undefined; ics?: CalendarKind | undefined }
