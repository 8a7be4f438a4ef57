import type { PlanVersion } from './commission.ts'

type Terms = Omit<PlanVersion, 'number' | 'from_month'>
export type PlanChange = Partial<Record<Exclude<keyof Terms, 'ongoing_months'>, number | undefined>> & {
  ongoing_forever?: boolean | undefined
  ongoing_months?: number | undefined
}
type Outcome = { plan: Terms } | { issues: { path: string; message: string }[] }

/** What a first plan has where nothing is sent. */
const NOTHING: Terms = { one_off_percent: 0, first_months: 0, first_months_percent: 0, ongoing_percent: 0, ongoing_months: null }

/** A plan with the fields that were sent in the place of its own. */
export function changedPlan(latest: Terms | null, sent: PlanChange): Outcome {
  const { ongoing_forever, ongoing_months } = sent
  const was = latest ?? NOTHING
  if (ongoing_forever === true && ongoing_months !== undefined)
    return { issues: [{ path: 'ongoing_months', message: 'must not be sent with ongoing_forever true: send one of them' }] }
  if (ongoing_forever === false && ongoing_months === undefined && was.ongoing_months === null)
    return { issues: [{ path: 'ongoing_months', message: 'must be sent with ongoing_forever false: for how many months it is' }] }
  return {
    plan: {
      one_off_percent: sent.one_off_percent ?? was.one_off_percent,
      first_months: sent.first_months ?? was.first_months,
      first_months_percent: sent.first_months_percent ?? was.first_months_percent,
      ongoing_percent: sent.ongoing_percent ?? was.ongoing_percent,
      ongoing_months: ongoing_forever ? null : (ongoing_months ?? was.ongoing_months),
    },
  }
}
