import { type Env, jobsDatabaseOf } from '../../env.ts'
import { calendarKindsOf } from '../../providers/calendars/index.ts'
import { outsideHttpOf } from '../../providers/http/deployed.ts'
import { secretsOf } from '../../providers/secrets/sealed.ts'
import type { CalendarAccess } from './grants.ts'

/** What calls of calendars need, outside a request. */
export const calendarAccessOf = (env: Env): CalendarAccess => ({
  database: jobsDatabaseOf(env),
  secrets: secretsOf(env),
  kinds: calendarKindsOf(env, outsideHttpOf(env)),
})

/** Where the providers of calendars send a member back to. */
export const calendarCallbackOf = ({ API_URL }: Env): string => `${API_URL}/calendar-connections/callback`

/** Below this address the providers of calendars post that something has changed, each at its name. */
export const calendarNotificationsOf = ({ API_URL }: Env): string => `${API_URL}/calendar-notifications`
