import { loggable } from '../../../lib/text.ts'
import { type BundleDetail, type ComplianceProvider, Refused, type Requirement, type Telephony } from '../../sms/provider/port.ts'
import { type BundleItems, type BundleStatus, waitAfter } from '../rules/phone-records.ts'
import { afterFailure } from './addresses.ts'

/** A bundle of which the background, or a request, does something at the provider. */
export type BundleWork = {
  id: string
  workspace_id: string
  email: string
  country: string
  number_type: string
  end_user_type: string
  status: BundleStatus
  attempts: number
  provider_id: string | null
  items: BundleItems | null
}
/** What is known of it then, as settle_phone_bundle takes it. */
export type BundleOutcome = {
  id: string
  attempts: number
  status: BundleStatus
  provider_id?: string
  error: string | null
  failure_reason?: string | null
  wait: number | null
}

const STATUS_OF: Record<string, BundleStatus> = {
  draft: 'draft',
  'pending-review': 'pending_review',
  'in-review': 'in_review',
  'twilio-rejected': 'rejected',
  'twilio-approved': 'approved',
  'provisionally-approved': 'provisionally_approved',
}

/** Creates a bundle with its parts; with `isAgain` each is looked up first. Never throws. */
export async function createBundle({ compliance, bundles_url }: Telephony, bundle: BundleWork, isAgain: boolean): Promise<BundleOutcome> {
  const { id, attempts, workspace_id, items, email, country, number_type, end_user_type } = bundle
  const { end_user = {}, documents = [] } = items ?? {}
  const status_url = `${bundles_url}/${workspace_id}/${id}`
  try {
    const form = { name: id, email, country, number_type, end_user_type, status_url, end_user, documents }
    const created = await compliance.createBundle(form, isAgain)
    return { id, attempts, status: 'draft', provider_id: created.id, error: null, wait: null }
  } catch (error) {
    return { id, attempts, ...afterFailure(attempts, error) }
  }
}

/** Evaluates a bundle and hands it in if it fulfils every requirement; returns those that it does not. Never throws. */
export async function submit(
  compliance: ComplianceProvider,
  { id, attempts, provider_id }: Pick<BundleWork, 'id' | 'attempts' | 'provider_id'>,
): Promise<BundleOutcome & { requirements: Requirement[] }> {
  const bundle = provider_id as string
  try {
    const { status, requirements } = await compliance.evaluate(bundle)
    if (status === 'noncompliant') {
      const failing = requirements.filter(({ passed }) => !passed)
      const error = `Requirements that it does not fulfil: ${failing.map(({ friendly_name }) => friendly_name).join(', ')}`
      return { ...seen(id, attempts, await compliance.bundle(bundle)), error: loggable(error, 300), requirements: failing }
    }
    return { ...seen(id, attempts, await compliance.submit(bundle)), requirements: [] }
  } catch (error) {
    return { ...unseen({ id, attempts, status: 'submitting' }, error), requirements: [] }
  }
}

/**
 * Looks at a bundle whose review goes on, or whose submission had an unclear outcome: one that the provider still has as a draft is handed
 * in again. Never throws.
 */
export async function review(compliance: ComplianceProvider, bundle: BundleWork): Promise<BundleOutcome> {
  const { id, attempts, provider_id, status } = bundle
  try {
    const detail = await compliance.bundle(provider_id as string)
    const isWaiting = status === 'submitting' && (detail.status === 'draft' || detail.status === 'twilio-rejected')
    if (!isWaiting) return seen(id, attempts, detail)
  } catch (error) {
    return unseen(bundle, error)
  }
  const { requirements: _, ...outcome } = await submit(compliance, bundle)
  return outcome
}

function seen(id: string, attempts: number, { status, failure_reason }: BundleDetail): BundleOutcome {
  const why = failure_reason === null ? null : loggable(failure_reason, 1_000)
  return { id, attempts, status: STATUS_OF[status] ?? 'in_review', error: null, failure_reason: why, wait: null }
}

/** A refusal, and the last attempt, leave a bundle that was to be submitted as a draft. */
function unseen({ id, attempts, status }: Pick<BundleWork, 'id' | 'attempts' | 'status'>, error: unknown): BundleOutcome {
  const wait = error instanceof Refused ? undefined : waitAfter(attempts)
  const reason = loggable(error instanceof Error ? error.message : String(error), 300)
  const ends = wait === undefined && status === 'submitting'
  return { id, attempts, status: ends ? 'draft' : status, error: reason, wait: wait ?? null }
}
