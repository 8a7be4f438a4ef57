import type { Endpoint } from '../src/http/endpoint.ts'
import { contactsApi } from './contacts.ts'

/** Every endpoint: served, documented and tested from this one list. */
export const endpoints: Endpoint[] = [contactsApi].flatMap(({ endpoints }) => endpoints)
