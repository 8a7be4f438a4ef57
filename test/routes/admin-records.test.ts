import { expect, test } from 'vitest'
import { created, failed, found, type Row, useCrm } from './crm.ts'

const crm = useCrm({ ownServer: true })

test('what only a client_admin reads of keys, nobody else reads in the feed, in the log or by a webhook', async () => {
  const { ws } = crm
  const editor = await ws.key({ role: 'client_editor' })
  const made = await ws.post('/api-keys', { name: 'Payroll', scopes: ['contacts:read'], allowed_ranges: ['203.0.113.7'] })
  const { id } = created(made)
  expect(await editor.get(`/api-keys/${id}`)).toMatchObject(failed(403, 'FORBIDDEN'))
  const request = `/requests/${made.headers.get('x-request-id')}`
  const read = async (by: typeof ws) => {
    const [event] = found(await by.get(`/events?entity_id=${id}`))
    const [change] = found(await by.get(`${request}/changes`))
    const [reported] = found(await by.get(request)).changes as Row[]
    return { payload: event?.payload, fields: [event?.changes, change?.fields, reported?.fields].map(({ name }: Row) => name) }
  }
  expect(await read(editor)).toEqual({ payload: {}, fields: [{}, {}, {}] })
  const name = { after: 'Payroll' }
  expect(await read(ws)).toMatchObject({ payload: { id, name: 'Payroll' }, fields: [name, name, name] })
  const hook = { url: 'https://example.com/hook', event_types: ['api_key.*'] }
  expect(await editor.post('/webhooks', hook)).toMatchObject(failed(403, 'FORBIDDEN'))
  const webhook = created(await ws.post('/webhooks', hook))
  for (const answer of [
    await editor.patch(`/webhooks/${webhook.id}`, { description: 'Ours' }),
    await editor.post(`/webhooks/${webhook.id}/enable`),
  ])
    expect(answer).toMatchObject(failed(403, 'FORBIDDEN'))
  const everything = created(await editor.post('/webhooks', { ...hook, event_types: ['*'] }))
  created(await ws.post('/api-keys', { name: 'Another', scopes: ['contacts:read'] }))
  await crm.app.drain()
  const types = async (of: Row) => (found(await ws.get(`/webhooks/${of.id}/deliveries`)) as Row[]).map(({ event_type }) => event_type)
  expect(await types(webhook)).toEqual(['api_key.created'])
  expect(await types(everything)).not.toContain('api_key.created')
})
