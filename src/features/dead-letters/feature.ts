import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { 'Dead letters': 'Messages of the background that failed every time: list, inspect and replay them.' },
  scopes: { 'dead-letters': ['read', 'write', 'delete'] },
  tables: { dead_letters: { readers: ['dead-letters:read'], adminsOnly: true } },
  events: ['dead_letter.replayed'],
}
