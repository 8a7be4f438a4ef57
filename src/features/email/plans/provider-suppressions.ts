import type { Env } from '../../../env.ts'
import { postmarkDetails } from '../provider/postmark-details.ts'
import { postmarkSuppressions } from '../provider/postmark-suppressions.ts'

export { MOST_LIFTED, type OutsideSuppression } from '../provider/postmark-suppressions.ts'

/** The addresses that the mail provider of the deployment has suppressed. */
export const suppressionsOf = ({ EMAIL_API_URL: url, EMAIL_API_TOKEN: token }: Env) => postmarkSuppressions({ url, token })

/** What the mail provider knows of an email, by its id there. */
export const emailDetailsOf = ({ EMAIL_API_URL: url, EMAIL_API_TOKEN: token }: Env) => postmarkDetails({ url, token })
export type ProviderSuppressions = ReturnType<typeof suppressionsOf>
