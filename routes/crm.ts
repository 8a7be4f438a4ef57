import { activitiesApi } from './activities.ts'
import { invoicesApi } from './billing/invoices.ts'
import { companiesApi } from './companies.ts'
import { componentInstancesApi, productComponentsApi } from './components.ts'
import { contactsApi } from './contacts.ts'
import { conversationsApi } from './conversations.ts'
import { emailApi, emailConfigsApi, emailThreadsApi } from './email/email.ts'
import { emailDraftsApi } from './email/email-drafts.ts'
import { emailTemplatesApi } from './email/email-templates.ts'
import { exportCatalogueApi } from './export-catalogue.ts'
import { exportTemplatesApi } from './export-templates.ts'
import { filtersApi } from './filters.ts'
import { importsApi } from './imports.ts'
import { listsApi } from './lists.ts'
import { messagesApi } from './messages/messages.ts'
import { opportunitiesApi } from './opportunities/index.ts'
import './upserts.ts'
import { suppressionsApi } from './messages/suppressions.ts'
import { orderFormsApi } from './orders/order-forms.ts'
import { pipelinesApi } from './pipelines/pipelines.ts'
import { portalsApi } from './portals/portals.ts'
import { productsApi } from './products.ts'
import { searchApi } from './search/search.ts'
import { smsApi } from './sms.ts'
import { dealStakeholdersApi, stakeholderTypesApi } from './stakeholders.ts'
import { supplierCatalogApi } from './supplier-catalog.ts'
import { tasksApi } from './tasks.ts'
import { workOrderFeedsApi } from './work-orders/work-order-feeds.ts'
import { workOrderStatusesApi } from './work-orders/work-order-statuses.ts'
import { workOrdersApi } from './work-orders/work-orders.ts'

/** The resources of this area, in the order in which their paths are matched and documented. */
export const apis = [
  contactsApi,
  companiesApi,
  opportunitiesApi,
  pipelinesApi,
  productsApi,
  supplierCatalogApi,
  productComponentsApi,
  componentInstancesApi,
  stakeholderTypesApi,
  dealStakeholdersApi,
  tasksApi,
  workOrdersApi,
  workOrderStatusesApi,
  workOrderFeedsApi,
  portalsApi,
  activitiesApi,
  invoicesApi,
  orderFormsApi,
  searchApi,
  filtersApi,
  listsApi,
  messagesApi,
  conversationsApi,
  emailThreadsApi,
  emailConfigsApi,
  emailTemplatesApi,
  emailDraftsApi,
  emailApi,
  smsApi,
  suppressionsApi,
  exportTemplatesApi,
  exportCatalogueApi,
  importsApi,
]
