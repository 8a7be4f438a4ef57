import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Skills: 'Instructions for a model, its tools, and its runs.' },
  scopes: { 'agent-ops': ['read', 'write', 'delete'] },
  tables: { skills: { readers: ['agent-ops:read'] } },
}
