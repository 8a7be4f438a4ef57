import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { afterRead, type Plan, plan } from '../../../data/plan.ts'
import { constant, mapResult, plainRows } from '../../../data/query.ts'
import { newId } from '../../../lib/ids.ts'
import { tokenHash } from '../../webhooks/plans/incoming.ts'
import type { WhatsAppEvent } from '../rules/events.ts'

/**
 * The holder of the token of a pairing. Its grant is only to store a report. The token is compared by its hash, so the time of the
 * comparison says nothing about it.
 */
export async function tokenHolder(url: string) {
  const hash = await tokenHash(decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? ''))
  return { kind: 'public_token' as const, id: `whatsapp ${hash}`, grant: call('whatsapp_token_grant', hash) }
}

/**
 * Stores what the provider reports; the queue processes it. A report that says nothing to this system is accepted, because it would be
 * repeated.
 */
export function receiveReport(ctx: Ctx, event: WhatsAppEvent | undefined): Plan<{ accepted: boolean }> {
  if (!event) return plan([], constant({ accepted: false }))
  const add = sql`select (r ->> 'id')::uuid, (r ->> 'workspace_id')::uuid
    from store_whatsapp_event(${newId()}::uuid, ${JSON.stringify(event)}::jsonb) r`
  const stored = mapResult(
    plainRows<{ id: string; workspace_id: string }>(add, ['id', 'workspace_id']),
    ([row]) => row as { id: string; workspace_id: string },
  )
  return afterRead(plan([], stored), async ({ id, workspace_id }) => {
    await ctx.deployment.wake('whatsapp.receive', workspace_id, id)
    return { accepted: true }
  })
}
