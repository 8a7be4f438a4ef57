import { eq, type SQL, sql } from 'drizzle-orm'
import { portals } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { plan } from '../../../data/plan.ts'
import { assert, compiledSelect, mapResult, oneOrThrow } from '../../../data/query.ts'
import { columnsFor, lockForUpdate } from '../../../data/store.ts'
import { hashPin, portalPin } from '../../../lib/portal-secrets.ts'
import { Portal } from '../schemas/portals.ts'

const fields = columnsFor(portals, Portal)
const record = compiledSelect(db.select(fields).from(portals))
const withSeed = compiledSelect(db.select({ id: portals.id, pin_seed: portals.pin_seed }).from(portals))

/** Closes the page of a portal at once, also for those who have entered the PIN. Again changes nothing. */
export const revokePortal = (ctx: Ctx, id: string) =>
  plan(
    [lockForUpdate(ctx, portals, id, 'portal'), sql`update portals set revoked_at = now() where id = ${id} and revoked_at is null`],
    oneOrThrow(record.where(eq(portals.id, id)), 'portal', id),
  )

const assertOpen = (id: string, isOpen: SQL, state: string) =>
  assert(
    sql`(select ${isOpen} from portals where id = ${id})`,
    'INVALID_STATE',
    `The portal is ${state}: send a new one with POST /work-orders/send-work-status or POST /portals`,
    { state, allowed: ['active'] },
  )

/** Replaces the PIN. Whoever has entered the former one must enter the new one. */
export async function renewPin(ctx: Ctx, id: string) {
  const pin_seed = crypto.randomUUID()
  const { linkSecret: secret } = ctx.deployment
  const hash = await hashPin(portalPin(secret, pin_seed), pin_seed)
  return plan(
    [
      lockForUpdate(ctx, portals, id, 'portal'),
      assertOpen(id, sql`revoked_at is null`, 'revoked'),
      assertOpen(id, sql`expires_at > now()`, 'expired'),
      sql`update portals set pin_seed = ${pin_seed}::uuid, pin_hash = decode(${hash}, 'hex'), failed_attempts = 0, locked_until = null
        where id = ${id}`,
    ],
    mapResult(oneOrThrow(withSeed.where(eq(portals.id, id)), 'portal', id), (row) => ({
      id: row.id,
      pin: portalPin(secret, row.pin_seed),
    })),
  )
}
