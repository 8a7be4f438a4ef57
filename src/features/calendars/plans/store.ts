import type { SQL } from 'drizzle-orm'
import { call } from '../../../data/call.ts'
import type { Statement } from '../../../data/db.ts'
import { loggable } from '../../../lib/text.ts'
import type { Account } from '../../accounts/provider/port.ts'
import type { OutsideCalendar } from '../provider/port.ts'
import { type CalendarProviderName, MOST_CALENDARS } from '../rules/states.ts'

/** What store_calendar_connection takes, beside the member. */
export type StoredGrant = {
  provider: CalendarProviderName
  account_id: string
  account_email: string
  sealed_access_token: string
  sealed_refresh_token: string | null
  access_expires_at: string | null
  calendars: OutsideCalendar[]
}

const MOST_ID = 1_000
const MOST_NAME = 200

/**
 * The calendars as they are stored: the primary one first, and no more than a connection has. One whose id is too long to be stored is left
 * out.
 */
export const storable = (calendars: OutsideCalendar[]): OutsideCalendar[] =>
  calendars
    .filter(({ id }) => id.length <= MOST_ID)
    .toSorted((a, b) => Number(b.primary) - Number(a.primary))
    .slice(0, MOST_CALENDARS)
    .map((calendar) => ({ ...calendar, name: loggable(calendar.name, MOST_NAME) }))

export const accountFields = ({ id, email }: Account) => ({ account_id: loggable(id, MOST_ID), account_email: loggable(email, MOST_NAME) })

export const storeConnection = (grant: StoredGrant, userId: SQL): Statement =>
  call('store_calendar_connection', userId, JSON.stringify(grant))
