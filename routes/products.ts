import { Hono } from 'hono'
import * as v from 'valibot'
import { products } from '../schema/index.ts'
import { scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { bulkOf } from '../src/schemas/bulk.ts'
import { bulkResult } from '../src/schemas/common.ts'
import { Id, QueryBool, SingleLine } from '../src/schemas/fields.ts'
import { NewProduct, Product, ProductPatch, productFields } from '../src/schemas/products.ts'
import { createProducts, updateProduct } from '../src/services/products/products.ts'
import { CRM } from './paths.ts'

export const productsRouter = new Hono<App>()
export const productsApi = endpoints(productsRouter, { path: CRM.products, tag: 'Products' })

resource(productsApi, {
  name: 'product',
  plural: 'products',
  table: products,
  returns: Product,
  body: productFields,
  filters: {
    category: v.optional(SingleLine(120)),
    is_active: v.optional(QueryBool),
    sku: v.optional(SingleLine(120)),
    external_id: v.optional(SingleLine()),
  },
  sorts: ['created_at', 'name'],
  only: ['list', 'get', 'create', 'remove', 'history'],
})

productsApi.patch(
  '/:product_id',
  {
    id: 'updateProduct',
    summary: 'Update a product',
    description: 'Line items that were made from it keep their own name and prices.',
    access: scopes('products:write'),
    params: v.object({ product_id: Id }),
    body: ProductPatch,
    returns: Product,
    errors: ['NOT_FOUND', 'CONFLICT', 'PRECONDITION_FAILED'],
  },
  ({ ctx, params, body }) => updateProduct(ctx, params.product_id, body),
)
productsApi.post(
  '/bulk-create',
  {
    id: 'bulkCreateProducts',
    summary: 'Create up to 100 products',
    access: scopes('products:write'),
    body: v.strictObject({ records: bulkOf(NewProduct) }),
    returns: bulkResult(Product),
  },
  ({ body }) => createProducts(body.records),
)
