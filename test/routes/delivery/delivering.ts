import { created, type Row, type useCrm } from '../crm.ts'

type Crm = ReturnType<typeof useCrm>

/** A product, an opportunity and its line item of that product. */
export async function soldProduct(crm: Crm, fields: Row = {}) {
  const product = created(await crm.ws.post('/products', { name: 'Solar roof', price: 100, currency: 'AUD' })).id as string
  const deal = (await crm.opportunity({ currency: 'AUD', ...fields })).id as string
  const item = created(await crm.ws.post(`/opportunities/${deal}/products`, { product_id: product, quantity: 2 })).id as string
  return { product, deal, item }
}

/** Adds a component to a product. */
export const component = async (crm: Crm, product_id: string, fields: Row = {}) =>
  created(await crm.ws.post('/product-components', { product_id, label: 'Panel', ...fields }))
