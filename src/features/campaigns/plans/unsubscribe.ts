import { sql } from 'drizzle-orm'
import { call } from '../../../data/call.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import type { Env } from '../../../env.ts'
import { AppError, invalid } from '../../../errors.ts'
import { isUnsubscribeLink } from '../../../lib/unsubscribe-links.ts'
import { readAnyForm } from '../../pages/plans/forms.ts'
import { choiceOf, type Subscription, unsubscribePage } from '../rules/unsubscribe-page.ts'

type Decision = { reason: 'unsubscribe_header' | 'link_click' | null }

/** The holder of a link that we have signed: it grants access to the workspace in its path, and no scopes. @throws UNAUTHENTICATED */
export function linkHolder({ url, env, now }: { url: string; env: Pick<Env, 'FILE_SECRET'>; now: Date }) {
  const [, workspace, recipient] = new URL(url).pathname.split('/').filter((part) => part !== '')
  if (!workspace || !recipient || !isUnsubscribeLink(env.FILE_SECRET, url, now))
    throw new AppError('UNAUTHENTICATED', 'This link is not valid: copy the whole link from the email')
  return {
    kind: 'public_token' as const,
    id: `unsubscribe:${recipient}`,
    grant: sql`jsonb_build_object('workspace_id', ${workspace}::text, 'scopes', '[]'::jsonb)`,
  }
}

/** The choice in the body of a form, of either media type that RFC 8058 allows. @throws VALIDATION_ERROR */
export async function readChoice(received: { bytes: Uint8Array; headers: Headers }): Promise<Decision> {
  const fields = await readAnyForm(received)
  const reason = fields && choiceOf(fields)
  if (reason === undefined) throw invalid([{ path: 'choice', message: 'Send a form with choice=unsubscribe or choice=subscribe' }])
  return { reason }
}

const pageOf = (recipient: string, changed: boolean) =>
  mapResult(
    plainRows<NonNullable<Subscription>>(sql`select email, subscribed from subscription_of(${recipient}::uuid)`, ['email', 'subscribed']),
    ([row]) => unsubscribePage(row, changed),
  )

/** Shows the page; nothing changes, because mail programs follow links by themselves. */
export const showUnsubscribe = (recipient: string): Plan<string> => plan([], pageOf(recipient, false))

export const changeSubscription = (recipient: string, { reason }: Decision): Plan<string> =>
  plan([call('change_subscription', recipient, reason)], pageOf(recipient, true))
