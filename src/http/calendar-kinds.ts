import type { Env } from '../env.ts'
import { googleCalendar } from '../providers/calendars/google.ts'
import { googleGrants } from '../providers/calendars/google-oauth.ts'
import type { CalendarKind, CalendarKinds } from '../providers/calendars/index.ts'

/** The calendars that members can connect in this deployment. */
export const calendarKindsOf = (env: Env): CalendarKinds => ({ google: googleOf(env) })

function googleOf(env: Env): CalendarKind | undefined {
  const { GOOGLE_API_URL: url, GOOGLE_OAUTH_URL: oauthUrl, GOOGLE_CONSENT_URL: consentUrl } = env
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret } = env
  if (!url || !oauthUrl || !consentUrl || !clientId || !clientSecret) return undefined
  return { calendars: googleCalendar({ url }), grants: googleGrants({ oauthUrl, consentUrl, clientId, clientSecret }), notifies: true }
}
