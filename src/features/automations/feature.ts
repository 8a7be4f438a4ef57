import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Automations: 'What runs by itself: triggers, conditions and steps, their versions and their runs.' },
  scopes: { automations: ['read', 'write', 'delete'] },
  tables: {
    automation_runs: { purged: { error: null, place: { frames: [], outputs: {} }, trigger_data: {} } },
    automations: {
      readers: ['automations:read'],
      hidden: {
        version_id: 'The published version, of which version_number is the number',
        queue_id: 'Null in every automation that the API shows',
      },
    },
  },
  events: ['automation.loop_stopped', 'automation.paused', 'automation.run_failed'],
}
