import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stop as stopEsbuild } from 'esbuild'
import { expect, test } from 'vitest'
import { createDatabase, dropDatabase } from '../database.ts'
import { bundleFrom } from '../global.ts'
import { start } from '../harness.ts'
import { copyOfProject, insertLine, runIn } from '../project-copy.ts'
import { limit } from '../speed.ts'

const TABLE = `import { boolean, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { identity, percent, reference, timestamps } from './columns.ts'
import { products } from './opportunities.ts'

/** Discounts on products. */
export const discounts = pgTable(
  'discounts',
  {
    ...identity,
    product_id: uuid().notNull(),
    name: text().notNull(),
    percent: percent().notNull(),
    is_active: boolean().notNull().default(true),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('discounts_by_created').on(t.workspace_id, t.created_at, t.id),
    index('discounts_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('discounts_by_product').on(t.workspace_id, t.product_id, t.created_at, t.id),
    reference(t.product_id, products, 'cascade'),
  ],
)
`

const SCHEMA = `import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Id, Name, Percent } from '../../../schemas/fields.ts'

export const NewDiscount = v.strictObject({
  product_id: describe(Id, 'The product that is sold for less.'),
  name: describe(Name(120), 'What the discount is called on an offer.', 'Launch price'),
  percent: describe(Percent, 'The share of the price that the customer saves, in percent.', 15),
  is_active: v.optional(describe(Bool, 'Whether it can be offered.', true)),
})

export const Discount = named(
  'Discount',
  v.pipe(
    v.object({ id: Id, product_id: Id, name: v.string(), percent: v.number(), is_active: v.boolean(), ...timestamps }),
    v.description('A discount on a product.'),
  ),
)
`

const ROUTE = `import { Hono } from 'hono'
import * as v from 'valibot'
import { discounts } from '../schema/index.ts'
import { Discount, NewDiscount } from '../src/features/products/schemas/discounts.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Id } from '../src/schemas/fields.ts'
import { CRM } from './paths.ts'

export const discountsApi = endpoints(new Hono<App>(), { path: CRM.discounts, tag: 'Products' })

resource(discountsApi, {
  name: 'discount',
  plural: 'discounts',
  scope: 'products',
  table: discounts,
  returns: Discount,
  list: { filters: { product_id: v.optional(Id) } },
  get: {},
  create: { body: NewDiscount },
  update: { body: v.strictObject(v.partial(NewDiscount).entries) },
  remove: {},
  history: true,
})
`

/** The files of the resource, and the lines that it adds to files of the others: three. */
const FILES = {
  'schema/discounts.ts': TABLE,
  'src/features/products/schemas/discounts.ts': SCHEMA,
  'routes/discounts.ts': ROUTE,
}

function addResource(folder: string): void {
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  insertLine(folder, 'schema/index.ts', "export * from './discounts.ts'", 'export * from')
  insertLine(folder, 'routes/paths.ts', "  discounts: '/discounts',", "  products: '/products',")
  insertLine(folder, 'routes/crm.ts', "import { discountsApi } from './discounts.ts'", 'import ')
  insertLine(folder, 'routes/crm.ts', '  discountsApi,', '  productsApi,')
}

/** A field of products: a column, and a line in the schemas of what is written and of what is returned. */
function addField(folder: string): void {
  insertLine(folder, 'schema/opportunities.ts', '    shelf: text(),', '    sku: text(),')
  const schemas = 'src/features/products/schemas/products.ts'
  insertLine(folder, schemas, "  shelf: optional(describe(SingleLine(40), 'Where it stands in the store.', 'A 3')),", '  sku: optional(')
  insertLine(folder, schemas, '    shelf: text,', '    sku: text,')
}

test('a resource is three files and four lines, and a field three lines; the rest is generated', { timeout: limit(180_000) }, async () => {
  const folder = copyOfProject('resource')
  addResource(folder)
  addField(folder)
  expect(runIn(folder, ['dev/generate.ts', 'discounts'])).toContain('_discounts.sql')
  const database = await createDatabase()
  runIn(folder, ['dev/migrate.ts'], { DATABASE_ADMIN_URL: database.url })
  await bundleFrom(folder, join(folder, 'bundle'))
  // Its process would keep this one from ending.
  await stopEsbuild()
  const app = await start({ database, bundle: join(folder, 'bundle') })
  try {
    const ws = await app.workspace()
    const other = await app.workspace()
    const product = await ws.post('/products', { name: 'Desk', shelf: 'B 7' })
    expect(product).toMatchObject({ status: 201, body: { data: { shelf: 'B 7' } } })
    const made = await ws.post('/discounts', { product_id: product.body.data.id, name: 'Launch', percent: 15 })
    expect(made).toMatchObject({ status: 201, body: { data: { name: 'Launch', percent: 15, is_active: true, version: 1 } } })
    const path = `/discounts/${made.body.data.id}`
    expect(
      (await ws.post('/discounts', { product_id: made.body.data.id, name: 'Lost', percent: 15 })).body.error.details.issues,
    ).toMatchObject([{ path: 'product_id' }])
    expect((await ws.patch(path, { percent: 20 })).body.data).toMatchObject({ percent: 20, version: 2 })
    expect((await ws.get(`/discounts?product_id=${product.body.data.id}`)).body.data).toHaveLength(1)
    expect((await ws.get(`${path}/history`)).body.data).toHaveLength(2)
    expect((await ws.get('/events?order=asc')).body.data).toContainEqual(expect.objectContaining({ type: 'discount.updated' }))
    expect((await other.get(path)).status).toBe(404)
    expect((await ws.delete(path)).status).toBe(200)
  } finally {
    await app.close()
    await dropDatabase(database)
    rmSync(folder, { recursive: true, force: true })
  }
})
