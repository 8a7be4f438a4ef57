import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    Opportunities: 'Deals with their products, people, tags, costs, billing parties, attachments and timeline.',
    'Deals (legacy)': 'Deprecated paths of opportunities.',
  },
  scopes: { opportunities: ['read', 'write', 'delete'] },
  tables: {
    opportunities: {
      readers: ['opportunities:read'],
      hidden: { value_minor: 'The value as an integer, for sorting' },
      merges: { company: { customer_id: 'opportunities' } },
    },
    opportunity_buckets: {
      readers: ['opportunities:read'],
      timeline: ['opportunity_id'],
      merges: { opportunity: { opportunity_id: 'buckets' } },
    },
    opportunity_contacts: {
      readers: ['opportunities:read'],
      derived: { opportunity_created_at: 'When the opportunity was created, for sorting' },
      timeline: ['opportunity_id', 'contact_id'],
      merges: { contact: { contact_id: 'opportunities' }, opportunity: { opportunity_id: 'contacts' } },
    },
    opportunity_products: {
      readers: ['opportunities:read'],
      timeline: ['opportunity_id'],
      merges: { opportunity: { opportunity_id: 'products' } },
    },
    opportunity_users: {
      readers: ['opportunities:read'],
      timeline: ['opportunity_id'],
      merges: { opportunity: { opportunity_id: 'users' } },
    },
    product_costs: {
      readers: ['opportunities:read'],
      timeline: ['opportunity_id'],
      merges: { opportunity: { opportunity_id: 'product_costs' } },
    },
    stage_moves: { merges: { opportunity: { opportunity_id: 'stage_history' } }, restored: true },
  },
  events: ['opportunity.lost', 'opportunity.moved', 'opportunity.won'],
}
