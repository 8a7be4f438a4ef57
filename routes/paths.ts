/** The path of every router below /v1, by the area it is loaded with. Nothing else repeats one: routes/index.ts derives from these which area serves a URL. */
/** Customers, what is sold to them, and the work with them. */
export const CRM = {
  activities: '/activities',
  companies: '/companies',
  customers: '/customers',
  contacts: '/contacts',
  imports: '/imports',
  invoices: '/invoices',
  opportunities: '/opportunities',
  deals: '/deals',
  pipelines: '/pipelines',
  products: '/products',
  filters: '/filters',
  search: '/search',
  stakeholderTypes: '/stakeholder-types',
  dealStakeholders: '/deal-stakeholders',
  tasks: '/tasks',
} as const

/** The workspace itself: its members, settings and keys, approvals, and what has happened. */
export const WORKSPACE = {
  approvals: '/approvals',
  events: '/events',
  company: '/company',
  customFields: '/custom-fields',
  customFieldSettings: '/custom-field-settings',
  keys: '/api-keys',
  me: '/me',
  leadSources: '/lead-sources',
  members: '/company/users',
  invitations: '/invitations',
  requests: '/requests',
  roles: '/roles',
  settings: '/company',
  permissions: '/permissions',
} as const
