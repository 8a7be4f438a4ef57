import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    'Universal Search': 'Search contacts, companies and opportunities with one call.',
    Filters: 'The fields and operators that filters can use, for each kind of record.',
  },
}
