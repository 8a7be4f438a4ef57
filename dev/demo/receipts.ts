import type { Api, Body } from './api.ts'

export type Receipt = { reserved: number; refunded: number; paid: number }

/** What the runs of models have reserved, got back and paid since then, by their ids. */
export async function receiptsSince(api: Api, begun: string): Promise<Map<string, Receipt>> {
  const receipts = new Map<string, Receipt>()
  for (const { reference, amount } of await entriesSince(api, begun)) {
    const id = /^skill_run:([0-9a-f-]{36})/.exec(reference ?? '')?.[1]
    if (!id) continue
    const { reserved, refunded } = receipts.get(id) ?? { reserved: 0, refunded: 0 }
    const next = { reserved: reserved - Math.min(amount, 0), refunded: refunded + Math.max(amount, 0) }
    receipts.set(id, { ...next, paid: next.reserved - next.refunded })
  }
  return receipts
}

/** The entries of the credits, latest first. */
async function entriesSince(api: Api, begun: string, after = ''): Promise<Body[]> {
  const { data, page } = await api('GET', `/billing/credits/entries?limit=100${after && `&after=${after}`}`)
  const recent = data.filter(({ created_at }: Body) => created_at >= begun)
  const isOver = recent.length < data.length || !page.next
  return isOver ? recent : [...recent, ...(await entriesSince(api, begun, page.next))]
}
