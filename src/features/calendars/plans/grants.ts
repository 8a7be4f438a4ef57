import { type GrantAccess, withAccessToken } from '../../accounts/plans/grants.ts'
import { AccountFailure } from '../../accounts/provider/port.ts'
import type { CalendarKind, CalendarKinds } from '../provider/index.ts'
import type { CalendarProviderName } from '../rules/states.ts'

/** What calls of calendars need. */
export type CalendarAccess = GrantAccess & { kinds: CalendarKinds }
/** What the background needs to read them, too. */
export type SyncAccess = CalendarAccess & {
  /** Has the events of a workspace delivered. One whose message is lost is found by cron. */
  deliverEvents(workspaceId: string): Promise<unknown>
}
export type ConnectionRef = { workspace_id: string; connection_id: string; provider: CalendarProviderName }

/** The kind of a connection. @throws AccountFailure if this deployment no longer has an account there. */
export function kindOf({ kinds }: CalendarAccess, provider: CalendarProviderName): CalendarKind {
  const kind = kinds[provider]
  if (!kind) throw new AccountFailure('unavailable', `This service has no account at ${provider}`)
  return kind
}

/** Calls the provider of a connection with its access token. @throws as withAccessToken */
export async function withToken<Out>(
  access: CalendarAccess,
  { workspace_id, connection_id, provider }: ConnectionRef,
  call: (kind: CalendarKind, token: string) => Promise<Out>,
): Promise<Out> {
  const kind = kindOf(access, provider)
  return await withAccessToken(access, { workspace_id, account_id: connection_id, grants: kind.grants }, (token) => call(kind, token))
}
