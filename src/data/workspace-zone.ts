import { sql } from 'drizzle-orm'
import { workspaces } from '../../schema/workspaces.ts'
import type { Ctx } from '../context.ts'
import { DEFAULT_ZONE } from '../domain/default-zone.ts'
import { ExpiringMap } from '../lib/expiring-map.ts'
import { db } from './db.ts'
import { mapResult, rows } from './query.ts'

/** The zones that differed from what was assumed, by caller. */
const remembered = new ExpiringMap<string>(10_000, 3_600_000)

const stored = {
  ...mapResult(rows(db.select({ timezone: workspaces.timezone }).from(workspaces)), ([row]) => row?.timezone ?? DEFAULT_ZONE),
  kept: true,
}

/** The workspace's time zone (see Ctx.zone): the one remembered for the caller, or the usual one, which the transaction confirms. */
export async function assumedZone(ctx: Pick<Ctx, 'assume'>, caller: string): Promise<string> {
  const likely = remembered.get(caller) ?? DEFAULT_ZONE
  const zone = await ctx.assume(stored, likely, (zone) => sql`(select w.timezone from workspaces w) = ${zone}`)
  if (zone !== likely) remembered.set(caller, zone)
  return zone
}
