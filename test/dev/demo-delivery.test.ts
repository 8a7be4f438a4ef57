import type { RequestInit } from 'miniflare'
import { expect, test } from 'vitest'
import { demonstrateDelivery } from '../../dev/demo/delivery.ts'
import { type Browse, browse, shownFrom } from '../../dev/demo/emulators.ts'
import { found, useCrm } from '../routes/crm.ts'
import { openShop } from '../routes/ordering.ts'
import { limit } from '../speed.ts'

const crm = useCrm({ ownServer: true })
const BASE = 'http://api.test'

/** The pages of the Worker come from the Worker, and those of the provider from its emulator. */
const visit: Browse = async (url, form, cookie = '') => {
  if (!url.startsWith(BASE)) return browse(url, form)
  const sent = form && { method: 'POST', body: form.toString() }
  const headers = { 'accept-language': 'en', cookie, ...(form && { 'content-type': 'application/x-www-form-urlencoded' }) }
  return shownFrom(await crm.app.fetch(url.slice(BASE.length), { redirect: 'manual', headers, ...sent } as RequestInit))
}

test('a client sees the work that was sold and rescheduled, and pays an order once though its reports come twice', {
  timeout: limit(120_000),
}, async () => {
  const lines: string[] = []
  const shop = await openShop(crm.app, crm.ws)
  const reported = new Set<string>()
  await demonstrateDelivery(BASE, crm.ws.apiKey, (line) => lines.push(line), {
    fetch: (url, init) => crm.app.fetch(url.slice(BASE.length), init as RequestInit),
    browse: visit,
    stripe: crm.app.stripe.url,
    sent: async () => crm.app.email.sent as never,
    async pass() {
      for (const event of crm.app.stripe.world.events.filter(({ id }) => !reported.has(id))) {
        reported.add(event.id)
        const times = crm.app.stripe.reports.faults.has('duplicated') ? 2 : 1
        for (let n = 0; n < times; n++) await shop.reported(event)
      }
      await crm.app.drain()
    },
  })
  const output = lines.join('\n')
  for (const part of [
    'sold: Inverter, Mounting rails, Panels',
    'SCHEDULE_CLASH: ',
    'a wrong PIN is answered with 422, the right one with 303 and a session',
    'Panels Scheduled When ',
    '3 work orders moved to ',
    'log: paid, 396 AUD',
    '1 payment is recorded, for the contact who is known by this address',
    'moved to Won',
    'work_order updated: status_id To do → Scheduled, assigned_to none → you, schedule_date none → ',
  ])
    expect(output).toContain(part)
  expect(reported.size).toBe(1)
  expect(found(await crm.ws.get('/portals'))).toMatchObject([{ revoked_at: expect.any(String) }])
  expect(found(await crm.ws.get('/email/configs'))).toEqual([])
})
