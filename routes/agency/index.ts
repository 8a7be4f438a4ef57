import { agencyApi } from './agency.ts'
import './commission.ts'
import './requests.ts'

/** The resources of this area, in the order in which their paths are matched and documented. */
export const apis = [agencyApi]
