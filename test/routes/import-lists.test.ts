import { expect, test } from 'vitest'
import { created, failed, found, refused, useCrm } from './crm.ts'
import { useImports } from './importing.ts'

const crm = useCrm()
const { uploaded, imported, act, rows } = useImports(crm)
const list = async (name: string, object = 'contacts', fields: object = { kind: 'static' }): Promise<string> =>
  created(await crm.ws.post('/lists', { name, object, ...fields })).id
const membersOf = async (id: string) => found(await crm.ws.get(`/lists/${id}/members?sort=created_at`))

const PEOPLE = 'First name,E-Mail\nAna,ana@example.com\nBo,bo@example.com\nCy,not an address\nAna,ana@example.com\n'

test('an import adds its records to a static list: new ones, and those that exist; once, and not those of failed lines', async () => {
  const id = await list('Fair')
  const known = await crm.contact({ first_name: 'Bo', email: 'bo@example.com' })
  const done = await imported(PEOPLE, { list_id: id, mode: 'upsert', match_by: 'email' })
  expect(done).toMatchObject({ state: 'finished', list_id: id })
  const members = await membersOf(id)
  expect(members.map(({ first_name }) => first_name).toSorted()).toEqual(['Ana', 'Bo'])
  expect(members.map((member) => member.id)).toContain(known.id)
  found(await crm.ws.post(`/imports/${done.id}/undo`))
  await crm.app.drain()
  expect((await membersOf(id)).map((member) => member.id)).toEqual([known.id])
})

test('a list that is full takes no more, and the lines say so; a check adds nothing', async () => {
  const id = await list('Full')
  await crm.app.owner.query(
    `with c as (insert into contacts (workspace_id, first_name) select $1, 'N' from generate_series(1, 4999) returning id)
      insert into list_members (workspace_id, list_id, contact_id) select $1, $2, id from c`,
    [crm.ws.id, id],
  )
  const { id: importId } = await uploaded('First name,E-Mail\nAna,ana@example.com\nBo,bo@example.com\n', { list_id: id })
  const size = async () => Number((await crm.app.owner.query('select count(*) from list_members where list_id = $1', [id])).rows[0].count)
  await act(importId, 'check')
  expect(await size()).toBe(4999)
  const done = await act(importId, 'start')
  expect(done.progress ?? done).toMatchObject({ created: 2, warned: 1 })
  expect(await size()).toBe(5000)
  expect(JSON.stringify(await rows(importId))).toContain('The list of the import is full')
})

test('the list must be a static one of such records, and the key may change lists', async () => {
  const { id } = await uploaded(PEOPLE)
  const set = (list_id: string, ws = crm.ws) => ws.patch(`/imports/${id}`, { list_id })
  const live = await list('Live', 'contacts', { kind: 'live', filter: { field: 'first_name', op: 'eq', value: 'Ana' } })
  for (const wrong of [live, await list('Firms', 'companies'), crypto.randomUUID()])
    expect(await set(wrong)).toMatchObject(refused('list_id'))
  const right = await list('Right')
  const importer = await crm.ws.key({ scopes: ['imports:*', 'contacts:*'] })
  expect(await set(right, importer)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  found(await set(right))
  expect(await importer.post(`/imports/${id}/start`)).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
  found(await crm.ws.delete(`/lists/${right}`))
  expect(found(await crm.ws.get(`/imports/${id}`)).list_id).toBeNull()
})
