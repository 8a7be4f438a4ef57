import { permissionsApi } from '../src/http/permissions.ts'
import { approvalsApi, eventsApi } from './approvals.ts'
import { companyApi } from './company.ts'
import { customFieldSettingsApi, customFieldsApi } from './custom-fields.ts'
import { allEndpoints } from './index.ts'
import { keysApi, meApi } from './keys.ts'
import { leadSourcesApi } from './lead-sources.ts'
import { invitationsApi, membersApi } from './members.ts'
import { requestsApi } from './requests.ts'
import { rolesApi } from './roles.ts'
import { settingsApi } from './settings.ts'
import './picklists.ts'

/** The workspace itself: its members, settings and keys, what is held and what has happened. */
export const endpoints = [
  companyApi,
  membersApi,
  invitationsApi,
  settingsApi,
  leadSourcesApi,
  customFieldsApi,
  customFieldSettingsApi,
  approvalsApi,
  eventsApi,
  requestsApi,
  keysApi,
  meApi,
  rolesApi,
  permissionsApi(allEndpoints),
].flatMap(({ endpoints }) => endpoints)
