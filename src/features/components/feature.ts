import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: {
    'Product Components': 'What products consist of.',
    'Component Instances': 'What was sold of the components of products, for each opportunity.',
  },
  tables: { component_instances: { readers: ['products:read'] }, product_components: { readers: ['products:read'] } },
}
