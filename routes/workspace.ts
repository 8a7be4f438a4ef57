import { approvalPoliciesApi } from './approval-policies.ts'
import { approvalsApi } from './approvals.ts'
import { companyApi } from './company.ts'
import { creditsApi } from './credits.ts'
import { customFieldSettingsApi, customFieldsApi } from './custom-fields.ts'
import { deadLettersApi } from './dead-letters.ts'
import { eventsApi, eventTypesApi } from './events.ts'
import { exchangeRatesApi } from './exchange-rates.ts'
import { hooksApi, incomingWebhooksApi } from './incoming-webhooks.ts'
import { keysApi, meApi } from './keys.ts'
import { leadSourcesApi } from './lead-sources.ts'
import { invitationsApi, membersApi } from './members.ts'
import { outgoingRequestsApi } from './outgoing-requests.ts'
import './payment-settings.ts'
import { permissionsApi } from './permissions.ts'
import { requestsApi } from './requests.ts'
import { rolesApi } from './roles.ts'
import { settingsApi } from './settings.ts'
import { webhooksApi } from './webhooks.ts'
import './picklists.ts'

/** The resources of this area, in the order in which their paths are matched and documented. */
export const apis = [
  companyApi,
  membersApi,
  invitationsApi,
  settingsApi,
  exchangeRatesApi,
  leadSourcesApi,
  customFieldsApi,
  customFieldSettingsApi,
  approvalsApi,
  approvalPoliciesApi,
  eventsApi,
  eventTypesApi,
  requestsApi,
  deadLettersApi,
  keysApi,
  meApi,
  rolesApi,
  permissionsApi,
  webhooksApi,
  incomingWebhooksApi,
  outgoingRequestsApi,
  hooksApi,
  creditsApi,
]
