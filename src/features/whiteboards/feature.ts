import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Whiteboards: 'Drawing boards in the format of Excalidraw: their content, its versions, and copies.' },
  scopes: { whiteboards: ['read', 'write', 'delete'] },
  tables: {
    whiteboards: {
      readers: ['whiteboards:read'],
      derived: {
        generation: 'How often the content was replaced, which the versions show',
        next_index: 'Where the next element is placed',
      },
      timeline: ['opportunity_id'],
      purged: { name: '(purged)', description: null },
    },
  },
}
