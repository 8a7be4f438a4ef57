import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tables: {
    followers: {
      readers: ['companies:read', 'contacts:read', 'opportunities:read'],
      derived: { record_created_at: 'When the record was created, for sorting' },
    },
  },
}
