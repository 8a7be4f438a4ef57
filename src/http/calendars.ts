import type { Env } from '../env.ts'
import { googleCalendar } from '../providers/calendars/google.ts'
import { googleGrants } from '../providers/calendars/google-oauth.ts'
import type { CalendarKinds } from '../providers/calendars/index.ts'
import type { CalendarProvider, GrantProvider } from '../providers/calendars/port.ts'

/** The calendars that members can connect in this deployment. */
export function calendarKindsOf(env: Env): CalendarKinds {
  const google = googleOf(env)
  return { google: google && { ...google, notifies: true } }
}

/** Google's calendars and grants; undefined if this deployment has no client there. */
export function googleOf(env: Env): { calendars: CalendarProvider; grants: GrantProvider } | undefined {
  const { GOOGLE_API_URL: url, GOOGLE_OAUTH_URL: oauthUrl, GOOGLE_CONSENT_URL: consentUrl } = env
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret } = env
  if (!url || !oauthUrl || !consentUrl || !clientId || !clientSecret) return undefined
  return { calendars: googleCalendar({ url }), grants: googleGrants({ oauthUrl, consentUrl, clientId, clientSecret }) }
}

/** Where the providers of calendars send a member back to. */
export const calendarCallbackOf = ({ API_URL }: Env): string => `${API_URL}/calendar-connections/callback`

/** Below this address the providers of calendars post that something has changed, each at its name. */
export const calendarNotificationsOf = ({ API_URL }: Env): string => `${API_URL}/calendar-notifications`
