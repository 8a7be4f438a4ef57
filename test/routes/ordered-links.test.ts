import { expect, test } from 'vitest'
import { created, found, type Row, useCrm } from './crm.ts'
import { merge, undo } from './merging.ts'

const crm = useCrm()
const ids = (answer: { body: { data?: Row[] } }) => answer.body.data?.map(({ id }) => id)

/** What the indexes of lists by a tag, a follower, a list or a contact have, and what they would have if they were made again. */
async function kept(): Promise<{ now: unknown[]; again: unknown[] }> {
  const now = await read(crm.ws.id)
  await crm.app.owner.query('select order_links($1)', [crm.ws.id])
  return { now, again: await read(crm.ws.id) }
}

async function read(workspace: string): Promise<Row[][]> {
  const rows = async (text: string): Promise<Row[]> => (await crm.app.owner.query(text, [workspace])).rows
  return [
    await rows('select object, tag, archived, created_at, record_id from tagged_records where workspace_id = $1 order by 1, 2, 5'),
    await rows('select id, record_created_at from followers where workspace_id = $1 order by 1'),
    await rows('select id, record_created_at from list_members where workspace_id = $1 order by 1'),
    await rows('select id, opportunity_created_at from opportunity_contacts where workspace_id = $1 order by 1'),
  ]
}

test('whatever is done with records, lists by a tag, a follower, a list or a contact have them', async () => {
  const { ws } = crm
  const tagged = (plural: string, query = '') => ws.get(`/${plural}?tag=${encodeURIComponent('vip')}&sort=created_at${query}`)
  const make = async (plural: string, fields: Row) =>
    created(await ws.post(`/${plural}`, { tags: [{ name: 'VIP' }, { name: 'Late' }], ...fields })).id as string
  const [ana, bo, cy] = [
    await make('contacts', { first_name: 'Ana' }),
    await make('contacts', { first_name: 'Bo' }),
    await make('contacts', { first_name: 'Cy' }),
  ]
  const [acme, best] = [await make('companies', { name: 'Acme' }), await make('companies', { name: 'Best' })]
  const deals: string[] = []
  for (const name of ['Roof', 'Wall', 'Door']) deals.push(await make('opportunities', { name, contacts: [{ contact_id: ana }] }))
  const list = created(await ws.post('/lists', { name: 'Guests', object: 'contacts', kind: 'static' })).id
  await ws.post(`/lists/${list}/members`, { ids: [ana, bo, cy] })
  for (const id of [ana, bo, cy]) await ws.post(`/contacts/${id}/followers`, { user_id: ws.userId })
  for (const [plural, some] of [
    ['contacts', [ana, bo, cy]],
    ['companies', [acme, best]],
    ['opportunities', deals],
  ] as const)
    expect(ids(await tagged(plural))).toEqual(some)
  const others = () => [
    ws.get(`/contacts?followed_by=${ws.userId}&sort=created_at`),
    ws.get(`/lists/${list}/members?sort=created_at`),
    ws.get(`/opportunities?contact_id=${ana}&sort=created_at`),
  ]
  expect((await Promise.all(others())).map(ids)).toEqual([[ana, bo, cy], [ana, bo, cy], deals])
  expect(ids(await ws.get(`/opportunities?contact_id=${ana}&sort=-name`))).toEqual([deals[1], deals[0], deals[2]])
  expect(ids(await tagged('contacts', `&followed_by=${ws.userId}`))).toEqual([ana, bo, cy])

  // Archived, renamed, without the tag, and with another one.
  found(await ws.patch(`/contacts/${bo}`, { archived: true }))
  found(await ws.patch(`/contacts/${cy}`, { tags: [{ name: 'Late' }, { name: 'New' }] }))
  found(await ws.patch(`/opportunities/${deals[1]}`, { archived: true }))
  expect(ids(await tagged('contacts'))).toEqual([ana])
  expect(ids(await tagged('contacts', '&archived=true'))).toEqual([bo])
  expect(ids(await tagged('contacts', '&archived=all'))).toEqual([ana, bo])
  expect(await tagged('contacts', '&archived=all&count=true&limit=1')).toMatchObject({ body: { page: { count: 2, count_exact: true } } })
  expect(ids(await ws.get('/contacts?tag=new'))).toEqual([cy])
  expect((await Promise.all(others())).map(ids)).toEqual([
    [ana, cy],
    [ana, cy],
    [deals[0], deals[2]],
  ])

  // Merged, and taken apart again.
  const roof = created(await ws.post('/opportunities', { name: 'Roof', contacts: [{ contact_id: cy }] })).id
  const merged = await merge(crm, 'contacts', ana, [cy])
  expect(ids(await ws.get('/contacts?tag=new'))).toEqual([])
  expect(ids(await ws.get(`/opportunities?contact_id=${ana}`))).toEqual([roof, deals[2], deals[0]])
  await undo(crm, 'contacts', merged.merge_id)
  expect(ids(await ws.get('/contacts?tag=new'))).toEqual([cy])
  expect((await Promise.all(others())).map(ids)).toEqual([
    [ana, cy],
    [ana, cy],
    [deals[0], deals[2]],
  ])
  // Deleted, and brought back.
  found(await ws.delete(`/contacts/${bo}`))
  expect(ids(await tagged('contacts', '&archived=all'))).not.toContain(bo)
  found(await ws.post(`/contacts/${bo}/restore`))
  expect(ids(await tagged('contacts', '&archived=all'))).toEqual([ana, bo])
  await ws.delete(`/opportunities/${deals[2]}`)
  const last = await kept()
  expect(last.now).toEqual(last.again)
  expect(last.now.flat().length).toBeGreaterThan(20)
})

test('the repair puts right what was written without the triggers, in one workspace', async () => {
  const other = await crm.app.workspace()
  for (const ws of [crm.ws, other])
    for (const object of ['contacts', 'companies', 'opportunities']) {
      const list = created(await ws.post('/lists', { name: object, object, kind: 'static' })).id
      const { id: contact_id } = created(await ws.post('/contacts', { first_name: 'Ana' }))
      for (const tags of [[{ name: 'VIP' }, { name: 'Late' }], [{ name: 'VIP' }], []]) {
        const fields = { contacts: { first_name: 'One' }, companies: { name: 'One' } }[object] ?? {
          name: 'One',
          contacts: [{ contact_id }],
        }
        const { id } = created(await ws.post(`/${object}`, { tags, ...fields }))
        created(await ws.post(`/${object}/${id}/followers`, { user_id: ws.userId }))
        found(await ws.post(`/lists/${list}/members`, { ids: [id] }))
      }
    }
  const right = await read(crm.ws.id)
  expect(right.map(({ length }) => length)).toEqual([9, 9, 9, 3])
  for (const change of [
    "update tagged_records set tag = tag || '-gone'",
    "update followers set record_created_at = record_created_at - interval '1 day'",
    "update list_members set record_created_at = record_created_at + interval '1 day'",
    "update opportunity_contacts set opportunity_created_at = opportunity_created_at - interval '1 day'",
  ])
    await crm.app.owner.query(`${change} where workspace_id in ($1, $2)`, [crm.ws.id, other.id])
  const wrong = await read(other.id)
  await crm.app.owner.query('select order_links($1)', [crm.ws.id])
  expect(await read(crm.ws.id)).toEqual(right)
  expect(await read(other.id)).toEqual(wrong)
})
