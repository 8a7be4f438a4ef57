import { expect, test } from 'vitest'
import type { ApiResponse } from '../workspace.ts'
import { created, failed, found, nobody, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()

/** What an older path must say about itself. */
function expectDeprecated(answer: ApiResponse, successor: string): void {
  expect(answer.headers.get('deprecation')).toBe('true')
  expect(answer.headers.get('link')).toBe(`</v1${successor}>; rel="successor-version"`)
}

test.each(['', '/products', '/contacts', '/users', '/stage-history', '/history'])(
  'GET /deals/:id%s answers as /opportunities/:id does',
  async (rest) => {
    const { id: contact_id } = await crm.contact()
    const { id } = await crm.opportunity({ products: [{ name: 'Desk' }], contacts: [{ contact_id }], users: [{ user_id: crm.ws.userId }] })
    const [old, now] = [await crm.ws.get(`/deals/${id}${rest}`), await crm.ws.get(`/opportunities/${id}${rest}`)]
    expect([old.status, old.body]).toEqual([now.status, now.body])
    expect(old.headers.get('etag')).toBe(now.headers.get('etag'))
    expectDeprecated(old, `/opportunities/${id}${rest}`)
    expect([now.headers.get('deprecation'), now.headers.get('link')]).toEqual([null, null])
  },
)

test('the list returns the same, and a cursor of one path works on the other', async () => {
  for (const name of ['A', 'B', 'C']) await crm.opportunity({ name })
  const [old, now] = [await crm.ws.get('/deals?sort=name&limit=2'), await crm.ws.get('/opportunities?sort=name&limit=2')]
  expect(old.body).toEqual(now.body)
  expectDeprecated(old, '/opportunities')
  expect(found(await crm.ws.get(`/opportunities?sort=name&limit=2&after=${old.body.page.next}`)).map(({ name }: Row) => name)).toEqual([
    'C',
  ])
})

test('every write of /deals does the same as its successor', async () => {
  const { pipeline, stages } = await crm.firstPipeline()
  const create = await crm.ws.post('/deals', { name: 'Workstations', value: 10 })
  const { id } = created(create)
  expectDeprecated(create, '/opportunities')
  found(await crm.ws.get(`/opportunities/${id}`))
  const writes: [string, string, unknown, Row][] = [
    ['PATCH', `/${id}`, { value: 12 }, { value: 12 }],
    ['POST', `/${id}/move`, { stage_id: stages.Won }, { status: 'won' }],
    ['POST', `/${id}/products`, { name: 'Desk' }, { name: 'Desk' }],
    ['POST', `/${id}/remove-card`, { pipeline_id: pipeline }, { stage_id: null }],
    ['POST', '/bulk-update', { records: [{ id, notes: 'Bulk' }] }, { results: [{ id, notes: 'Bulk' }] }],
    ['DELETE', `/${id}`, undefined, { id, deleted: true }],
  ]
  for (const [method, path, body, expected] of writes) {
    const answer = await crm.ws.call(method, `/deals${path}`, body)
    expect(answer).toMatchObject({ body: { data: expected } })
    expectDeprecated(answer, `/opportunities${path}`)
  }
  expect(await crm.ws.get(`/opportunities/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test.each(['/opportunities', '/deals'])('%s/:id/move-card is the old name of move, and points there', async (base) => {
  const { pipeline, stages } = await crm.firstPipeline()
  const { id } = await crm.opportunity()
  const answer = await crm.ws.post(`${base}/${id}/move-card`, { pipeline_id: pipeline, stage_id: stages.Lost })
  expect(found(answer)).toMatchObject({ status: 'lost', stage_id: stages.Lost })
  expectDeprecated(answer, `/opportunities/${id}/move`)
})

test('refusals of a deprecated path have its headers too', async () => {
  expect(await crm.ws.post('/deals', {})).toMatchObject(refused('name'))
  expectDeprecated(await crm.ws.post('/deals', {}), '/opportunities')
  expectDeprecated(await crm.ws.get(`/deals/${nobody}`), `/opportunities/${nobody}`)
})

test('an older path needs the same scopes', async () => {
  const reader = await crm.ws.key({ scopes: ['opportunities:read'] })
  found(await reader.get('/deals'))
  expect(await reader.post('/deals', { name: 'A' })).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
})
