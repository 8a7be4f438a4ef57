import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Activities: 'Calls, emails, meetings and notes about a record.' },
  scopes: { activities: ['read', 'write'] },
  tables: {
    activities: {
      readers: ['activities:read'],
      hidden: { private_to: 'Nobody else sees the record, nor its history', has_others: 'Whether contact_ids has more than contact_id' },
      timeline: ['deal_id', 'contact_id', 'customer_id'],
      merges: { contact: { contact_id: 'activities' }, company: { customer_id: 'activities' }, opportunity: { deal_id: 'activities' } },
      purged: { body: null, outcome: null, subject: null, metadata: {} },
    },
    activity_contacts: { merges: { contact: { contact_id: 'activity_participations' } }, restored: true },
  },
}
