import { agentsApi, voicesApi } from './agents.ts'
import { aiInstructionsApi } from './instructions.ts'
import { voiceAgentTemplatesApi } from './templates.ts'
import { transcriptsApi } from './transcripts.ts'

/** The resources of this area, in the order in which their paths are matched and documented. */
export const apis = [agentsApi, voicesApi, voiceAgentTemplatesApi, transcriptsApi, aiInstructionsApi]
