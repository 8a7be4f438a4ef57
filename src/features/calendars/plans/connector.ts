import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import type { Ender } from '../../accounts/plans/end-accounts.ts'
import type { Connector } from '../../accounts/plans/finish-grant.ts'
import { sealTokens } from '../../accounts/plans/grants.ts'
import type { CalendarProviderName } from '../rules/states.ts'
import { type CalendarAccess, kindOf } from './grants.ts'
import { accountFields, type StoredGrant, storable } from './store.ts'

/** Connects accounts with calendars. */
export const calendarConnector = (access: CalendarAccess): Connector => ({
  grants: (provider) => kindOf(access, provider as CalendarProviderName).grants,
  account: (provider, token) => kindOf(access, provider as CalendarProviderName).calendars.account(token),
  async store({ workspace_id, user_id, provider: name }, { tokens, account }) {
    const provider = name as CalendarProviderName
    const listed = await kindOf(access, provider).calendars.calendars(tokens.access_token)
    const grant: StoredGrant = {
      provider,
      calendars: storable(listed),
      access_expires_at: tokens.expires_at,
      ...accountFields(account),
      ...(await sealTokens(access.secrets, workspace_id, tokens)),
    }
    await batch(access.database, [call('finish_calendar_grant', workspace_id, user_id, JSON.stringify(grant))])
  },
})

/** Stops the channels of calendars that are no longer connected. */
export const calendarEnder = ({ kinds }: CalendarAccess): Ender => ({
  grants: (provider) => kinds[provider as CalendarProviderName]?.grants ?? null,
  stops: ({ provider, channels }) =>
    channels.map((channel) => async (token) => kinds[provider as CalendarProviderName]?.calendars.unwatch(token, channel)),
})
