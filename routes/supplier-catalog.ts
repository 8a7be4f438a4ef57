import { Hono } from 'hono'
import * as v from 'valibot'
import { supplierCatalogEntries } from '../schema/index.ts'
import { createEntry, listOffers, updateEntry } from '../src/features/supplier-catalog/plans/catalog.ts'
import {
  CatalogEntryPatch,
  catalogFilters,
  NewCatalogEntry,
  offersQuery,
  SupplierCatalogEntry,
  SupplierOffer,
} from '../src/features/supplier-catalog/schemas/supplier-catalog.ts'
import { listQuery } from '../src/http/lists.ts'
import { scopes } from '../src/http/modes.ts'
import { resource } from '../src/http/resource.ts'
import { type App, endpoints } from '../src/http/router.ts'
import { registerListExports } from './exports.ts'
import { CRM } from './paths.ts'

export const supplierCatalogRouter = new Hono<App>()
export const supplierCatalogApi = endpoints(supplierCatalogRouter, { path: CRM.supplierCatalog, tag: 'Supplier Catalog' })

supplierCatalogApi.get(
  '/offers',
  {
    id: 'listSupplierOffers',
    summary: 'List the offers of suppliers for a product',
    description:
      'Returns at most 100 prices that are valid on the day, for the quantity and in the currency, the cheapest first; of equal prices ' +
      'the preferred supplier. To use one as the cost of a line item, send its id as catalog_entry_id of a supplier cost.',
    access: scopes('products:read'),
    query: offersQuery,
    returns: v.array(SupplierOffer),
    errors: ['NOT_FOUND'],
  },
  ({ ctx, query }) => listOffers(ctx, query),
)
registerListExports(supplierCatalogApi, 'supplier_catalog_entries', listQuery(supplierCatalogEntries, catalogFilters, ['created_at']))
resource(supplierCatalogApi, {
  name: 'supplier_catalog_entry',
  plural: 'supplier_catalog',
  param: 'supplier_catalog_entry_id',
  scope: 'products',
  table: supplierCatalogEntries,
  returns: SupplierCatalogEntry,
  list: { summary: 'List the supplier catalogue', filters: catalogFilters },
  get: {},
  create: {
    summary: 'Add an entry to the supplier catalogue',
    description: 'An entry without a product is a price that a supplier has quoted for something that is not in the catalogue of products.',
    body: NewCatalogEntry,
    plan: createEntry,
  },
  update: { description: 'The history of an entry has its former prices.', body: CatalogEntryPatch, plan: updateEntry },
  remove: { action: 'write', description: 'Supplier costs that were taken from the entry keep their amounts.' },
  history: true,
})
