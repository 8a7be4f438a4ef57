import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    'Auto Schedules': 'Schedules that start an automation for an audience: members, assignees of tasks, contacts or deals.',
    'Event Schedules (legacy)': 'Deprecated paths of auto schedules.',
  },
  scopes: { schedules: ['read', 'write', 'delete'] },
  tables: {
    auto_schedules: {
      readers: ['schedules:read'],
      derived: {
        run_count: 'The number of its fires, which are listed',
        next_run_at: 'When it is due next, which follows from its expression',
      },
    },
  },
  events: ['auto_schedule.fire_requested', 'auto_schedule.fired', 'auto_schedule.missed'],
}
