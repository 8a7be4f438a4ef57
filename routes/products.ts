import { Hono } from 'hono'
import { products } from '../schema/index.ts'
import { createProducts } from '../src/features/products/plans/products.ts'
import { NewProduct, PRODUCT_SORTS, Product, ProductPatch, productFilters } from '../src/features/products/schemas/products.ts'
import { bulk } from '../src/http/bulk.ts'
import { listQuery } from '../src/http/lists.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { registerListExports } from './exports.ts'
import { CRM } from './paths.ts'

export const productsRouter = new Hono<App>()
export const productsApi = endpoints(productsRouter, { path: CRM.products, tag: 'Products' })

registerListExports(productsApi, 'products', listQuery(products, productFilters, PRODUCT_SORTS))

resource(productsApi, {
  name: 'product',
  plural: 'products',
  table: products,
  returns: Product,
  metadata: 'product',
  list: {
    filters: productFilters,
    sorts: PRODUCT_SORTS,
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
