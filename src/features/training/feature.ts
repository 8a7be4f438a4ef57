import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { 'Training (Learning Hub)': 'Canvases of cards for learning: what they show, and how far each member is.' },
  scopes: { resources: ['read', 'write', 'delete'] },
  tables: {
    training_canvases: { readers: ['resources:read'] },
    training_cards: { readers: ['resources:read'], hidden: { target_id: 'The url as an id' } },
    training_progress: { restored: true },
  },
}
