import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Contacts: 'People: their details, consent, employers, duplicates, merges and exports.' },
  scopes: { contacts: ['read', 'write', 'delete'] },
  tables: {
    contacts: {
      readers: ['contacts:read'],
      hidden: {
        first_name_derived: 'Whether something else stands for the first name of a person without one',
        birthday: 'The month and the day of date_of_birth, for finding who has a birthday',
      },
      derived: { local_zone: 'The time zone, of which the API shows the local time', zone_basis: 'What the time zone was decided by' },
      merges: { company: { customer_id: 'contacts' }, opportunity: { referrer_opportunity_id: 'referrers' } },
    },
    employers: {
      readers: ['contacts:read'],
      timeline: ['contact_id', 'customer_id'],
      merges: { contact: { contact_id: 'companies' }, company: { customer_id: 'contacts' } },
    },
  },
}
