import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tables: { dismissed_duplicates: { readers: ['companies:read', 'contacts:read', 'opportunities:read'] } },
}
