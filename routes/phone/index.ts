import { callLogsApi, voiceAgentsApi } from './calls.ts'
import { addressesApi, bundlesApi } from './compliance.ts'
import { phoneNumbersApi } from './numbers.ts'

/** The resources of this area, in the order in which their paths are matched and documented. */
export const apis = [phoneNumbersApi, voiceAgentsApi, callLogsApi, addressesApi, bundlesApi]
