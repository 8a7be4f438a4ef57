import { Hono } from 'hono'
import * as v from 'valibot'
import { discounts } from '../schema/index.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Discount, discountFields } from '../src/schemas/discounts.ts'
import { Id } from '../src/schemas/fields.ts'
import { CRM } from './paths.ts'

export const discountsRouter = new Hono<App>()
export const discountsApi = endpoints(discountsRouter, { path: CRM.discounts, tag: 'Products' })

resource(discountsApi, {
  name: 'discount',
  plural: 'discounts',
  scope: 'products',
  table: discounts,
  returns: Discount,
  body: discountFields,
  filters: { product_id: v.optional(Id) },
})
