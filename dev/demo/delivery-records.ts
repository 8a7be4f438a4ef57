import type { Api, Body } from './api.ts'

const COMPONENTS = ['Panels', 'Mounting rails', 'Inverter', 'Meter']
/** The status, the day and the time of each work order, for each opportunity. */
const PLANS: [status: string, days: number, time: string | null][][] = [
  [
    ['Done', -6, '09:00'],
    ['In progress', 0, '08:30'],
    ['Scheduled', 2, null],
    ['To do', 9, null],
  ],
  [
    ['Scheduled', 2, '13:00'],
    ['Scheduled', 3, '13:00'],
    ['To do', 5, null],
    ['To do', 6, null],
  ],
]

/** A product with components, sold with two opportunities, and the work orders for them. */
export async function addDelivery(api: Api, { deals, dayIn }: { deals: string[]; dayIn: (days: number) => string }): Promise<void> {
  const { data: product } = await api('POST', '/products', { name: 'Solar roof', sku: 'ROOF-SOLAR', price: 12_400 })
  const { id: product_id } = product
  await api('POST', '/product-components/bulk', { components: COMPONENTS.map((label) => ({ product_id, label, type: 'hardware' })) })
  for (const [n, deal] of deals.entries()) {
    const { data: item } = await api('POST', `/opportunities/${deal}/products`, { product_id, unit_price: 12_400 })
    await api('POST', '/component-instances/from-opportunity', { opportunity_id: deal })
    const { data } = await api('POST', '/work-orders/from-components', { deal_product_id: item.id })
    for (const [at, { id }] of (data.made as Body[]).entries()) {
      const [status, days, schedule_time] = PLANS[n]?.[at] ?? ['To do', 14, null]
      await api('PATCH', `/work-orders/${id}`, { status, schedule_date: dayIn(days), schedule_time, duration_minutes: 240 })
    }
  }
}
