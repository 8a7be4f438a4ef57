import type { Endpoint } from '../src/http/endpoint.ts'
import { activitiesApi } from './activities.ts'
import { approvalsApi, eventsApi } from './approvals.ts'
import { companiesApi } from './companies.ts'
import { companyApi } from './company.ts'
import { contactsApi } from './contacts.ts'
import { customFieldSettingsApi, customFieldsApi } from './custom-fields.ts'
import { invoicesApi } from './invoices.ts'
import { keysApi, meApi } from './keys.ts'
import { leadSourcesApi } from './lead-sources.ts'
import { invitationsApi, membersApi } from './members.ts'
import { opportunitiesApi } from './opportunities.ts'
import './opportunity-parts.ts'
import './opportunity-details.ts'
import './billing-parties.ts'
import './attachments.ts'
import './timeline.ts'
import { pipelinesApi } from './pipelines.ts'
import { productsApi } from './products.ts'
import { filtersApi } from './record-search.ts'
import { searchApi } from './search.ts'
import { settingsApi } from './settings.ts'
import { dealStakeholdersApi, stakeholderTypesApi } from './stakeholders.ts'
import { tasksApi } from './tasks.ts'

/** Every endpoint: served, documented and tested from this one list. */
export const endpoints: Endpoint[] = [
  contactsApi,
  companiesApi,
  opportunitiesApi,
  pipelinesApi,
  productsApi,
  stakeholderTypesApi,
  dealStakeholdersApi,
  tasksApi,
  activitiesApi,
  invoicesApi,
  leadSourcesApi,
  companyApi,
  membersApi,
  invitationsApi,
  settingsApi,
  customFieldsApi,
  customFieldSettingsApi,
  searchApi,
  filtersApi,
  approvalsApi,
  eventsApi,
  keysApi,
  meApi,
].flatMap(({ endpoints }) => endpoints)
