import { eq, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import { contacts } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { read } from '../../../data/plan.ts'
import { mapResult, oneOrThrow } from '../../../data/query.ts'
import { localTimeIn } from '../../../domain/local-days.ts'
import type { QuietHours } from '../../../domain/quiet-hours.ts'
import { CHANNELS } from '../../messages/rules/messages.ts'
import { addressOf, canReach } from '../../messages/rules/reachability.ts'
import type { reachabilityQuery } from '../../messages/schemas/reachability.ts'
import { zoneOfContact } from '../rules/local-zone.ts'

/** The columns of a contact from which it follows whether the contact can be reached; `zone` is that of the workspace. */
export const recipientColumns = {
  archived: contacts.archived,
  email: contacts.email,
  phone: contacts.phone,
  email_unsubscribed: contacts.email_unsubscribed,
  sms_unsubscribed: contacts.sms_unsubscribed,
  whatsapp_unsubscribed: contacts.whatsapp_unsubscribed,
  timezone: contacts.timezone,
  state: contacts.state,
  country: contacts.country,
  suppressed: sql<string[]>`array(select s.channel from suppressions s where s.address = any(array[${contacts.email}, ${contacts.phone}])
    and s.address = case s.channel when 'email' then ${contacts.email} else ${contacts.phone} end)`.as('suppressed'),
  configured: sql<string[]>`configured_channels(current_workspace())`.as('configured'),
  quiet_hours: sql<QuietHours>`(select s.quiet_hours from crm_settings s)`.as('quiet_hours'),
  workspace_zone: sql<string>`(select w.timezone from workspaces w)`.as('workspace_zone'),
}

/** Returns through which channels a contact can be reached at an instant, and why not through the others. */
export function getReachability(ctx: Ctx, id: string, { channel, at }: v.InferOutput<typeof reachabilityQuery>) {
  const then = at === undefined ? ctx.now : new Date(at)
  return read(
    mapResult(oneOrThrow(db.select(recipientColumns).from(contacts).where(eq(contacts.id, id)), 'contact', id), (row) => {
      const { timezone, decided_by } = zoneOfContact(row, row.workspace_zone)
      const contact = { ...row, zone: timezone }
      return {
        contact_id: id,
        at: then.toISOString(),
        timezone,
        decided_by,
        local_time: localTimeIn(timezone, then),
        channels: CHANNELS.filter((one) => channel === undefined || one === channel).map((one) => {
          const reach = canReach(contact, one, then)
          const { reason, next_allowed_at } = reach.reachable ? { reason: null, next_allowed_at: null } : reach
          return {
            channel: one,
            address: addressOf(contact, one),
            reachable: reach.reachable,
            reason,
            next_allowed_at: next_allowed_at?.toISOString() ?? null,
          }
        }),
      }
    }),
  )
}
