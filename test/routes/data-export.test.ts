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

test('of each kind of record the latest 1000 are included, and the export says which kinds have more', async () => {
  const { id } = await crm.contact()
  const { id: deal } = await crm.opportunity({ contacts: [{ contact_id: id }] })
  const insert = (columns: string, values: string, count: number) =>
    crm.app.owner.query(
      `insert into ${columns.replace('(', '(workspace_id, ')} select '${crm.ws.id}', ${values} from generate_series(1, ${count}) n`,
    )
  await insert('tasks (title, contact_id)', `'Task ' || n, '${id}'`, 1001)
  await insert('activities (activity_type, subject, contact_id)', `'note', 'Note ' || n, '${id}'`, 1000)
  const data = found(await crm.ws.get(`/contacts/${id}/data`))
  expect([data.records.tasks.length, data.records.activities.length]).toEqual([1000, 1000])
  expect(data.truncated).toEqual(['tasks'])
  const titles = data.records.tasks.map(({ title }: Row) => title)
  expect([titles[0], titles.at(-1)]).toEqual(['Task 1001', 'Task 2'])
  expect(data.opportunities).toMatchObject([{ id: deal }])
  await insert(
    'attachments (opportunity_id, name, content_type, size, sha256, state)',
    `'${deal}', n || '.pdf', 'application/pdf', 1, '', 'stored'`,
    1001,
  )
  const again = found(await crm.ws.get(`/contacts/${id}/data`))
  expect([again.truncated, again.attachments.length]).toEqual([['attachments', 'tasks'], 1000])
  expect(again.attachments[0].name).toBe('1001.pdf')
})
