import { expect, test } from 'vitest'
import { created, found, type Row, useCrm } from '../routes/crm.ts'
import { useImports } from '../routes/importing.ts'
import { merge } from '../routes/merging.ts'
import type { ApiResponse } from '../workspace.ts'

const crm = useCrm()
const { imported, act } = useImports(crm)

const idOf = ({ headers }: ApiResponse) => headers.get('x-request-id') as string
const causes = async (path: string): Promise<Row[]> =>
  found(await crm.ws.get(`${path}/history`)).map(({ cause_type, cause_id }: Row) => ({ cause_type, cause_id }))
const eventsOf = async (id: string): Promise<Row[]> =>
  found(await crm.ws.get(`/events?entity_id=${id}`)).map(({ cause_type, cause_id }: Row) => ({ cause_type, cause_id }))

test('a change and its event name the request that caused them', async () => {
  const made = await crm.ws.post('/contacts', { first_name: 'Ana' })
  const { id } = created(made)
  const wanted = [{ cause_type: 'request', cause_id: idOf(made) }]
  expect(await causes(`/contacts/${id}`)).toEqual(wanted)
  expect(await eventsOf(id)).toEqual(wanted)
  // What follows from it is of the same cause.
  const company = await crm.company()
  const linked = await crm.ws.post('/contacts', { first_name: 'Ben', customer_id: company })
  const { body } = await crm.ws.get(`/requests/${idOf(linked)}/changes`)
  expect(body.data.map(({ entity, cause_id }: Row) => [entity, cause_id]).sort()).toEqual([
    ['contact', idOf(linked)],
    ['employer', idOf(linked)],
  ])
})

test('an approved request names its approval', async () => {
  const { id } = await crm.contact()
  const { body } = await crm.ws.patch(`/contacts/${id}`, { city: 'Perth', require_approval: true })
  found(await crm.ws.post(`/approvals/${body.approval_id}/approve`, {}))
  await crm.app.drain()
  expect((await causes(`/contacts/${id}`))[0]).toEqual({ cause_type: 'approval', cause_id: body.approval_id })
})

test('changes of an import and of its undo name the import', async () => {
  const { id } = await imported('Email,First Name\nimported@example.com,Ida\n')
  const [row] = found(await crm.ws.get(`/imports/${id}/rows`))
  expect(await causes(`/contacts/${row!.record_id}`)).toEqual([{ cause_type: 'import', cause_id: id }])
  await act(id, 'undo')
  expect((await causes(`/contacts/${row!.record_id}`))[0]).toEqual({ cause_type: 'undo', cause_id: id })
})

test('a merge and its undo name the merge', async () => {
  const [winner, loser] = [await crm.contact(), await crm.contact()]
  const { merge_id } = await merge(crm, 'contacts', winner.id, [loser.id])
  expect((await causes(`/contacts/${loser.id}`))[0]).toEqual({ cause_type: 'merge', cause_id: merge_id })
  found(await crm.ws.post(`/contacts/merges/${merge_id}/undo`, {}))
  expect((await causes(`/contacts/${loser.id}`))[0]).toEqual({ cause_type: 'undo', cause_id: merge_id })
})

test('events are stored with their transaction, and can be read in its order', async () => {
  const [a, b] = [await crm.contact(), await crm.contact()]
  const { rows } = await crm.app.owner.query(
    `select entity_id, xid::text, pg_visible_in_snapshot(xid, pg_current_snapshot()) as committed, depth from outbox
     where workspace_id = $1 and type = 'contact.created' and entity_id = any($2) order by xid, id`,
    [crm.ws.id, [a.id, b.id]],
  )
  expect(rows.map(({ entity_id }) => entity_id)).toEqual([a.id, b.id])
  expect(new Set(rows.map(({ xid }) => xid)).size).toBe(2)
  expect(rows.every(({ committed, depth }) => committed && depth === 0)).toBe(true)
})
