import { eq, sql } from 'drizzle-orm'
import { phoneNumbers } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { afterRead, type Plan, plan, read, withOutside } from '../../../data/plan.ts'
import { constant, mapResult, oneOrThrow, plainRows, rows } from '../../../data/query.ts'
import { columnsFor, lockForUpdate } from '../../../data/store.ts'
import { AppError } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { loggable } from '../../../lib/text.ts'
import type { NumberProvider, Purchase, Telephony } from '../../sms/provider/port.ts'
import { type NumberSearch, PhoneNumber, type PhoneNumberToBuy } from '../schemas/phone-numbers.ts'
import { missingRequirement, type Requirements, requirementGuards, requirementsOf } from './requirements.ts'

const columns = columnsFor(phoneNumbers, PhoneNumber)
const TYPES = { local: 'Local', mobile: 'Mobile', toll_free: 'TollFree' } as const

/** @throws CHANNEL_NOT_CONFIGURED when this deployment has no account. */
export function telephonyOf({ deployment }: Ctx): Telephony {
  if (deployment.telephony) return deployment.telephony
  throw new AppError('CHANNEL_NOT_CONFIGURED', 'This service has no account for phone numbers', { channel: 'sms' })
}

export const providerError = (reason: string) =>
  new AppError('PROVIDER_ERROR', `The provider of phone numbers failed: ${reason}`, { provider: 'twilio', reason })

/** Returns numbers that can be bought now. @throws PROVIDER_ERROR */
export function searchNumbers(ctx: Ctx, { country, type, contains, sms_enabled }: NumberSearch) {
  const { numbers } = telephonyOf(ctx)
  return afterRead(read(constant(null)), () =>
    numbers.search({ country, type: TYPES[type], contains, sms: sms_enabled }).then(
      (found) => ({ numbers: found }),
      (error) => {
        throw providerError(loggable(String(error), 300))
      },
    ),
  )
}

/** Where the provider reports what happens to a number of the workspace. */
const addressesOf = ({ events_url, calls_url }: Telephony, workspace: string) => ({
  sms_url: `${events_url}/${workspace}`,
  voice_url: `${calls_url}/${workspace}/answer`,
  status_url: `${calls_url}/${workspace}`,
})

type Reserved = PhoneNumber & { workspace_id: string } & Requirements

/**
 * Buys a number: its row is written first, and the outcome is stored after the call. If that was unclear, the provider is asked whether the
 * account has the number before it is bought again, also when the request is repeated later. @throws CONFLICT, PROVIDER_ERROR
 */
export function buyNumber(ctx: Ctx, { phone_number, friendly_name = phone_number, ...sent }: PhoneNumberToBuy): Plan<PhoneNumber> {
  const telephony = telephonyOf(ctx)
  const { numbers } = telephony
  const newRow = newId()
  const reserve = call('reserve_phone_number', newRow, phone_number, friendly_name)
  const row = db
    .select({ ...columns, workspace_id: phoneNumbers.workspace_id, ...requirementsOf(phone_number, sent) })
    .from(phoneNumbers)
    .where(eq(phoneNumbers.phone_number, phone_number))
  let reason = 'the outcome of the purchase is not known'
  return withOutside<Reserved, Purchase, PhoneNumber>(plan([...requirementGuards(sent), reserve], oneOrThrow(row, 'phone number')), {
    call: async ({ id, workspace_id, address, bundle }) => {
      const ids = { address: address?.sid ?? null, bundle: bundle?.sid ?? null }
      const wanted = { phone_number, friendly_name, ...addressesOf(telephony, workspace_id), ...ids }
      const purchase = await purchaseOf(numbers, wanted, id === newRow)
      if (purchase.outcome !== 'bought') reason = loggable(purchase.reason, 300)
      return purchase
    },
    settle: ({ id, address, bundle }, called) => {
      if (!called.ok || called.value.outcome === 'unclear') return []
      if (called.value.outcome !== 'bought') return [sql`delete from phone_numbers where id = ${id} and status = 'buying'`]
      const { id: provider_id, capabilities } = called.value.number
      return [
        sql`update phone_numbers set status = 'active', provider_id = ${provider_id}, sms_enabled = ${capabilities.sms},
          mms_enabled = ${capabilities.mms},
          voice_enabled = ${capabilities.voice}, address_id = ${address?.id ?? null}::uuid, bundle_id = ${bundle?.id ?? null}::uuid
            where id = ${id} and status = 'buying'`,
      ]
    },
    preview: ({ workspace_id: _, address: __, bundle: ___, ...number }) => number,
    result: ({ id }) =>
      mapResult(rows(db.select(columns).from(phoneNumbers).where(eq(phoneNumbers.id, id))), ([row]) => {
        if (row?.status === 'active') return row
        throw missingRequirement(reason) ?? providerError(row ? `${reason}: repeat the request to find out` : reason)
      }),
  })
}

async function purchaseOf(numbers: NumberProvider, number: Parameters<NumberProvider['buy']>[0], isNew: boolean): Promise<Purchase> {
  const owned = () =>
    numbers.findNumber(number.phone_number).then(
      (found): Purchase | undefined => found && { outcome: 'bought', number: found },
      (error): Purchase => ({ outcome: 'unclear', reason: String(error) }),
    )
  const before = isNew ? undefined : await owned()
  if (before) return before
  const purchase = await numbers.buy(number)
  return purchase.outcome === 'unclear' ? ((await owned()) ?? { ...purchase, outcome: 'unavailable' }) : purchase
}

type ToRelease = { id: string; provider_id: string | null; phone_number: string; has_agents: boolean }

/**
 * Gives a number back to the provider. From then on nothing is sent from it; its conversations remain. @throws NOT_FOUND, PROVIDER_ERROR
 */
export function releaseNumber(ctx: Ctx, id: string): Plan<{ id: string; deleted: true }> {
  const { numbers } = telephonyOf(ctx)
  const { voice } = ctx.deployment
  const { provider_id, phone_number, voice_provider_last_synced_at: synced } = phoneNumbers
  const has_agents = sql<boolean>`${synced} is not null`.as('has_agents')
  const found = oneOrThrow(
    db.select({ id: phoneNumbers.id, provider_id, phone_number, has_agents }).from(phoneNumbers).where(eq(phoneNumbers.id, id)),
    'phone number',
    id,
  )
  let isReleased = false
  return withOutside<ToRelease, void, { id: string; deleted: true }>(
    plan(
      [
        lockForUpdate(ctx, phoneNumbers, id, 'phone number'),
        sql`update phone_numbers set status = 'releasing' where id = ${id} and status <> 'releasing'`,
      ],
      found,
    ),
    {
      call: async (number) => {
        // The agents of a number that is gone answer no call, so a failure here changes nothing.
        if (number.has_agents) await voice?.provider.setAgents({ ...number, inbound: null, outbound: null }).catch(() => {})
        const sid = number.provider_id ?? (await numbers.findNumber(number.phone_number))?.id
        if (sid) await numbers.release(sid)
        isReleased = true
      },
      preview: () => ({ id, deleted: true }),
      settle: (_, called) => (called.ok ? [sql`delete from phone_numbers where id = ${id}`] : []),
      result: () =>
        mapResult(plainRows<{ left: boolean }>(sql`select exists (select from phone_numbers where id = ${id})`, ['left']), ([row]) => {
          if (row?.left && !isReleased) throw providerError('the number may not be released: repeat the request')
          return { id, deleted: true as const }
        }),
    },
  )
}
