import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { outsideHttpOf } from '../../../providers/http/deployed.ts'
import { secretsOf } from '../../../providers/secrets/sealed.ts'
import { wake } from '../../../wake.ts'
import { calendarKindsOf } from '../provider/index.ts'
import type { SyncAccess } from './grants.ts'

/** What calls of calendars need, outside a request. */
export const calendarAccessOf = (env: Env): SyncAccess => ({
  database: jobsDatabaseOf(env),
  secrets: secretsOf(env),
  kinds: calendarKindsOf(env, outsideHttpOf(env)),
  deliverEvents: (workspaceId) => wake(env, 'events.deliver', workspaceId),
})

/** Below this address the providers of calendars post that something has changed, each at its name. */
export const calendarNotificationsOf = ({ API_URL }: Env): string => `${API_URL}/calendar-notifications`
