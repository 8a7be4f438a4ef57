import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    Pipelines: 'Pipelines, their stages, boards and reports.',
    'Exchange rates': 'The rates by which sums in several currencies are converted into one.',
  },
  scopes: { pipelines: ['read', 'write', 'delete'] },
  tables: {
    exchange_rates: { readers: ['company:read'] },
    pipelines: { readers: ['pipelines:read'] },
    stages: { readers: ['pipelines:read'] },
  },
}
