import { expect, test } from 'vitest'
import { found, useCrm } from './crm.ts'

const crm = useCrm()

test('a misspelt name is found', async () => {
  const id = await crm.company('Cancity')
  const answer = found(await crm.ws.get('/search?q=cancty'))
  expect(answer).toEqual({ contacts: [], opportunities: [], companies: [{ type: 'company', id, title: 'Cancity', subtitle: null, matched_on: 'name', score: expect.any(Number) }] })
})
test('x', async () => {
  await crm.contact({ city: 'Sydney' })
  const a = await crm.ws.post('/contacts/search', { filter: { field: 'city', op: 'eq', value: 'sydney' } })
  expect(a.body).toMatchObject({ data: [{ city: 'Sydney' }] })
  const b = await crm.ws.post('/contacts/search', { filter: { all: [{ field: 'city', op: 'x', value: 'sydney' }] } })
  expect(b.body).toEqual(1)
})
