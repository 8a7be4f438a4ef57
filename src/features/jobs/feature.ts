import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Jobs: 'What the background does for a request that was answered with 202: how far it has come.' },
}
