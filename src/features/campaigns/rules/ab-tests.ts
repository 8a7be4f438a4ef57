/** The two subjects of a test. `a` is the subject of the campaign. */
export const VARIANTS = ['a', 'b'] as const
export type Variant = (typeof VARIANTS)[number]

export const AB_METRICS = ['opens', 'clicks'] as const
export type AbMetric = (typeof AB_METRICS)[number]

/** A test of two subjects. Half of the sample gets each, and the others get the better one once the time has gone by. */
export type AbTest = { subject_b: string; sample_percent: number; decide_after_minutes: number; by: AbMetric }

/** The largest sample, in percent: somebody must be left who gets the better subject. */
export const MAX_SAMPLE_PERCENT = 90
/** The least and the most minutes from the end of the sample's send to the decision. */
export const MIN_DECIDE_MINUTES = 5
export const MAX_DECIDE_MINUTES = 7 * 24 * 60

/** What the mail provider may report about the emails of campaigns, from the settings of the workspace. */
export type Tracked = { opens: boolean; clicks: boolean }
export const TRACKING_SETTINGS = { opens: 'campaign_open_tracking', clicks: 'campaign_click_tracking' } as const satisfies Record<
  AbMetric,
  string
>

/**
 * The subject that the larger share of its recipients has opened, or followed a link of. A draw, and no data, is for `a`. `counts` has
 * those of each subject with its prefix.
 */
export function winnerOf(by: AbMetric, counts: Record<string, number>): Variant {
  const [a, b] = VARIANTS.map((variant) => {
    const count = (mark: string) => counts[`${variant}_${mark}`] ?? 0
    const reached = count('recipients') - count('queued') - count('failed')
    return { reached, hits: count('clicked') + (by === 'opens' ? count('opened') : 0) }
  }) as [Outcome, Outcome]
  return b.hits * a.reached > a.hits * b.reached || (a.reached === 0 && b.hits > 0) ? 'b' : 'a'
}
type Outcome = { reached: number; hits: number }
