import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Tasks: 'Tasks and their stakeholders, completion and reopening, reminders and series.' },
  scopes: { tasks: ['read', 'write', 'delete'] },
  tables: {
    tasks: {
      readers: ['tasks:read'],
      derived: {
        series_values: 'The values of the series in place of those that were changed for this task alone',
        reminded_at: 'When the event of its reminder was written',
      },
      timeline: ['opportunity_id', 'contact_id', 'customer_id'],
      merges: { contact: { contact_id: 'tasks' }, company: { customer_id: 'tasks' }, opportunity: { opportunity_id: 'tasks' } },
      purged: { title: '(purged)', metadata: {}, description: null },
    },
  },
  events: ['task.completed', 'task.reminder', 'task.reopened'],
}
