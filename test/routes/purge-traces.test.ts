import { beforeEach, expect, test } from 'vitest'
import { created, failed, found, useCrm } from './crm.ts'
import { useImports } from './importing.ts'
import { type Mark, newMark, places } from './marked-person.ts'

const crm = useCrm()
const { imported } = useImports(crm)
let mark: Mark
beforeEach(() => {
  mark = newMark()
})

const purge = (id: string, kind = 'contacts') => crm.ws.delete(`/${kind}/${id}?purge=true`)
const merge = async (winner_id: string, loser_ids: string[], kind = 'contacts') =>
  found(await crm.ws.post(`/${kind}/merge`, { winner_id, loser_ids, append_notes: true })).merge_id as string

test('who was merged into a purged person goes too, at every step, and the merges cannot be undone', async () => {
  const person = (name: string) =>
    crm.contact({
      first_name: `${mark.mark}${name}`,
      email: `${mark.mark}.${name}@x.co`,
      notes: mark.marked(name),
      phone: `+61${mark.number}`,
    })
  const [first, second, third] = [await person('a'), await person('b'), await person('c')]
  created(await crm.ws.post('/activities', { activity_type: 'note', contact_id: first.id, body: mark.marked('note') }))
  const before = await merge(second.id, [first.id])
  const after = await merge(third.id, [second.id])
  expect(await purge(second.id)).toMatchObject({ ...failed(404, 'NOT_FOUND'), body: { error: { details: { merged_into: third.id } } } })
  expect(found(await purge(third.id)).purged).toMatchObject({ contact: 1, activity: 1 })
  expect(await places(crm, mark.mark)).toEqual({})
  for (const { id } of [first, second, third])
    expect((await crm.ws.get(`/contacts/${id}`)).body.error.details).toEqual({ purged_at: expect.any(String) })
  for (const id of [before, after]) {
    expect(found(await crm.ws.get(`/contacts/merges/${id}`))).toMatchObject({ losers: [{ name: '(purged)' }] })
    expect(await crm.ws.post(`/contacts/merges/${id}/undo`)).toMatchObject(failed(409, 'INVALID_STATE'))
  }
})

test('a merge of deals can still be undone, without the purged person who was on them', async () => {
  const ana = await crm.contact({ first_name: mark.mark })
  const [winner, loser] = [await crm.opportunity(), await crm.opportunity({ name: 'Other' })]
  for (const { id } of [winner, loser])
    await crm.ws.post(`/opportunities/${id}/contacts`, { contact_id: ana.id, role: mark.marked('role') })
  const id = await merge(winner.id, [loser.id], 'opportunities')
  expect(Object.keys(await places(crm, mark.mark))).toContain('merge_entries')
  found(await purge(ana.id))
  expect(await places(crm, mark.mark)).toEqual({})
  found(await crm.ws.post(`/opportunities/merges/${id}/undo`))
  expect(found(await crm.ws.get(`/opportunities/${loser.id}`))).toMatchObject({ name: 'Other', contacts: [] })
})

test('what an import kept of lines with an address of theirs is gone; its file stays until the import is deleted', async () => {
  const file = `First name,Email,Phone\n${mark.mark},${mark.mark}@x.co,soon\nBo,bo@x.co,0412 000 000\n`
  const { id: importId } = await imported(file)
  const ana = await crm.contact({ first_name: 'Ana', email: `${mark.mark}@x.co` })
  expect(Object.keys(await places(crm, mark.mark))).toEqual(expect.arrayContaining(['import_files', 'import_rows']))
  found(await purge(ana.id))
  expect(await places(crm, mark.mark)).toEqual({})
  const rows = found(await crm.ws.get(`/imports/${importId}/rows`))
  expect(rows.map(({ line, status }) => [line, status])).toEqual([
    [2, 'failed'],
    [3, 'created'],
  ])
  expect(found(await crm.ws.get(`/imports/${importId}`)).file).toMatchObject({
    preview: [],
    columns: [{ name: 'First name', samples: [] }, {}, {}],
  })
})
