import type { Endpoint } from '../src/http/endpoint.ts'
import { approvalsApi, eventsApi } from './approvals.ts'
import { contactsApi } from './contacts.ts'
import { keysApi, meApi } from './keys.ts'
import { opportunitiesApi } from './opportunities.ts'
import './opportunity-parts.ts'
import { pipelinesApi } from './pipelines.ts'

/** Every endpoint: served, documented and tested from this one list. */
export const endpoints: Endpoint[] = [approvalsApi, eventsApi, keysApi, meApi, contactsApi, opportunitiesApi, pipelinesApi].flatMap(
  ({ endpoints }) => endpoints,
)
