import { eq, sql } from 'drizzle-orm'
import { phoneAddresses } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { type Plan, plan, withOutside } from '../../../data/plan.ts'
import { mapResult, oneOrThrow, rows } from '../../../data/query.ts'
import { columnsFor, insertRow } from '../../../data/store.ts'
import { newId } from '../../../lib/ids.ts'
import { loggable } from '../../../lib/text.ts'
import { type ComplianceProvider, Refused } from '../../sms/provider/port.ts'
import { waitAfter } from '../rules/phone-records.ts'
import { PhoneAddress, type PhoneAddressToAdd } from '../schemas/phone.ts'
import { providerError, telephonyOf } from './numbers.ts'

const columns = columnsFor(phoneAddresses, PhoneAddress)

/** An address whose outcome at the provider is not known. */
export type AddressWork = PhoneAddressToAdd & { id: string; attempts: number }
/** What is known of it then, as settle_phone_address takes it. */
export type AddressOutcome = {
  id: string
  attempts: number
  status: PhoneAddress['status']
  provider_id?: string
  validated?: boolean
  error: string | null
  wait: number | null
}

/** The seconds that a request has before the background looks the address up. */
export const LEASE = 60

/**
 * Creates an address at the provider. Its row is written first; an unclear outcome is looked up in the background. @throws PROVIDER_ERROR
 */
export function addAddress(ctx: Ctx, address: PhoneAddressToAdd): Plan<PhoneAddress> {
  const { compliance } = telephonyOf(ctx)
  const id = newId()
  const record = db.select(columns).from(phoneAddresses).where(eq(phoneAddresses.id, id))
  const due_at = sql`now() + make_interval(secs => ${LEASE})`
  let refusal: string | null = null
  return withOutside<PhoneAddress, AddressOutcome, PhoneAddress>(
    plan([insertRow(phoneAddresses, { id, ...address, due_at })], oneOrThrow(record, 'address', id)),
    {
      call: async ({ id }) => {
        const outcome = await createAddress(compliance, { id, attempts: 1, ...address }, false)
        if (outcome.status === 'failed') refusal = outcome.error
        return outcome
      },
      settle: (_, called) =>
        !called.ok
          ? []
          : called.value.status === 'failed'
            ? [sql`delete from phone_addresses where id = ${id} and status = 'creating'`]
            : [call('settle_phone_address', JSON.stringify(called.value))],
      result: ({ id }) =>
        mapResult(rows(db.select(columns).from(phoneAddresses).where(eq(phoneAddresses.id, id))), ([row]) => {
          if (row) return row
          throw providerError(refusal ?? 'the address was refused')
        }),
    },
  )
}

/** Creates an address; with `isAgain` it is looked up first. Never throws. */
export async function createAddress(
  provider: ComplianceProvider,
  { id, attempts, ...address }: AddressWork,
  isAgain: boolean,
): Promise<AddressOutcome> {
  try {
    const created = (isAgain ? await provider.findAddress(id) : undefined) ?? (await provider.createAddress({ name: id, ...address }))
    return { id, attempts, status: 'active', provider_id: created.id, validated: created.validated, error: null, wait: null }
  } catch (error) {
    return { id, attempts, ...afterFailure(attempts, error) }
  }
}

/** A refusal ends it, and so does the last attempt. */
export function afterFailure(attempts: number, error: unknown): { status: 'creating' | 'failed'; error: string; wait: number | null } {
  const wait = error instanceof Refused ? undefined : waitAfter(attempts)
  const reason = loggable(error instanceof Error ? error.message : String(error), 300)
  return { status: wait === undefined ? 'failed' : 'creating', error: reason, wait: wait ?? null }
}
