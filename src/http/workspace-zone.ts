import { sql } from 'drizzle-orm'
import { workspaces } from '../../schema/index.ts'
import type { Ctx } from '../context.ts'
import { db } from '../data/db.ts'
import { mapResult, rows } from '../data/query.ts'
import { DEFAULT_ZONE } from '../domain/local-days.ts'
import { ExpiringMap } from '../lib/expiring-map.ts'
import type { Caller } from './execute.ts'

/** The zones that differed from what was assumed, by caller. */
const remembered = new ExpiringMap<string>(10_000, 3_600_000)

const callerOf = (caller: Caller): string => {
  if ('key_hash' in caller) return caller.key_hash
  return 'workspace_id' in caller ? caller.workspace_id : caller.id
}

const stored = mapResult(rows(db.select({ timezone: workspaces.timezone }).from(workspaces)), ([row]) => row?.timezone ?? DEFAULT_ZONE)

/** The workspace's time zone (see Ctx.zone): the remembered one or the usual one, which the transaction confirms. */
export async function assumedZone(ctx: Pick<Ctx, 'assume'>, caller: Caller): Promise<string> {
  const name = callerOf(caller)
  const likely = remembered.get(name) ?? DEFAULT_ZONE
  const zone = await ctx.assume(stored, likely, (zone) => sql`(select w.timezone from workspaces w) = ${zone}`)
  if (zone !== likely) remembered.set(name, zone)
  return zone
}
