import { afterAll, beforeAll, expect, test } from 'vitest'
import { EVENT_TYPES } from '../../src/domain/events.ts'
import { type Harness, start } from '../harness.ts'

let app: Harness
beforeAll(async () => {
  app = await start()
})
afterAll(() => app.close())

const refused = (path: string) => ({ status: 400, body: { error: { code: 'VALIDATION_ERROR', details: { issues: [{ path }] } } } })

test('GET /event-types describes every type, page by page, with a schema that its payload meets', async () => {
  const ws = await app.workspace()
  const types: { type: string; scopes: string[]; payload: { properties: object } }[] = []
  for (let after = ''; ; ) {
    const { body } = await ws.get(`/event-types?limit=100${after && `&after=${after}`}`)
    types.push(...body.data)
    if (body.page.next === null) break
    after = body.page.next
  }
  expect(types.map(({ type }) => type)).toEqual([...EVENT_TYPES].toSorted())
  const [created] = (await ws.get('/event-types?type=contact.created')).body.data
  expect(created).toMatchObject({ entity: 'contact', scopes: ['contacts:read'], description: 'A contact was created.' })
  const { id } = (await ws.post('/contacts', { first_name: 'Ana' })).body.data
  const { data } = (await ws.get(`/events?entity_id=${id}`)).body
  expect(Object.keys(created.payload.properties)).toEqual(Object.keys(data[0].payload))
  expect((await ws.get('/event-types?type=contact.purged')).body.data).toMatchObject([{ payload: { properties: {} } }])
  expect(await ws.get('/event-types?type=nothing')).toMatchObject(refused('type'))
  expect(await ws.get(`/event-types?type=contact.*&after=${(await ws.get('/event-types?limit=1')).body.page.next}`)).toMatchObject(
    refused('after'),
  )
})
