/** The most recipients of one call of the provider. */
export const MAX_CAMPAIGN_BATCH = 500
/** The most bytes of one call, so that a Worker has room for it; the provider takes 50 MB. */
export const MAX_BATCH_BYTES = 8_000_000
/** The largest body of a campaign, in characters. */
export const MAX_BODY_HTML = 200_000
/** The most contacts of a preview. */
export const MAX_AUDIENCE_SAMPLE = 50
/** The most contacts of a preview that are counted. */
export const MAX_AUDIENCE_COUNTED = 100_000
/** The contacts that one statement adds as recipients, and those that it looks at to find them. */
export const MAX_PART = 5_000
export const MAX_PART_WALKED = 20_000
/** After so many attempts in a row that the provider could not accept, the campaign is paused. */
export const MAX_CAMPAIGN_FAILURES = 6
/** The links of a campaign of which clicks are recorded, those that were followed first, and the longest of them, in characters. */
export const MAX_LINKS = 200
export const MAX_LINK = 2_000
/** The largest limit of the emails of a campaign per minute or hour. */
export const MAX_RATE = 1_000_000
