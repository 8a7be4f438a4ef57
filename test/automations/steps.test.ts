import { expect, test } from 'vitest'
import { created, found, ids, useCrm } from '../routes/crm.ts'
import { useAutomations } from './automation.ts'

const crm = useCrm({ ownServer: true })
const { published, runs, steps } = useAutomations(crm)

test('steps create and change companies and opportunities, take tags and memberships away, and send requests', async () => {
  const { pipeline, stages } = await crm.firstPipeline()
  const mill = created(await crm.ws.post('/companies', { name: 'Mill', city: 'Hobart' }))
  const tags = ['old', 'VIP'].map((name) => ({ name }))
  const [ana, bo] = [await crm.contact({ customer_id: mill.id, tags }), await crm.contact({ tags })]
  const list = created(await crm.ws.post('/lists', { name: 'Club', object: 'contacts', kind: 'static' }))
  found(await crm.ws.post(`/lists/${list.id}/members`, { ids: [ana.id, bo.id] }))
  const { id } = await published({
    trigger: { type: 'manual' },
    steps: [
      { type: 'create_company', fields: { name: '{{ contact.first_name }} Ltd' } },
      { type: 'update_company', record_id: '{{ contact.customer_id }}', fields: { city: 'Perth' } },
      { type: 'create_opportunity', fields: { name: 'Roof of {{ contact.first_name }}', stage_id: stages.Qualified, value: 500 } },
      { type: 'remove_tags', record: 'contact', tags: ['OLD', 'never'] },
      { type: 'remove_from_list', record: 'contact', list_id: list.id },
      { type: 'api_request', method: 'POST', path: '/products', body: { name: 'Tile for {{ contact.first_name }}', sku: 'T-1' } },
    ],
  })
  found(await crm.ws.post(`/automations/${id}/start`, { contact_id: ana.id }))
  const [run] = await runs(id)
  const taken = await steps(run?.id)
  expect(taken.map(({ type, state, error }) => `${type} ${state} ${JSON.stringify(error)}`)).toEqual(
    ['create_company', 'update_company', 'create_opportunity', 'remove_tags', 'remove_from_list', 'api_request'].map(
      (type) => `${type} done null`,
    ),
  )
  expect(found(await crm.ws.get('/companies?sort=name'))).toMatchObject([{ name: 'Ana Ltd' }, { id: mill.id, city: 'Perth' }])
  expect(found(await crm.ws.get('/opportunities'))).toMatchObject([
    { name: 'Roof of Ana', pipeline_id: pipeline, stage_id: stages.Qualified, value: 500 },
  ])
  const tagsOf = async (one: string) => found(await crm.ws.get(`/contacts/${one}`)).tags.map(({ name }: { name: string }) => name)
  expect([await tagsOf(ana.id), await tagsOf(bo.id)]).toEqual([['VIP'], ['old', 'VIP']])
  expect(ids(found(await crm.ws.get(`/lists/${list.id}/members`)))).toEqual([bo.id])
  expect(found(await crm.ws.get('/products'))).toMatchObject([{ name: 'Tile for Ana', sku: 'T-1' }])
})
