import { keysApi, meApi } from './access/keys.ts'
import { creditsApi } from './billing/credits.ts'
import { deadLettersApi } from './dead-letters.ts'
import { eventsApi, eventTypesApi } from './events.ts'
import { jobsApi } from './jobs.ts'
import { invitationsApi, membersApi } from './members.ts'
import { exchangeRatesApi } from './pipelines/exchange-rates.ts'
import { agentProposalsApi } from './requests/agent-proposals.ts'
import { approvalPoliciesApi } from './requests/approval-policies.ts'
import { approvalsApi } from './requests/approvals.ts'
import { companyApi } from './settings/company.ts'
import { customFieldSettingsApi, customFieldsApi } from './settings/custom-fields.ts'
import { leadSourcesApi } from './settings/lead-sources.ts'
import { hooksApi, incomingWebhooksApi } from './webhooks/incoming-webhooks.ts'
import { outgoingRequestsApi } from './webhooks/outgoing-requests.ts'
import './orders/payment-settings.ts'
import { permissionsApi } from './access/permissions.ts'
import { rolesApi } from './access/roles.ts'
import { requestsApi } from './requests/requests.ts'
import { serviceRequestsApi } from './service-requests.ts'
import { settingsApi } from './settings/settings.ts'
import { webhooksApi } from './webhooks/webhooks.ts'
import './settings/picklists.ts'

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
  agentProposalsApi,
  approvalPoliciesApi,
  eventsApi,
  eventTypesApi,
  requestsApi,
  deadLettersApi,
  jobsApi,
  keysApi,
  meApi,
  rolesApi,
  permissionsApi,
  webhooksApi,
  incomingWebhooksApi,
  outgoingRequestsApi,
  hooksApi,
  creditsApi,
  serviceRequestsApi,
]
