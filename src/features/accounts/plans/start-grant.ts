import { eq, sql } from 'drizzle-orm'
import { grantRequests } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { plan } from '../../../data/plan.ts'
import { mapResult, oneOrThrow } from '../../../data/query.ts'
import { newId } from '../../../lib/ids.ts'
import { hashKey, toHex } from '../../../lib/keys.ts'
import { assertMember } from '../../members/plans/members.ts'
import { workspaceOf } from '../../webhooks/plans/webhooks.ts'
import type { GrantProvider } from '../provider/port.ts'
import { GRANT_MINUTES, type GrantPurpose } from '../rules/accounts.ts'
import { randomToken, verifierPlace } from './finish-grant.ts'

/** Members connect their own accounts with their own keys, and a client_admin those of everybody. */
export const ofMember = (userId: string | undefined) => [
  !!userId && assertMember(userId, 'user_id'),
  call('assert_own_account', memberId(userId)),
]
export const memberId = (userId: string | undefined) => sql<string>`coalesce(${userId ?? null}::uuid, current_user_id())`

type Consent = {
  purpose: GrantPurpose
  provider: (typeof grantRequests.$inferInsert)['provider']
  user_id: string | undefined
  callback: string
}

/** Begins a connection: the member gives consent at an address of the provider, which then calls the callback. */
export async function startGrant(ctx: Ctx, grants: GrantProvider, { purpose, provider, user_id, callback }: Consent) {
  const [id, state, verifier] = [newId(), randomToken(), randomToken()]
  const sealed_verifier = await ctx.deployment.secrets.seal(verifierPlace(await workspaceOf(ctx)), verifier)
  const challenge = Buffer.from(await hashKey(verifier)).toString('base64url')
  const url = grants.consentUrl({ state, challenge, redirect_uri: callback })
  const hash = toHex(await hashKey(state))
  const request = db.insert(grantRequests).values({
    id,
    purpose,
    provider,
    sealed_verifier,
    user_id: memberId(user_id),
    state_hash: sql`decode(${hash}, 'hex')`,
    expires_at: sql`now() + make_interval(mins => ${GRANT_MINUTES})`,
  })
  const started = db
    .select({ expires_at: grantRequests.expires_at, url: sql<string>`${url}::text`.as('url') })
    .from(grantRequests)
    .where(eq(grantRequests.id, id))
  return plan(
    [...ofMember(user_id), request],
    mapResult(oneOrThrow(started, 'request', id), ({ url, expires_at }) => ({ url, expires_at })),
  )
}
