import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Events: 'Records of what happened in the workspace, newest first.' },
  scopes: { events: ['read'] },
}
