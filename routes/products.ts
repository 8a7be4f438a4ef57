import { Hono } from 'hono'
import * as v from 'valibot'
import { products } from '../schema/index.ts'
import { bulk } from '../src/http/bulk.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { QueryBool, SingleLine } from '../src/schemas/fields.ts'
import { NewProduct, Product, ProductPatch } from '../src/schemas/products.ts'
import { createProducts } from '../src/services/products/products.ts'
import { CRM } from './paths.ts'

export const productsRouter = new Hono<App>()
export const productsApi = endpoints(productsRouter, { path: CRM.products, tag: 'Products' })

resource(productsApi, {
  name: 'product',
  plural: 'products',
  table: products,
  returns: Product,
  metadata: 'product',
  list: {
    filters: {
      category: v.optional(SingleLine(120)),
      is_active: v.optional(QueryBool),
      sku: v.optional(SingleLine(120)),
      external_id: v.optional(SingleLine()),
    },
    sorts: ['created_at', 'name'],
  },
  get: {},
  create: { body: NewProduct },
  update: { description: 'Line items created from the product keep their name and prices.', body: ProductPatch },
  remove: {},
  history: true,
})
bulk(productsApi, {
  plural: 'products',
  returns: Product,
  create: { body: NewProduct, plan: (_ctx, records) => createProducts(records) },
})
