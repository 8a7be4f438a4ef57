import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Reputation: 'How the workspace shows itself: its profile, reviews of clients, and case studies.' },
  scopes: { reputation: ['read', 'write', 'delete'] },
  tables: {
    reputation_case_studies: { readers: ['reputation:read'] },
    reputation_profiles: {
      readers: ['reputation:read'],
      derived: { review_count: 'The number of its reviews', rating_counts: 'The numbers of its published reviews' },
    },
    reputation_reviews: { readers: ['reputation:read'], hidden: { form_hash: 'What makes a form that is sent twice one review' } },
    review_requests: {
      readers: ['reputation:read'],
      secret: {
        token_hash: 'Whoever has it can try tokens offline',
        token_seed: 'The token follows from it and a secret of the deployment',
      },
    },
  },
}
