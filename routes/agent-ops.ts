import { autoRespondersApi } from './auto-responders.ts'
import { skillsApi } from './skills.ts'

/** The resources of this area, in the order in which their paths are matched and documented. */
export const apis = [skillsApi, autoRespondersApi]
