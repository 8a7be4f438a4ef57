import { eq, sql } from 'drizzle-orm'
import { phoneAddresses, phoneBundles } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db, type Statement } from '../../../data/db.ts'
import { type Plan, plan, withOutside } from '../../../data/plan.ts'
import { assert, mapResult, oneOrThrow, plainRows } from '../../../data/query.ts'
import { lockForUpdate } from '../../../data/store.ts'
import { loggable } from '../../../lib/text.ts'
import { providerError, telephonyOf } from './numbers.ts'

type Table = typeof phoneAddresses | typeof phoneBundles
type Deleted = { id: string; deleted: true }
type AtProvider = { id: string; provider_id: string | null }

/** The most bundles that an error names. */
const MOST_NAMED = 10

/** Deletes an address, at the provider first. @throws NOT_FOUND, CONFLICT while a bundle names it or it is being created, PROVIDER_ERROR */
export function deleteAddress(ctx: Ctx, id: string): Plan<Deleted> {
  const { compliance } = telephonyOf(ctx)
  const unused = sql`select assert_condition(b.ids = '{}', 'CONFLICT', 'Bundles name this address: delete them first',
    jsonb_build_object('referenced_by', 'phone_bundles', 'ids', b.ids))
      from (select bundles_of_address(${id}::uuid, ${MOST_NAMED}::int) as ids) b`
  const isKnown = among(phoneAddresses, id, ['active', 'failed'], 'The address is still being created: try again in some minutes')
  return deleteAt(
    ctx,
    { table: phoneAddresses, what: 'address', id, guards: [unused, withoutNumbers('address_id', id), isKnown] },
    (name, provider) => compliance.deleteAddress({ name, id: provider }),
  )
}

/**
 * Deletes a bundle with its end user and documents, at the provider first. @throws NOT_FOUND, CONFLICT while it is being created or
 * reviewed, PROVIDER_ERROR
 */
export function deleteBundle(ctx: Ctx, id: string): Plan<Deleted> {
  const { compliance } = telephonyOf(ctx)
  const statuses = ['draft', 'rejected', 'approved', 'provisionally_approved', 'failed']
  const isIdle = among(phoneBundles, id, statuses, 'The bundle is being created or reviewed: wait until that has ended')
  return deleteAt(ctx, { table: phoneBundles, what: 'bundle', id, guards: [withoutNumbers('bundle_id', id), isIdle] }, (name, provider) =>
    compliance.deleteBundle({ name, id: provider }),
  )
}

/** The provider keeps what a number was bought with. */
const withoutNumbers = (column: 'address_id' | 'bundle_id', id: string): Statement =>
  sql`select assert_condition(n.ids = '{}', 'CONFLICT', 'Phone numbers were bought with it: release them first',
    jsonb_build_object('referenced_by', 'phone_numbers', 'ids', n.ids))
    from (select array(select p.id from phone_numbers p where p.${sql.identifier(column)} = ${id}::uuid order by p.id
      limit ${MOST_NAMED}::int) as ids) n`

const among = (table: Table, id: string, statuses: string[], message: string): Statement =>
  assert(sql`exists (select from ${table} where id = ${id} and status = any (${`{${statuses}}`}::text[]))`, 'CONFLICT', message, {
    ids: [id],
  })

type Of = { table: Table; what: string; id: string; guards: Statement[] }

/**
 * The row stays until the provider has nothing left, so a request whose outcome is not known is repeated: what the provider does not have
 * any more is deleted already.
 */
function deleteAt(
  ctx: Ctx,
  { table, what, id, guards }: Of,
  call: (name: string, providerId: string | null) => Promise<void>,
): Plan<Deleted> {
  const found = oneOrThrow(db.select({ id: table.id, provider_id: table.provider_id }).from(table).where(eq(table.id, id)), what, id)
  let reason = 'the outcome is not known: repeat the request'
  return withOutside<AtProvider, void, Deleted>(plan([lockForUpdate(ctx, table, id, what), ...guards], found), {
    call: async ({ provider_id }) => {
      try {
        await call(id, provider_id)
      } catch (error) {
        reason = loggable(error instanceof Error ? error.message : String(error), 300)
        throw error
      }
    },
    preview: () => ({ id, deleted: true }),
    settle: (_, called) => (called.ok ? [sql`delete from ${table} where id = ${id}`] : []),
    result: () =>
      mapResult(plainRows<{ left: boolean }>(sql`select exists (select from ${table} where id = ${id})`, ['left']), ([row]) => {
        if (row?.left) throw providerError(reason)
        return { id, deleted: true as const }
      }),
  })
}
