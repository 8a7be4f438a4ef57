import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    'Auto Queues': 'Sequences of steps that contacts and opportunities are enrolled in.',
    'Event Queues (legacy)': 'Deprecated paths of auto queues.',
  },
  scopes: { 'auto-queues': ['read', 'write', 'delete'] },
  tables: {
    auto_queue_steps: { readers: ['auto-queues:read'], hidden: { wait_id: 'The id of its wait in the compiled automation' } },
    auto_queues: { readers: ['auto-queues:read'], hidden: { exit_types: 'The event types of the exits' } },
  },
  events: ['auto_queue.enrolled', 'auto_queue.enrolment_ended', 'auto_queue.list_enrolment_ended', 'auto_queue.list_enrolment_started'],
}
