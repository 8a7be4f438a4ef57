import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    'Lead Gen Initiatives': 'Series of steps for people who were found: cadence, enrolments, and the dispatcher.',
    'Lead Generation': 'People and businesses that were found, and may become customers.',
  },
  scopes: { 'lead-gen': ['read', 'write', 'delete'] },
  tables: {
    lead_initiative_steps: {
      readers: ['lead-gen:read'],
      derived: { fired_count: 'How often it was taken', reply_count: 'How many people replied after it' },
    },
    lead_initiatives: { readers: ['lead-gen:read'] },
    lead_results: {
      readers: ['lead-gen:read'],
      hidden: { website_domain: 'The domain of the web address, for matching', place_key: 'Name and city, for matching' },
      purged: { city: null, name: '(purged)', email: null, phone: null, website: null, source_id: null, company_name: null },
    },
  },
  events: ['lead_initiative.enrolled', 'lead_initiative.enrolment_ended'],
}
