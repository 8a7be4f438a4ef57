import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Lists: 'Lists of contacts, companies or opportunities: static ones with members, and live ones with a filter.' },
  scopes: { lists: ['read', 'write', 'delete'] },
  tables: {
    list_members: {
      merges: { contact: { contact_id: 'lists' }, company: { customer_id: 'lists' }, opportunity: { opportunity_id: 'lists' } },
      restored: true,
    },
    lists: { readers: ['lists:read'], hidden: { name_scope: 'The lists among which its name is unique' } },
  },
  events: ['list.entered', 'list.left'],
}
