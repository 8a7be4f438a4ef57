import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Agency: 'What an agency sees of its clients, and the commission of the agency and its team.' },
  scopes: { agency: ['read', 'write'] },
}
