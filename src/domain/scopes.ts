/** Every scope that an endpoint asks for, by resource. A test compares this list with the endpoints. */
export const SCOPES_BY_RESOURCE = {
  activities: ['read', 'write'],
  'api-keys': ['read', 'write'],
  'approval-policies': ['read', 'write', 'delete'],
  approvals: ['read', 'write'],
  'auto-queues': ['read', 'write', 'delete'],
  automations: ['read', 'write', 'delete'],
  calendars: ['read', 'write'],
  calls: ['read'],
  companies: ['read', 'write', 'delete'],
  company: ['read', 'write', 'delete'],
  contacts: ['read', 'write', 'delete'],
  credits: ['read'],
  'dead-letters': ['read', 'write', 'delete'],
  documents: ['read', 'write'],
  email: ['read', 'write', 'send'],
  'email-campaigns': ['read', 'write', 'delete'],
  'email-config': ['write'],
  events: ['read'],
  files: ['read', 'write', 'delete'],
  imports: ['read', 'write', 'delete'],
  invoices: ['read', 'write', 'delete'],
  lists: ['read', 'write', 'delete'],
  mailboxes: ['read', 'write'],
  notepads: ['read', 'write', 'delete'],
  opportunities: ['read', 'write', 'delete'],
  'personal-email': ['read', 'send'],
  phone: ['read', 'write'],
  pipelines: ['read', 'write', 'delete'],
  products: ['read', 'write', 'delete'],
  requests: ['read'],
  resources: ['read', 'write', 'delete'],
  roles: ['read', 'write', 'delete'],
  schedules: ['read', 'write', 'delete'],
  scheduling: ['read', 'write'],
  sms: ['read', 'write', 'send'],
  tasks: ['read', 'write', 'delete'],
  users: ['read', 'write', 'delete'],
  webhooks: ['read', 'write', 'delete'],
  websites: ['read', 'write'],
  whatsapp: ['read', 'write', 'send'],
  'work-orders': ['read', 'write'],
} as const

const resources = Object.entries(SCOPES_BY_RESOURCE)
const ACTIONS = ['read', 'write', 'delete'] as const

/** Scopes that keys and roles may have: those of endpoints, and `*` for all resources or all actions. */
export const SCOPES: readonly string[] = [
  ...resources.flatMap(([resource, actions]) => [...actions, '*'].map((action) => `${resource}:${action}`)),
  ...ACTIONS.map((action) => `*:${action}`),
  '*:*',
]
