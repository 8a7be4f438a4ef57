import { batch } from '../../../data/batch.ts'
import { call } from '../../../data/call.ts'
import { type Env, jobsDatabaseOf } from '../../../env.ts'
import { PAIRED } from '../rules/pairing.ts'
import { loadPairing, whatsAppOf } from './connection.ts'

/** Reads groups that have changed, with their members. A group that the provider does not know any more is left. */
export async function refreshGroups(env: Env, workspaceId: string, jids: string[]): Promise<void> {
  const pairing = await loadPairing(env, workspaceId)
  if (!pairing || !PAIRED.includes(pairing.status)) return
  const provider = whatsAppOf(env)
  for (const jid of new Set(jids)) {
    const group = await provider.group(pairing.instance_name, jid)
    await batch(jobsDatabaseOf(env), [
      group ? call('store_whatsapp_groups', workspaceId, JSON.stringify([group]), false) : call('leave_whatsapp_group', workspaceId, jid),
    ])
  }
}
