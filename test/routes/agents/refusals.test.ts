import { expect, test } from 'vitest'
import { created, found, type Row, refused, useCrm } from '../crm.ts'

/** A deployment without keys to seal secrets with. */
const crm = useCrm({ vars: { SEALING_KEYS: '' } })
const draft = async (fields: Row): Promise<Row> =>
  created(await crm.ws.post('/agents', { type: 'voice', name: 'Desk', prompt: 'You answer.', voice_id: 'retell-Cimo', ...fields }))
const eventType = async (): Promise<string> =>
  created(await crm.ws.post('/scheduled-event-types', { name: `Visit ${crypto.randomUUID()}`, duration_minutes: 30 })).id

test('an agent whose tools need a key is not published where the key cannot be stored, and one without them is', async () => {
  const { id } = await draft({ tools: ['find_slots'], event_type_id: await eventType() })
  expect(await crm.ws.post(`/agents/${id}/publish`)).toMatchObject({
    status: 503,
    body: { error: { code: 'UNAVAILABLE', message: expect.stringContaining('SEALING_KEYS') } },
  })
  expect(found(await crm.ws.get(`/agents/${id}`))).toMatchObject({ status: 'draft', published_version: null })
  expect(found(await crm.ws.get('/api-keys')).map(({ name }) => name)).not.toContain('Voice agent Desk')
  expect(found(await crm.ws.post(`/agents/${(await draft({ tools: ['end_call'] })).id}/publish`))).toMatchObject({ status: 'published' })
})

test.each(['find_slots', 'book'])('an agent with the tool %s is not published once its event type is deleted', async (tool) => {
  const type = await eventType()
  const { id } = await draft({ tools: [tool], event_type_id: type })
  found(await crm.ws.delete(`/scheduled-event-types/${type}`))
  expect(await crm.ws.post(`/agents/${id}/publish`)).toMatchObject(refused('event_type_id'))
  expect(found(await crm.ws.get(`/agents/${id}`))).toMatchObject({ status: 'draft', event_type_id: null })
  found(await crm.ws.patch(`/agents/${id}`, { tools: ['end_call'] }))
  expect(found(await crm.ws.post(`/agents/${id}/publish`))).toMatchObject({ status: 'published' })
})
