import type { Endpoint } from '../src/http/endpoint.ts'
import { contactsApi } from './contacts.ts'
import { opportunitiesApi } from './opportunities.ts'
import './opportunity-parts.ts'
import { pipelinesApi } from './pipelines.ts'

/** Every endpoint: served, documented and tested from this one list. */
export const endpoints: Endpoint[] = [contactsApi, opportunitiesApi, pipelinesApi].flatMap(({ endpoints }) => endpoints)
