import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { type Plan, plan, read, withOutside } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { newId } from '../../../lib/ids.ts'
import { SHOWN_PAIRING_STATES } from '../rules/pairing.ts'
import type { WhatsAppPairing, WhatsAppQr } from '../schemas/whatsapp.ts'

const SHOWN = ['status', 'phone_number', 'display_name', 'qr_number', 'qr_expires_at', 'connected_at', 'error']
const shown = sql`coalesce(p.status, 'disconnected'), p.phone_number, p.display_name, coalesce(p.qr_number, 0), iso(p.qr_expires_at),
  iso(p.connected_at), p.error`
const from = sql`from (select 1) one left join whatsapp_pairings p on true`

const pairing = () => mapResult(plainRows<WhatsAppPairing>(sql`select ${shown} ${from}`, SHOWN), ([row]) => row as WhatsAppPairing)
const withCode = () =>
  mapResult(plainRows<WhatsAppQr>(sql`select ${shown}, p.qr_image ${from}`, [...SHOWN, 'qr_code']), ([row]) => row as WhatsAppQr)
/** The pairing with its workspace, whose Durable Object is called. */
const reserved = () =>
  mapResult(
    plainRows<WhatsAppQr & { workspace_id: string }>(sql`select ${shown}, p.qr_image, current_workspace() ${from}`, [
      ...SHOWN,
      'qr_code',
      'workspace_id',
    ]),
    ([row]) => row as WhatsAppQr & { workspace_id: string },
  )

/** Returns the state of the pairing, and the phone that is paired. */
export const getPairing = (): Plan<WhatsAppPairing> => read(pairing())

/** Raises INVALID_STATE unless the pairing has one of these states. */
const assertState = (allowed: readonly string[], message: string) => call('assert_whatsapp_state', JSON.stringify(allowed), message)

/**
 * Begins the pairing, or returns the QR code of the one that is in progress, or the phone that is paired: there is one at a time. The
 * workspace's Durable Object talks to the provider. @throws INVALID_STATE while the former connection is being ended.
 */
export function beginPairing(ctx: Ctx): Plan<WhatsAppQr> {
  const allowed = SHOWN_PAIRING_STATES.filter((state) => state !== 'disconnecting')
  const id = newId()
  const begin = sql`insert into whatsapp_pairings (id, instance_name) values (${id}::uuid, ${`crm-${id}`})
    on conflict (workspace_id) do nothing`
  return withOutside(plan([assertState(allowed, 'The former connection is being ended: try again in a minute'), begin], reserved()), {
    call: ({ workspace_id }) => ctx.deployment.watchWhatsApp(workspace_id, 'pair'),
    preview: ({ workspace_id: _, ...shown }): WhatsAppQr => shown,
    settle: () => [],
    result: withCode,
  })
}

/**
 * Ends the pairing. From then on nothing is sent or received; the row goes when the provider has confirmed that the connection is gone,
 * which is asked again until it is.
 */
export function endPairing(ctx: Ctx): Plan<WhatsAppPairing> {
  const end = sql`update whatsapp_pairings set status = 'disconnecting', attempts = 0, due_at = now(), qr_image = null, qr_expires_at = null
    where status <> 'disconnecting'`
  return withOutside(plan([end], reserved()), {
    call: ({ workspace_id }) => ctx.deployment.watchWhatsApp(workspace_id, 'look'),
    preview: ({ workspace_id: _, qr_code: __, ...shown }): WhatsAppPairing => shown,
    settle: () => [],
    result: pairing,
  })
}
