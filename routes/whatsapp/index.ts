import { conversationsApi } from './conversations.ts'
import { groupsApi } from './groups.ts'
import { whatsappApi } from './whatsapp.ts'

/** The resources of this area, in the order in which their paths are matched and documented. */
export const apis = [conversationsApi, groupsApi, whatsappApi]
