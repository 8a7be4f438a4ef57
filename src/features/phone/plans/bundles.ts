import { eq, sql } from 'drizzle-orm'
import { phoneBundles } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { call } from '../../../data/call.ts'
import { db } from '../../../data/db.ts'
import { afterRead, type Plan, plan, read, withOutside } from '../../../data/plan.ts'
import { assert, assertNoPaths, mapResult, oneOrThrow, rows } from '../../../data/query.ts'
import { columnsFor, lockForUpdate } from '../../../data/store.ts'
import { invalid } from '../../../errors.ts'
import { newId } from '../../../lib/ids.ts'
import { loggable } from '../../../lib/text.ts'
import type { Requirement } from '../../sms/provider/port.ts'
import type { BundleItems } from '../rules/phone-records.ts'
import { PhoneBundle, type PhoneBundleDetail, type PhoneBundleToAdd } from '../schemas/phone.ts'
import { LEASE } from './addresses.ts'
import { type BundleOutcome, type BundleWork, createBundle, submit } from './bundle-work.ts'
import { providerError, telephonyOf } from './numbers.ts'

const columns = columnsFor(phoneBundles, PhoneBundle)
const bundle = (id: string) => db.select(columns).from(phoneBundles).where(eq(phoneBundles.id, id))
const work = {
  attempts: phoneBundles.attempts,
  items: phoneBundles.items,
  provider_id: phoneBundles.provider_id,
  workspace_id: phoneBundles.workspace_id,
}
type Reserved = PhoneBundle & Pick<BundleWork, 'attempts' | 'items' | 'provider_id' | 'workspace_id'>
const reserved = (id: string) =>
  oneOrThrow(
    db
      .select({ ...columns, ...work })
      .from(phoneBundles)
      .where(eq(phoneBundles.id, id)),
    'bundle',
    id,
  )
const shown = ({ attempts: _, items: __, provider_id: ___, workspace_id: ____, ...bundle }: Reserved): PhoneBundle => bundle

const settled = (outcome: BundleOutcome) => call('settle_phone_bundle', JSON.stringify(outcome))

/**
 * Creates a bundle with its end user and documents at the provider. An unclear outcome is looked up in the background. @throws
 * PROVIDER_ERROR
 */
export function addBundle(ctx: Ctx, { end_user, documents, ...fields }: PhoneBundleToAdd): Plan<PhoneBundle> {
  const telephony = telephonyOf(ctx)
  const id = newId()
  const sent = JSON.stringify(documents)
  const named = `{${documents.flatMap(({ address_ids = [] }) => address_ids).join(',')}}`
  const unknown = sql`array(select 'documents.' || (d - 1) || '.address_ids.' || (n - 1)
    from jsonb_array_elements(${sent}::jsonb) with ordinality x(document, d)
    cross join lateral jsonb_array_elements_text(document -> 'address_ids') with ordinality y(address, n)
    where address::uuid <> all (array(select a.id from phone_addresses a where a.id = any (${named}::uuid[]) and a.status = 'active')))`
  const { friendly_name, email, country, number_type, end_user_type } = fields
  const insert = sql`insert into phone_bundles (id, friendly_name, email, country, number_type, end_user_type, due_at, address_ids, items)
    values (${id}, ${friendly_name}, ${email}, ${country}, ${number_type}, ${end_user_type}, now() + make_interval(secs => ${LEASE}),
      array(select distinct unnest(${named}::uuid[])),
        jsonb_build_object('end_user', ${JSON.stringify(end_user)}::jsonb,
        'documents', (select coalesce(jsonb_agg(document - 'address_ids' || jsonb_build_object(
        'address_sids', (select coalesce(jsonb_agg(a.provider_id order by n), '[]')
          from jsonb_array_elements_text(document -> 'address_ids') with ordinality y(address, n)
          join (select * from phone_addresses where id = any (${named}::uuid[])) a on a.id = address::uuid)) order by d), '[]')
          from jsonb_array_elements(${sent}::jsonb) with ordinality x(document, d))))`
  let refusal: string | null = null
  return withOutside<Reserved, BundleOutcome, PhoneBundle>(
    plan([assertNoPaths(unknown, 'is no active address of this workspace'), insert], reserved(id)),
    {
      call: async (row) => {
        const outcome = await createBundle(telephony, { ...row, items: row.items as BundleItems }, false)
        if (outcome.status === 'failed') refusal = outcome.error
        return outcome
      },
      settle: ({ id }, called) => {
        if (!called.ok) return []
        return called.value.status === 'failed'
          ? [sql`delete from phone_bundles where id = ${id} and status = 'creating'`]
          : [settled(called.value)]
      },
      preview: shown,
      result: ({ id }) =>
        mapResult(rows(bundle(id)), ([row]) => {
          if (row) return row
          throw providerError(refusal ?? 'the bundle was refused')
        }),
    },
  )
}

/** Hands a bundle in for review. @throws VALIDATION_ERROR that names the requirements which it does not fulfil, CONFLICT, PROVIDER_ERROR */
export function submitBundle(ctx: Ctx, id: string): Plan<PhoneBundle> {
  const { compliance } = telephonyOf(ctx)
  const isOpen = sql`exists (select from phone_bundles where id = ${id} and status in ('draft', 'rejected', 'submitting'))`
  const reserve = sql`update phone_bundles set status = 'submitting', attempts = 1, due_at = now() + make_interval(secs => ${LEASE})
    where id = ${id}`
  const refused = 'Only a bundle with the status draft or rejected can be submitted'
  let failing: Requirement[] = []
  let refusal: string | null = null
  return withOutside<Reserved, BundleOutcome, PhoneBundle>(
    plan([lockForUpdate(ctx, phoneBundles, id, 'bundle'), assert(isOpen, 'CONFLICT', refused, { ids: [id] }), reserve], reserved(id)),
    {
      call: async (row) => {
        const { requirements, ...outcome } = await submit(compliance, row)
        failing = requirements
        if (outcome.status === 'draft') refusal = outcome.error
        return outcome
      },
      settle: (_, called) => (called.ok ? [settled(called.value)] : []),
      preview: shown,
      result: () =>
        mapResult(oneOrThrow(bundle(id), 'bundle', id), (row) => {
          if (failing.length > 0) throw invalid(failing.map(issueOf))
          if (refusal !== null) throw providerError(refusal)
          return row
        }),
    },
  )
}

const issueOf = ({ name, friendly_name, failure_reason, invalid }: Requirement) => ({
  path: name,
  message: [
    friendly_name,
    failure_reason ?? 'is not fulfilled',
    ...invalid.map(({ field, reason }) => `${field}: ${reason ?? 'missing'}`),
  ].join('; '),
})

/** Returns a bundle with what the provider says of it now. */
export function getBundle(ctx: Ctx, id: string): Plan<PhoneBundleDetail> {
  const { compliance } = telephonyOf(ctx)
  return afterRead(read(mapResult(reserved(id), (row) => row)), async (row) => {
    const stored = shown(row)
    if (row.provider_id === null) return { ...stored, provider: null, evaluations: null, provider_error: null }
    try {
      const [provider, evaluations] = await Promise.all([compliance.bundle(row.provider_id), compliance.evaluations(row.provider_id)])
      return { ...stored, provider, evaluations, provider_error: null }
    } catch (error) {
      return {
        ...stored,
        provider: null,
        evaluations: null,
        provider_error: loggable(error instanceof Error ? error.message : String(error), 300),
      }
    }
  })
}
