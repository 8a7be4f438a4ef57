import { expect, test } from 'vitest'
import { settled } from '../database.ts'
import { approval, approveIn, held } from './approving.ts'
import { type Row, useCrm } from './crm.ts'

/** Decisions about many approvals, and the events of approvals. */
const crm = useCrm({ own: true })
const decided = approveIn(() => crm.app)
const waiting = (first_name: string) => held(crm.ws, 'POST', '/contacts', { first_name, require_approval: true })

test('many approvals are decided at once, each with its own outcome', async () => {
  const { ws } = crm
  const [one, two, three] = [await waiting('A'), await waiting('B'), await waiting('C')]
  await ws.post(`/approvals/${two}/reject`)
  const approved = await ws.post('/approvals/bulk-approve', { ids: [three, two, 'nothing', one, one, ws.id], reason: 'Checked' })
  await crm.app.drain()
  const { results, skipped, errors } = approved.body.data
  expect(results).toMatchObject([three, one].map((id) => ({ id, status: 'approved', decided_by: ws.userId, reason: 'Checked' })))
  expect(skipped).toMatchObject([{ index: 4, id: one }])
  expect(errors).toMatchObject([
    { index: 1, id: two, error: { code: 'INVALID_STATE', details: { state: 'rejected', allowed: ['pending'] } } },
    { index: 2, id: 'nothing', error: { code: 'VALIDATION_ERROR' } },
    { index: 5, id: ws.id, error: { code: 'NOT_FOUND' } },
  ])
  expect((await ws.get('/contacts')).body.data.map(({ first_name }: Row) => first_name).sort()).toEqual(['A', 'C'])
  const last = await waiting('D')
  const narrow = await ws.key({ scopes: ['approvals:*'] })
  const lacking = (await narrow.post('/approvals/bulk-approve', { ids: [last] })).body.data.errors
  expect(lacking).toMatchObject([{ error: { code: 'INSUFFICIENT_SCOPE', details: { missing_scopes: ['contacts:write'] } } }])
  const rejected = (await narrow.post('/approvals/bulk-reject', { ids: [last], reason: 'No' })).body.data
  expect(rejected).toMatchObject({ results: [{ id: last, status: 'rejected', reason: 'No' }], errors: [] })
  expect((await (await ws.key({ level: 'approval' })).post('/approvals/bulk-approve', { ids: [last] })).status).toBe(403)
})

test('an approval that waits, is edited, decided, executed, expired or stale is an event without values', async () => {
  const { ws, app } = crm
  const typesOf = async (id: string) => {
    await settled(app.owner)
    const { data } = (await ws.get(`/events?order=asc&entity_id=${id}`)).body
    return data.map(({ type }: Row) => type).filter((type: string) => !/created|updated/.test(type))
  }
  const one = await waiting('Ana')
  await ws.patch(`/approvals/${one}`, { body: { first_name: 'Bo' } })
  await decided(ws, one)
  expect(await typesOf(one)).toEqual(['approval.requested', 'approval.edited', 'approval.approved', 'approval.executed'])
  const { id: contact } = (await ws.get('/contacts')).body.data[0]
  const stale = await held(ws, 'PATCH', `/contacts/${contact}`, { city: 'Perth', require_approval: true })
  await ws.patch(`/contacts/${contact}`, { city: 'Hobart' })
  await app.cron('* * * * *')
  expect(await approval(ws, stale)).toMatchObject({ status: 'pending', stale_at: expect.any(String) })
  expect(await typesOf(stale)).toEqual(['approval.requested', 'approval.stale'])
  await ws.patch(`/approvals/${stale}`, { body: { city: 'Darwin' } })
  expect(await approval(ws, stale)).toMatchObject({ stale_at: null })
  await app.owner.query("update approvals set expires_at = now() - interval '1 hour' where id = $1", [stale])
  await app.cron('* * * * *')
  expect((await typesOf(stale)).slice(2)).toEqual(['approval.edited', 'approval.expired'])
  const [event] = (await ws.get(`/events?type=approval.expired&entity_id=${stale}`)).body.data
  expect(event.payload).toMatchObject({ status: 'expired', resource: 'contacts', method: 'PATCH', path: '/contacts/:contact_id' })
  expect(JSON.stringify(event)).not.toMatch(/Darwin|Perth/)
  const { payload } = (await (await ws.key({ scopes: ['events:read', 'contacts:read'] })).get(`/events/${event.id}`)).body.data
  expect(payload).toEqual({})
})
