import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { AppError } from '../../../errors.ts'
import { toHex } from '../../../lib/keys.ts'
import { readSealingKeys, seal, unseal } from '../../../lib/seal.ts'
import { tokenHash } from '../../webhooks/plans/incoming.ts'
import { evolution } from '../provider/evolution.ts'
import type { WhatsAppProvider } from '../provider/port.ts'
import type { Pairing } from '../rules/pairing.ts'

/** The pairing of a workspace as it is stored (load_whatsapp_pairing). */
export type StoredPairing = Pairing & { id: string; instance_name: string; sealed_token: string | null; compared_until: string | null }

/** The provider of WhatsApp. @throws UNAVAILABLE if this deployment has none. */
export function whatsAppOf({ WHATSAPP_API_URL: url, WHATSAPP_API_KEY: key }: Env): WhatsAppProvider {
  if (!url || !key) throw new AppError('UNAVAILABLE', 'WhatsApp is not available: the operator of this service must set WHATSAPP_API_URL')
  return evolution({ url, key })
}

/** The pairing of a workspace; null if it has none. */
export async function loadPairing(env: Env, workspaceId: string): Promise<StoredPairing | null> {
  const [found] = await batch(jobsDatabaseOf(env), [call('load_whatsapp_pairing', workspaceId)])
  return found as StoredPairing | null
}

/** The address to which the provider reports. Its token is made with the connection, and remembered sealed. */
export async function subscriptionOf(env: Env, workspaceId: string, stored: StoredPairing): Promise<{ url: string }> {
  const keys = await readSealingKeys(env.SEALING_KEYS ?? '')
  const place = { workspace_id: workspaceId, table: 'whatsapp_pairings', column: 'sealed_token' }
  const urlOf = (token: string) => ({ url: new URL(`/v1/whatsapp/inbound/${token}`, env.API_URL).href })
  if (stored.sealed_token !== null) return urlOf(await unseal(keys, place, stored.sealed_token))
  const token = toHex(crypto.getRandomValues(new Uint8Array(24)))
  const [sealed, hash] = await Promise.all([seal(keys, place, token), tokenHash(token)])
  await batch(jobsDatabaseOf(env), [call('set_whatsapp_token', workspaceId, stored.id, sealed, hash)])
  stored.sealed_token = sealed
  return urlOf(token)
}
