/** How often the background tries what a request has reserved, and how many seconds later, after so many attempts. */
export const MAX_PHONE_ATTEMPTS = 6
const WAITS = [30, 120, 480, 1_920, 7_200]

/** The seconds until the next attempt; undefined after the last one. */
export const waitAfter = (attempts: number): number | undefined => (attempts < MAX_PHONE_ATTEMPTS ? (WAITS[attempts - 1] ?? 30) : undefined)

/**
 * The statuses of an address or a bundle that is not there at the provider yet: `creating` until that is known, `failed` when it will not
 * be.
 */
export const ADDRESS_STATUSES = ['creating', 'active', 'failed'] as const

/** `submitting`: it was handed in, but the outcome is not known yet. */
export const BUNDLE_STATUSES = [
  'creating',
  'failed',
  'draft',
  'submitting',
  'pending_review',
  'in_review',
  'rejected',
  'approved',
  'provisionally_approved',
] as const
export type BundleStatus = (typeof BUNDLE_STATUSES)[number]

export const NUMBER_TYPES = ['local', 'mobile', 'national', 'toll_free'] as const
export const END_USER_TYPES = ['business', 'individual'] as const

/** The person or company of a bundle and the documents about them, until the provider has them. */
export type BundleItems = {
  end_user: Record<string, string>
  documents: { type: string; attributes: Record<string, string>; address_sids: string[] }[]
}
