import { campaignsApi } from './campaigns.ts'
import { unsubscribeApi } from './unsubscribe.ts'

/** The resources of this area, in the order in which their paths are matched and documented. */
export const apis = [campaignsApi, unsubscribeApi]
