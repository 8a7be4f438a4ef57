import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Stakeholders: 'Types of stakeholders, their members, and the stakeholders of opportunities.' },
  tables: {
    deal_stakeholders: {
      readers: ['opportunities:read'],
      timeline: ['deal_id', 'contact_id'],
      merges: { contact: { contact_id: 'stakeholders' }, opportunity: { deal_id: 'stakeholders' } },
    },
    stakeholder_members: { readers: ['contacts:read'], timeline: ['contact_id'], merges: { contact: { contact_id: 'stakeholder_types' } } },
    stakeholder_types: { readers: ['contacts:read'] },
    task_stakeholders: { readers: ['tasks:read'], merges: { contact: { contact_id: 'task_stakeholders' } } },
    work_order_stakeholders: { readers: ['work-orders:read'] },
  },
}
