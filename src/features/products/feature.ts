import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Products: 'The product catalogue.' },
  scopes: { products: ['read', 'write', 'delete'] },
  tables: { products: { readers: ['products:read'] } },
}
