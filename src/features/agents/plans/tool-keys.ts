import { sql } from 'drizzle-orm'
import type { Ctx } from '../../../context.ts'
import type { Statement } from '../../../data/db.ts'
import { newId } from '../../../lib/ids.ts'
import { hashKey, newKey, toHex } from '../../../lib/keys.ts'
import { workspaceOf } from '../../webhooks/plans/webhooks.ts'

export const keyPlace = (workspace_id: string) => ({ workspace_id, table: 'agent_tool_keys', column: 'sealed_key' })

/** A deployment that cannot seal still publishes agents whose tools need no key. */
const sealedIn = (ctx: Ctx, workspace: string, key: string) => ctx.deployment.secrets.seal(keyPlace(workspace), key).catch(() => null)

/** The parts of a new key for the tools of an agent; the database decides whether it is needed. */
export async function toolKey(ctx: Ctx) {
  const { key, public_id } = newKey()
  const [hash, workspace] = await Promise.all([hashKey(key), workspaceOf(ctx)])
  return { id: newId(), public_id, hash: toHex(hash), sealed: await sealedIn(ctx, workspace, key) }
}

/** Keeps the new secret of a key that was rotated, if it is that of an agent, which the voice provider gets with the next publication. */
export async function keepRotatedKey(ctx: Ctx, id: string, key: string): Promise<Statement> {
  const sealed = await sealedIn(ctx, await workspaceOf(ctx), key)
  return sql`update agent_tool_keys set sealed_key = coalesce(${sealed}::text, sealed_key), created_at = now() where key_id = ${id}`
}
