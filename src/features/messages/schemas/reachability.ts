import * as v from 'valibot'
import { named } from '../../../schemas/common.ts'
import { Enum, Id, InstantOut, QueryInstant } from '../../../schemas/fields.ts'
import { LocalTime } from '../../contacts/schemas/contacts.ts'
import { CHANNELS, UNREACHABLE_REASONS } from '../rules/messages.ts'
import { channelOut } from './messages.ts'

export const reachabilityQuery = v.strictObject({
  channel: v.optional(Enum(CHANNELS, 'Only this channel. By default every channel.')),
  at: v.optional(v.pipe(QueryInstant, v.description('When the contact would be reached. Defaults to now.'))),
})

export const Reachability = named(
  'Reachability',
  v.object({
    contact_id: Id,
    at: InstantOut,
    ...LocalTime.entries,
    local_time: v.pipe(
      v.string(),
      v.description('The contact’s local time then, YYYY-MM-DDTHH:mm:ss.'),
      v.examples(['2026-11-20T19:31:06']),
    ),
    channels: v.pipe(
      v.array(
        v.object({
          channel: channelOut,
          address: v.pipe(v.nullable(v.string()), v.examples(['ana@example.com'])),
          reachable: v.pipe(v.boolean(), v.description('Whether an automatic message would be sent.')),
          reason: v.pipe(
            v.nullable(v.picklist(UNREACHABLE_REASONS)),
            v.description('Why the contact cannot be reached then; the first reason that applies.'),
          ),
          next_allowed_at: v.pipe(v.nullable(InstantOut), v.description('The end of the quiet hours, if nothing else is in the way.')),
        }),
      ),
      v.description('Each channel, or the requested one.'),
    ),
  }),
)
