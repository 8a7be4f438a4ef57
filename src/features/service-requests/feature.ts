import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { 'Service Requests': 'What the workspace asks of its agency or of the operator of the platform, with threads of notes.' },
  scopes: { 'service-requests': ['read', 'write'] },
  tables: {
    service_request_notes: {
      readers: ['service-requests:read'],
      hidden: { content: 'Too large for each change: GET /service-requests/:service_request_id returns it' },
    },
    service_requests: { readers: ['service-requests:read'] },
  },
}
