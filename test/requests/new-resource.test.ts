import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stop as stopEsbuild } from 'esbuild'
import { expect, test } from 'vitest'
import { createDatabase, dropDatabase, settled } from '../database.ts'
import { bundleFrom } from '../global.ts'
import { type Harness, start } from '../harness.ts'
import { copyOfProject, insertLine, runIn } from '../project-copy.ts'
import { limit } from '../speed.ts'
import type { TestWorkspace } from '../workspace.ts'

const TABLE = `import { boolean, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { identity, percent, reference, timestamps } from './columns.ts'
import { contacts } from './contacts.ts'
import { products } from './opportunities.ts'

/** Discounts on products. */
export const discounts = pgTable(
  'discounts',
  {
    ...identity,
    product_id: uuid().notNull(),
    contact_id: uuid(),
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
    index('discounts_by_contact').on(t.workspace_id, t.contact_id, t.created_at, t.id),
    reference(t.product_id, products, 'cascade'),
    reference(t.contact_id, contacts, 'cascade'),
  ],
)
`

const SCHEMA = `import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { Bool, describe, Id, Name, optional, Percent } from '../../../schemas/fields.ts'

export const NewDiscount = v.strictObject({
  product_id: describe(Id, 'The product that is sold for less.'),
  contact_id: optional(describe(Id, 'The only person who gets it.')),
  name: describe(Name(120), 'What the discount is called on an offer.', 'Launch price'),
  percent: describe(Percent, 'The share of the price that the customer saves, in percent.', 15),
  is_active: v.optional(describe(Bool, 'Whether it can be offered.', true)),
})

export const Discount = named(
  'Discount',
  v.pipe(
    v.object({
      id: Id,
      product_id: Id,
      contact_id: v.nullable(Id),
      name: v.string(),
      percent: v.number(),
      is_active: v.boolean(),
      ...timestamps,
    }),
    v.description('A discount on a product.'),
  ),
)
`

const ROUTE = `import { Hono } from 'hono'
import * as v from 'valibot'
import { discounts } from '../schema/index.ts'
import { Discount, NewDiscount } from '../src/features/discounts/schemas/discounts.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { Id } from '../src/schemas/fields.ts'
import { CRM } from './paths.ts'

export const discountsApi = endpoints(new Hono<App>(), { path: CRM.discounts, tag: 'Discounts' })

resource(discountsApi, {
  name: 'discount',
  plural: 'discounts',
  scope: 'discounts',
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

const FEATURE = `import type { Feature } from '../../domain/feature.ts'

export const feature: Feature = {
  tags: { Discounts: 'Discounts on products.' },
  scopes: { discounts: ['read', 'write', 'delete'] },
  tables: { discounts: { readers: ['discounts:read'], timeline: ['contact_id'] } },
}
`

/** The files of the feature, and the lines that it adds to three files of the others. */
const FILES = {
  'schema/discounts.ts': TABLE,
  'src/features/discounts/feature.ts': FEATURE,
  'src/features/discounts/schemas/discounts.ts': SCHEMA,
  'routes/discounts.ts': ROUTE,
}
const SNAPSHOTS = 'src/features/events/schemas/snapshots.ts'

function addFeature(folder: string): void {
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  insertLine(folder, 'routes/paths.ts', "  discounts: '/discounts',", "  products: '/products',")
  insertLine(folder, 'routes/crm.ts', "import { discountsApi } from './discounts.ts'", 'import ')
  insertLine(folder, 'routes/crm.ts', '  discountsApi,', '  productsApi,')
  insertLine(folder, SNAPSHOTS, "import { Discount } from '../../discounts/schemas/discounts.ts'", 'import ')
  insertLine(folder, SNAPSHOTS, '  discount: snapshot(Discount),', '  document: snapshot(Document),')
}

/** A field of products: a column, and a line in the schemas of what is written and of what is returned. */
function addField(folder: string): void {
  insertLine(folder, 'schema/opportunities.ts', '    shelf: text(),', '    sku: text(),')
  const schemas = 'src/features/products/schemas/products.ts'
  insertLine(folder, schemas, "  shelf: optional(describe(SingleLine(40), 'Where it stands in the store.', 'A 3')),", '  sku: optional(')
  insertLine(folder, schemas, '    shelf: text,', '    sku: text,')
}

test('a feature is four files and five lines in three others, and a field three lines; the rest is generated', {
  timeout: limit(180_000),
}, async () => {
  const folder = copyOfProject('resource')
  addFeature(folder)
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
    await settled(app.owner)
    expect((await ws.get('/events?order=asc')).body.data).toContainEqual(expect.objectContaining({ type: 'discount.updated' }))
    expect((await other.get(path)).status).toBe(404)
    expect((await ws.delete(path)).status).toBe(200)
    await asOthersAre(app, ws, product.body.data.id)
  } finally {
    await app.close()
    await dropDatabase(database)
    rmSync(folder, { recursive: true, force: true })
  }
})

/** What features register applies to it: who reads it, snapshots, timelines, merges, and restorations. */
async function asOthersAre({ owner }: Harness, ws: TestWorkspace, product_id: string): Promise<void> {
  const [reader, stranger] = await Promise.all([['discounts:read', 'contacts:read'], ['contacts:read']].map((scopes) => ws.key({ scopes })))
  const [winner, loser] = await Promise.all(['A', 'B'].map(async (first_name) => (await ws.post('/contacts', { first_name })).body.data.id))
  const { id } = (await ws.post('/discounts', { product_id, contact_id: loser, name: 'For one', percent: 5 })).body.data
  expect([(await reader!.get(`/discounts/${id}`)).status, (await stranger!.get(`/discounts/${id}`)).status]).toEqual([200, 403])
  await settled(owner)
  const [event] = (await ws.get('/events?entity=discount')).body.data
  expect(event).toMatchObject({ type: 'discount.created', payload: { contact_id: loser, percent: 5, is_active: true } })
  const shown = async (key: TestWorkspace, contact: string) =>
    (await key.get(`/contacts/${contact}/timeline`)).body.data.filter(
      ({ data }: { data: { entity?: string } }) => data.entity === 'discount',
    )
  expect([await shown(reader!, loser), await shown(stranger!, loser)]).toMatchObject([[{ data: { action: 'created' } }], []])
  expect((await ws.post('/contacts/merge', { winner_id: winner, loser_ids: [loser] })).body.data.moved).toMatchObject({ discounts: 1 })
  expect((await ws.delete(`/contacts/${winner}`)).status).toBe(200)
  expect((await ws.get(`/discounts/${id}`)).status).toBe(404)
  expect((await ws.post(`/contacts/${winner}/restore`)).status).toBe(200)
  expect((await ws.get(`/discounts/${id}`)).body.data).toMatchObject({ contact_id: winner, percent: 5 })
}
