import { autoQueuesApi } from './auto-queues/index.ts'
import { autoSchedulesApi } from './auto-schedules.ts'
import { automationsApi, catalogueApi } from './automations/index.ts'
import { automationRunsApi } from './automations/runs.ts'

/** The resources of this area, in the order in which their paths are matched and documented. */
export const apis = [automationsApi, catalogueApi, automationRunsApi, autoQueuesApi, autoSchedulesApi]
