import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Enum, Id, InstantOut, Url } from '../../../schemas/fields.ts'
import { CONNECTION_ERRORS, CONNECTION_STATUSES } from '../../accounts/rules/accounts.ts'
import { CALENDAR_PROVIDERS, CHANNEL_STATES } from '../rules/states.ts'

const at = (description: string) => v.pipe(v.nullable(InstantOut), v.description(description))
const flag = (description: string) => v.pipe(v.boolean(), v.description(description))

export const CalendarConnection = named(
  'CalendarConnection',
  v.object({
    id: Id,
    user_id: v.pipe(Id, v.description('The member whose calendars they are.')),
    provider: v.pipe(v.picklist(CALENDAR_PROVIDERS), v.description('Where the calendars are.')),
    account_id: v.pipe(v.string(), v.description('The id of the account at the provider.'), v.examples(['104271992187612345678'])),
    account_email: v.pipe(v.string(), v.description('The email address or the name of the account.'), v.examples(['ana@example.com'])),
    status: v.pipe(
      v.picklist(CONNECTION_STATUSES),
      v.description(
        '`error`: the calendars cannot be read until the account is connected again, and the member cannot be booked. ' +
          '`disconnected`: it is being deleted.',
      ),
    ),
    error: v.pipe(
      v.nullable(v.picklist(CONNECTION_ERRORS)),
      v.description(
        '`invalid_grant`: the member or the provider has ended the access. `scopes`: the access does not include what is needed.',
      ),
    ),
    last_synced_at: at('When a calendar of it was last read.'),
    ...timestamps,
  }),
)
export type CalendarConnection = v.InferOutput<typeof CalendarConnection>

export const ConnectionCalendar = named(
  'ConnectionCalendar',
  v.object({
    id: Id,
    connection_id: Id,
    outside_id: v.pipe(v.string(), v.description('The id of the calendar at the provider.'), v.examples(['ana@example.com'])),
    name: v.pipe(v.string(), v.description('What it is called there.'), v.examples(['Ana Lee'])),
    timezone: v.pipe(v.nullable(v.string()), v.description('The time zone of its all-day events.'), v.examples(['Australia/Sydney'])),
    is_primary: flag('Whether it is the main calendar of the account.'),
    is_writable: flag('Whether bookings can be copied into it.'),
    busy_from: flag('Whether its events make the member unavailable.'),
    write_to: flag('Whether the bookings of the member are copied into it.'),
    synced_at: at('When it was last read. The member cannot be booked while a calendar with busy_from was read more than 15 minutes ago.'),
    stale_since: at('Since when the member cannot be booked because the calendar was not read.'),
    error: v.pipe(v.nullable(v.string()), v.description('Why the last reading failed.')),
    channel_state: v.pipe(
      v.nullable(v.picklist(CHANNEL_STATES)),
      v.description('Whether the provider reports changes at once. Without that the calendar is read every five minutes.'),
    ),
    channel_expires_at: at('Until when the provider reports changes. It is renewed a day before.'),
    created_at: InstantOut,
  }),
)
export type ConnectionCalendar = v.InferOutput<typeof ConnectionCalendar>

const Member = v.optional(
  describe(Id, 'The member whose calendar it is. Defaults to the owner of the key; only a client_admin may name others.'),
)

export const StartConnection = v.strictObject({
  provider: Enum(['google', 'microsoft'] as const, 'Where the calendars are.'),
  user_id: Member,
})
export type StartConnection = v.InferOutput<typeof StartConnection>

export const StartedConnection = named(
  'StartedConnection',
  v.object({
    url: v.pipe(
      v.string(),
      v.description('Open it in the browser of the member, who gives consent there. It works once.'),
      v.examples(['https://accounts.google.com/o/oauth2/v2/auth?state=4xJb']),
    ),
    expires_at: v.pipe(InstantOut, v.description('Until when the consent can be given: ten minutes.')),
  }),
)
export type StartedConnection = v.InferOutput<typeof StartedConnection>

export const NewAddressConnection = v.strictObject({
  provider: Enum(['ics'] as const, 'A calendar that is read by its address. Accounts are connected with POST /calendar-connections/start.'),
  url: describe(Url, 'The address of the calendar in iCalendar format. It is kept secret.', 'https://calendar.example.com/ana/basic.ics'),
  user_id: Member,
})
export type NewAddressConnection = v.InferOutput<typeof NewAddressConnection>

export const ChosenCalendar = v.strictObject({
  busy_from: v.optional(describe(Bool, 'Whether its events make the member unavailable.', true)),
  write_to: v.optional(
    describe(Bool, 'Whether the bookings of the member are copied into it. No other calendar of the member is then written to.', true),
  ),
})
export type ChosenCalendar = v.InferOutput<typeof ChosenCalendar>
