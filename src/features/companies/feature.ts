import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    Companies: 'Organisations: their details, hierarchy, contacts, duplicates, merges and exports.',
    'Customers (legacy)': 'Deprecated paths of companies.',
  },
  scopes: { companies: ['read', 'write', 'delete'] },
  tables: {
    companies: {
      readers: ['companies:read'],
      hidden: {
        abn_key: 'The normal form of the business number, for matching',
        website_domain: 'The domain of the web address, for matching',
      },
      merges: { company: { parent_company_id: 'subsidiaries' } },
    },
  },
}
