import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Portals: 'Pages on which clients and stakeholders see how the work is going.' },
  tables: {
    portals: {
      readers: ['work-orders:read'],
      derived: {
        failed_attempts: 'How many wrong PINs were entered',
        locked_until: 'Until when no PIN is accepted',
        last_viewed_at: 'When the page was last shown',
      },
      secret: {
        token_hash: 'Whoever has it can try tokens offline',
        pin_hash: 'Whoever has it can try PINs offline',
        token_seed: 'The token follows from it and a secret of the deployment',
        pin_seed: 'The PIN follows from it and a secret of the deployment',
      },
    },
  },
}
