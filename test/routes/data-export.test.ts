import { beforeEach, expect, test } from 'vitest'
import { failed, found, ids, type Row, useCrm } from './crm.ts'
import { type Mark, markedPerson, newMark } from './marked-person.ts'

const crm = useCrm()
let mark: Mark
beforeEach(() => {
  mark = newMark()
})

test('the personal data of a contact is exported as one document', async () => {
  const { id, deal, shared } = await markedPerson(crm, mark)
  found(await crm.ws.patch(`/opportunities/${deal.id}`, { customer_id: await crm.company('Unrelated') }))
  const data = found(await crm.ws.get(`/contacts/${id}/data`))
  expect(data.contact).toMatchObject({
    id,
    first_name: `${mark.mark}renamed`,
    metadata: { vat: mark.marked('vat') },
    created_at: expect.stringMatching(/\.\d{3}Z$/),
  })
  expect(data.contact).not.toHaveProperty('workspace_id')
  expect(Object.keys(data.records).sort()).toEqual(
    (await crm.app.owner.query("select distinct child::text as name from references_to('contacts') order by 1")).rows.map(
      ({ name }) => name,
    ),
  )
  expect(ids(data.records.activities)).toContain(shared.id)
  expect(data.records).toMatchObject({
    tasks: [{}, {}],
    activities: [{}, {}],
    employers: [{}],
    opportunity_contacts: [{ role: mark.marked('role') }],
    deal_stakeholders: [{}],
  })
  expect(data).toMatchObject({
    companies: [{ name: 'Acme' }],
    opportunities: [{ id: deal.id, name: 'Workstations' }],
    truncated: [],
    journals: {},
  })
  expect(data.history.map(({ action }: Row) => action)).toEqual(['updated', 'updated', 'updated', 'created'])
  expect(data.events.length).toBeGreaterThan(3)
  expect(data.approvals).toHaveLength(5)
  expect(Object.keys(data.contact)).not.toContain('search_text')
  const stranger = await crm.app.workspace()
  expect(await stranger.get(`/contacts/${id}/data`)).toMatchObject(failed(404, 'NOT_FOUND'))
})

test('the history of merged contacts is included', async () => {
  const [winner, loser] = [await crm.contact({ first_name: 'Ana' }), await crm.contact({ first_name: mark.mark })]
  found(await crm.ws.post('/contacts/merge', { winner_id: winner.id, loser_ids: [loser.id] }))
  const { history, journals } = found(await crm.ws.get(`/contacts/${winner.id}/data`))
  expect(history.filter(({ entity_id }: Row) => entity_id === loser.id).map(({ action }: Row) => action)).toEqual(['deleted', 'created'])
  expect(journals.merges).toMatchObject([{ winner_id: winner.id, losers: [{ id: loser.id, name: mark.mark }] }])
})
