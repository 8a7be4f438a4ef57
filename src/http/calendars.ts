import type { Env } from '../env.ts'
import { googleCalendar } from '../providers/calendars/google.ts'
import { googleGrants } from '../providers/calendars/google-oauth.ts'
import { icsCalendars } from '../providers/calendars/ics.ts'
import type { CalendarKinds } from '../providers/calendars/index.ts'
import { microsoftCalendar } from '../providers/calendars/microsoft.ts'
import { microsoftGrants } from '../providers/calendars/microsoft-oauth.ts'
import type { CalendarProvider, GrantProvider } from '../providers/calendars/port.ts'
import type { OutsideHttp } from '../providers/http/port.ts'

/** The calendars that members can connect in this deployment. `outside` reads those that are named by their address. */
export function calendarKindsOf(env: Env, outside: OutsideHttp): CalendarKinds {
  const [google, microsoft] = [googleOf(env), microsoftOf(env)]
  return {
    google: google && { ...google, notifies: true },
    microsoft: microsoft && { ...microsoft, notifies: true },
    ics: { calendars: icsCalendars(outside), grants: null, notifies: false },
  }
}

/** Google's calendars and grants; undefined if this deployment has no client there. */
export function googleOf(env: Env): { calendars: CalendarProvider; grants: GrantProvider } | undefined {
  const { GOOGLE_API_URL: url, GOOGLE_OAUTH_URL: oauthUrl, GOOGLE_CONSENT_URL: consentUrl } = env
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret } = env
  if (!url || !oauthUrl || !consentUrl || !clientId || !clientSecret) return undefined
  return { calendars: googleCalendar({ url }), grants: googleGrants({ oauthUrl, consentUrl, clientId, clientSecret }) }
}

/** Microsoft's calendars and grants; undefined if this deployment has no client there. */
function microsoftOf(env: Env): { calendars: CalendarProvider; grants: GrantProvider } | undefined {
  const {
    MICROSOFT_API_URL: url,
    MICROSOFT_OAUTH_URL: oauthUrl,
    MICROSOFT_CLIENT_ID: clientId,
    MICROSOFT_CLIENT_SECRET: clientSecret,
  } = env
  if (!url || !oauthUrl || !clientId || !clientSecret) return undefined
  return { calendars: microsoftCalendar({ url }), grants: microsoftGrants({ oauthUrl, clientId, clientSecret }) }
}

/** Where the providers of calendars send a member back to. */
export const calendarCallbackOf = ({ API_URL }: Env): string => `${API_URL}/calendar-connections/callback`

/** Below this address the providers of calendars post that something has changed, each at its name. */
export const calendarNotificationsOf = ({ API_URL }: Env): string => `${API_URL}/calendar-notifications`
