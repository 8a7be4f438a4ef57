import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    'Work Orders': 'The delivery of what was sold: status, schedule, assignee, stakeholders and clashes.',
    'Work Order Statuses': 'The labels for the progress of work orders.',
  },
  scopes: { 'work-orders': ['read', 'write'] },
  tables: {
    work_order_statuses: { readers: ['work-orders:read'], hidden: { label_norm: 'The normal form of the label, by which it is found' } },
    work_orders: { readers: ['work-orders:read'], timeline: ['deal_id'] },
  },
  events: ['work_order.status_changed'],
}
