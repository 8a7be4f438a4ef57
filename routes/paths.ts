/**
 * The paths of all routers below /v1, by the area that they are loaded with. They are defined only here; routes/index.ts derives from
 * them which area serves a URL.
 */
/** The area of customer records: contacts, companies, opportunities and the records around them. */
export const CRM = {
  activities: '/activities',
  companies: '/companies',
  conversations: '/conversations',
  email: '/email',
  emailConfigs: '/email/configs',
  emailDrafts: '/email/drafts',
  emailTemplates: '/email-templates',
  emailThreads: '/email/threads',
  customers: '/customers',
  contacts: '/contacts',
  exports: '/exports',
  exportTemplates: '/exports/templates',
  imports: '/imports',
  invoices: '/invoices',
  lists: '/lists',
  messages: '/messages',
  opportunities: '/opportunities',
  deals: '/deals',
  orderForms: '/order-forms',
  pipelines: '/pipelines',
  products: '/products',
  productComponents: '/product-components',
  componentInstances: '/component-instances',
  sms: '/sms',
  supplierCatalog: '/supplier-catalog',
  suppressions: '/suppressions',
  filters: '/filters',
  search: '/search',
  stakeholderTypes: '/stakeholder-types',
  dealStakeholders: '/deal-stakeholders',
  tasks: '/tasks',
  workOrders: '/work-orders',
  workOrderStatuses: '/work-order-statuses',
  workOrderFeeds: '/work-order-feeds',
  portals: '/portals',
} as const

/** The area of the workspace: its members, settings, keys, approvals, events and requests. */
export const WORKSPACE = {
  approvalPolicies: '/approval-policies',
  agentProposals: '/agent-proposals',
  approvals: '/approvals',
  deadLetters: '/dead-letters',
  events: '/events',
  eventTypes: '/event-types',
  company: '/company',
  credits: '/billing/credits',
  exchangeRates: '/company/exchange-rates',
  customFields: '/custom-fields',
  customFieldSettings: '/custom-field-settings',
  jobs: '/jobs',
  keys: '/api-keys',
  me: '/me',
  leadSources: '/lead-sources',
  members: '/company/users',
  invitations: '/invitations',
  requests: '/requests',
  roles: '/roles',
  serviceRequests: '/service-requests',
  settings: '/company',
  permissions: '/permissions',
  webhooks: '/webhooks',
  incomingWebhooks: '/incoming-webhooks',
  outgoingRequests: '/outgoing-requests',
  hooks: '/hooks',
} as const

/** The area of what acts by itself: automations, their runs, auto queues and schedules. */
export const AUTOMATION = {
  automations: '/automations',
  catalogue: '/automation-catalogue',
  runs: '/automation-runs',
  autoQueues: '/auto-queues',
  eventQueues: '/event-queues',
  autoSchedules: '/auto-schedules',
  eventSchedules: '/event-schedules',
} as const

/** The area of telephony: numbers, calls, and what regulators ask for. */
export const PHONE = {
  numbers: '/phone/numbers',
  voiceAgents: '/phone/voice-agents',
  callLogs: '/phone/call-logs',
  addresses: '/phone/addresses',
  bundles: '/phone/bundles',
} as const

/** The area of agents. */
export const AGENTS = {
  agents: '/agents',
  voices: '/voices',
  templates: '/voice-agent-templates',
  transcripts: '/transcripts',
  instructions: '/ai-instructions',
} as const

/** The area of WhatsApp. */
export const WHATSAPP = { whatsapp: '/whatsapp', conversations: '/whatsapp/conversations', groups: '/whatsapp/groups' } as const

/** The area of email campaigns. */
export const CAMPAIGNS = { campaigns: '/email-campaigns' } as const

/** The area of calendars that members connect. */
export const CALENDARS = { connections: '/calendar-connections' } as const

/** The area of mailboxes that members connect. */
export const MAILBOXES = { mailboxes: '/mailboxes' } as const

/** The area of scheduling: event types, working hours, bookings, and the tools of voice agents. */
export const SCHEDULING = {
  eventTypes: '/scheduled-event-types',
  bookings: '/scheduling-bookings',
  waitingList: '/scheduling-waiting-list',
  availability: '/scheduling/availability',
  availabilitySchedules: '/scheduling/availability-schedules',
  timeOff: '/scheduling/time-off',
  holidayCalendars: '/scheduling/holiday-calendars',
  voice: '/scheduling/voice',
  voiceProviders: '/scheduling/voice-providers',
} as const

/** The area of what models do. */
export const AGENT_OPS = { skills: '/skills', autoResponders: '/auto-responders' } as const

/** The area of documents: their templates, and the files of the workspace. */
export const DOCUMENTS = {
  documents: '/documents',
  documentTemplates: '/document-templates',
  files: '/files',
  whiteboards: '/whiteboards',
  notepads: '/notepads',
  trainingCanvases: '/training-canvases',
  trainingCards: '/training-cards',
} as const
/** The area of growth: reviews, case studies and leads. */
export const GROWTH = {
  reviews: '/reputation/reviews',
  reviewRequests: '/reputation/review-requests',
  caseStudies: '/reputation/case-studies',
  reputation: '/reputation',
  leadResults: '/lead-gen/results',
  leadInitiatives: '/lead-gen/initiatives',
} as const
/** The area of agencies. */
export const AGENCY = { agency: '/agency' } as const
/** The area of knowledge: texts that answer questions. */
export const KNOWLEDGE = {
  bases: '/knowledge-bases',
  entries: '/knowledge-entries',
  voice: '/agent-knowledge-bases',
  memory: '/memory',
  ai: '/ai-knowledge',
} as const
/** Outside /v1: visitors upload images there. */
export const PUBLIC_IMAGES = { publicImageUpload: '/public-image-upload' } as const
