import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import type { Statement } from '../../../data/db.ts'
import { newId } from '../../../lib/ids.ts'
import { hashKey, newKey, toHex } from '../../../lib/keys.ts'
import { workspaceOf } from '../../webhooks/plans/webhooks.ts'

export const keyPlace = (workspace_id: string) => ({ workspace_id, table: 'agent_tool_keys', column: 'sealed_key' })

/** The parts of a new key for the tools of an agent; the database decides whether it is needed. */
export async function toolKey(ctx: Ctx) {
  const { key, public_id } = newKey()
  const [hash, workspace] = await Promise.all([hashKey(key), workspaceOf(ctx)])
  // A deployment that cannot seal still publishes agents whose tools need no key.
  const sealed = await ctx.deployment.secrets.seal(keyPlace(workspace), key).catch(() => null)
  return { id: newId(), public_id, hash: toHex(hash), sealed }
}

/** Notes of a key that is rotated that the voice provider has its former secret, if it is that of an agent: the agent needs another one. */
export const endToolKey = (id: string): Statement => sql`update agent_tool_keys set created_at = 'infinity' where key_id = ${id}`
