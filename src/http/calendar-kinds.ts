import type { Env } from '../env.ts'
import type { CalendarKinds } from '../providers/calendars/index.ts'

/** The calendars that members can connect in this deployment. */
export const calendarKindsOf = (_env: Env): CalendarKinds => ({})
