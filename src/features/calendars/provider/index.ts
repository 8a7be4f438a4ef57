import { lazily } from '../../../lib/lazily.ts'
import type { OutsideHttp } from '../../../providers/http/port.ts'
import { CALENDAR_SCOPES, type GoogleSettings, googleClientOf, googleGrants } from '../../accounts/provider/google-oauth.ts'
import type { GrantProvider } from '../../accounts/provider/port.ts'
import { microsoftGrants } from './microsoft-oauth.ts'
import type { CalendarProvider } from './port.ts'

/**
 * A kind of calendar that can be connected. `grants` null: there is no grant, and the address of the calendar takes the place of the access
 * token. `notifies`: the provider reports changes through channels.
 */
export type CalendarKind = { calendars: CalendarProvider; grants: GrantProvider | null; notifies: boolean }

/** The kinds that this deployment has an account for, by the name of the provider. */
export type CalendarKinds = { google?: CalendarKind | undefined; microsoft?: CalendarKind | undefined; ics?: CalendarKind | undefined }

/** The variables of the Worker that lead to the providers (src/env.ts). */
type Microsoft = 'MICROSOFT_API_URL' | 'MICROSOFT_OAUTH_URL' | 'MICROSOFT_CLIENT_ID' | 'MICROSOFT_CLIENT_SECRET'
type Settings = GoogleSettings & Partial<Record<'GOOGLE_API_URL' | Microsoft, string>>

/** The calendars that members can connect in this deployment. `http` calls the addresses that they choose. */
export const calendarKindsOf = (settings: Settings, http: OutsideHttp): CalendarKinds => ({
  google: googleOf(settings),
  microsoft: microsoftOf(settings),
  ics: { calendars: lazily(async () => (await import('./ics.ts')).icsCalendars(http)), grants: null, notifies: false },
})

/** Google's calendars and grants; undefined if this deployment has no client there. */
function googleOf(settings: Settings): CalendarKind | undefined {
  const { GOOGLE_API_URL: url } = settings
  const client = googleClientOf(settings)
  if (!url || !client) return undefined
  return {
    calendars: lazily(async () => (await import('./google.ts')).googleCalendar({ url })),
    grants: googleGrants({ ...client, needed: CALENDAR_SCOPES }),
    notifies: true,
  }
}

/** Microsoft's calendars and grants; undefined if this deployment has no client there. */
function microsoftOf(settings: Settings): CalendarKind | undefined {
  const { MICROSOFT_API_URL: url, MICROSOFT_OAUTH_URL: oauthUrl } = settings
  const { MICROSOFT_CLIENT_ID: clientId, MICROSOFT_CLIENT_SECRET: clientSecret } = settings
  if (!url || !oauthUrl || !clientId || !clientSecret) return undefined
  return {
    calendars: lazily(async () => (await import('./microsoft.ts')).microsoftCalendar({ url })),
    grants: microsoftGrants({ oauthUrl, clientId, clientSecret }),
    notifies: true,
  }
}
