import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Harness, start } from './harness.ts'

let app: Harness
beforeAll(async () => {
  app = await start()
})
afterAll(() => app.close())
test('contacts', async () => {
  const ws = await app.workspace()
  const show = (x: any) => console.log(JSON.stringify({ status: x.status, body: x.body, h: Object.fromEntries(x.headers) }).slice(0, 1800))
  const made = await ws.post('/contacts', {
    first_name: 'Ana',
    last_name: 'Lee',
    email: 'ANA@x.io',
    phone: '0412 345 678',
    metadata: { a: 1, b: 2 },
    timezone: 'WA',
  })
  show(made)
  const t0 = app.proxy.trips
  show(await ws.get('/contacts'))
  console.log('trips', app.proxy.trips - t0)
  show(await ws.get('/contacts/' + made.body.data?.id))
  show(await ws.patch('/contacts/' + made.body.data?.id, { metadata: { a: null, c: 3 }, alternate_emails: ['ana@x.io', 'B@x.io'] }))
  show(await ws.get('/contacts/' + made.body.data?.id + '/history'))
  show(await ws.get('/contacts/' + made.body.data?.id + '/local-time'))
  show(
    await ws.post('/contacts/bulk-create', {
      records: [{ first_name: 'B' }, { last_name: 'x' }, { first_name: 'C', customer_id: made.body.data.id }, { first_name: 'D', zork: 1 }],
    }),
  )
  show(
    await ws.post('/contacts/bulk-update', {
      records: [
        { id: made.body.data.id, city: 'Perth' },
        { id: ws.id, city: 'x' },
      ],
    }),
  )
  show(await ws.get('/contacts?limit=1'))
  show(await ws.get('/contacts?limit=1&archived=all&sort=name&search=le'))
  show(await ws.post('/contacts', { first_name: 'K' }, { 'idempotency-key': 'k1' }))
  show(await ws.post('/contacts', { first_name: 'K' }, { 'idempotency-key': 'k1' }))
  show(await ws.post('/contacts', { first_name: 'K2' }, { 'idempotency-key': 'k1' }))
  show(await ws.post('/contacts', { first_name: 'H', require_approval: true }))
  show(await ws.post('/contacts?dry_run=true', { first_name: 'H' }))
  show(await ws.delete('/contacts/' + made.body.data.id))
  show(await ws.delete('/contacts/' + made.body.data.id))
  show(await ws.post('/contacts/bulk-delete', { ids: [made.body.data.id] }))
  show(await ws.get('/contactz'))
  show(await ws.put('/contacts', {}))
  console.log(app.logs.join('\n').slice(0, 3000))
})
