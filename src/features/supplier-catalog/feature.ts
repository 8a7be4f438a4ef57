import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { 'Supplier Catalog': 'What suppliers charge for products: prices, their validity, and the cheapest one.' },
  tables: { supplier_catalog_entries: { readers: ['products:read'], merges: { company: { supplier_id: 'supplier_catalog' } } } },
}
