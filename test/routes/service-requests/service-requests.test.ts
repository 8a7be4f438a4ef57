import { describe, expect, test } from 'vitest'
import { failed, found, ids, type Row, useCrm } from '../crm.ts'

const crm = useCrm()
const path = '/service-requests'
const make = async (fields: object = {}): Promise<Row> => {
  const answer = await crm.ws.post(path, { title: 'The export stops', ...fields })
  expect(answer.status).toBe(201)
  return answer.body.data
}
const get = async (id: unknown): Promise<Row> => found(await crm.ws.get(`${path}/${id}`))
const issue = (at: string) => ({ status: 400, body: { error: { details: { issues: [{ path: at }] } } } })

describe('a service request', () => {
  test('is created with its context and its relations, and is listed by its filters and its words', async () => {
    const first = await make({ title: 'Invoices have no logo' })
    const second = await make({ type: 'bug', priority: 'high', queue: 'agency', context: { page: '/contacts' }, related_ids: [first.id] })
    expect(second).toMatchObject({
      status: 'open',
      type: 'bug',
      priority: 'high',
      context: { page: '/contacts' },
      notes: [],
      message_reference: null,
    })
    expect(second.related_ids).toEqual([first.id])
    expect(await get(first.id)).toMatchObject({ related_ids: [second.id], version: 2 })
    expect(ids(found(await crm.ws.get(path)))).toEqual([second.id, first.id])
    expect(ids(found(await crm.ws.get(`${path}?queue=agency&priority=high`)))).toEqual([second.id])
    expect(ids(found(await crm.ws.get(`${path}?search=logo`)))).toEqual([first.id])
  })

  test('changes its status only along the table', async () => {
    const { id } = await make()
    expect(found(await crm.ws.patch(`${path}/${id}`, { status: 'closed', priority: 'urgent' }))).toMatchObject({
      status: 'closed',
      priority: 'urgent',
    })
    expect(await crm.ws.patch(`${path}/${id}`, { status: 'in_progress' })).toMatchObject(failed(409, 'INVALID_STATE'))
    expect(found(await crm.ws.patch(`${path}/${id}`, { status: 'open' }))).toMatchObject({ status: 'open' })
    expect(await crm.ws.patch(`${path}/${id}`, { status: 'lost' })).toMatchObject(issue('status'))
  })

  test('has notes that only their author edits, and that change no status', async () => {
    const { id, version } = await make()
    const note = (await crm.ws.post(`${path}/${id}/notes`, { content: 'Since Monday' })).body.data
    expect(note).toMatchObject({ content: 'Since Monday', edited_at: null })
    const edited = found(await crm.ws.patch(`${path}/${id}/notes/${note.id}`, { content: 'Since Tuesday' }))
    expect(edited.edited_at).toEqual(expect.any(String))
    expect(await get(id)).toMatchObject({
      status: 'open',
      version,
      notes: [{ id: note.id, user_id: note.user_id, content: 'Since Tuesday' }],
    })
    await crm.app.owner.query('update service_request_notes set user_id = uuidv7() where id = $1', [note.id])
    expect(await crm.ws.patch(`${path}/${id}/notes/${note.id}`, { content: 'Mine' })).toMatchObject(failed(403, 'FORBIDDEN'))
    expect(await crm.ws.post(`${path}/${id}/notes`, { content: 'x'.repeat(20_001) })).toMatchObject(issue('content'))
  })

  test('is related at both ends, never to itself or to a request of another workspace', async () => {
    const [a, b] = [await make(), await make()]
    const link = (id: unknown, body: object) => crm.ws.post(`${path}/${id}/links`, body)
    expect(found(await link(b.id, { add: [a.id] })).related_ids).toEqual([a.id])
    found(await link(a.id, { add: [b.id] }))
    expect((await get(a.id)).related_ids).toEqual([b.id])
    found(await link(a.id, { remove: [b.id] }))
    expect([(await get(a.id)).related_ids, (await get(b.id)).related_ids]).toEqual([[], []])
    expect(await link(a.id, { add: [a.id] })).toMatchObject(issue('add.0'))
    const other = await crm.app.workspace()
    const foreign = (await other.post(path, { title: 'Elsewhere' })).body.data
    expect(await link(a.id, { add: [foreign.id] })).toMatchObject(issue('add.0'))
    expect(await crm.ws.post(path, { title: 'New', related_ids: [foreign.id] })).toMatchObject(issue('related_ids.0'))
  })

  test('has notes of at most 200,000 characters together, also when one of them is edited', async () => {
    const { id } = await make()
    const notes = `${path}/${id}/notes`
    const [first] = await Promise.all([19_999, ...Array<number>(9).fill(20_000)].map((n) => crm.ws.post(notes, { content: 'x'.repeat(n) })))
    expect(first!.status).toBe(201)
    const edit = (length: number) => crm.ws.patch(`${notes}/${first!.body.data.id}`, { content: 'y'.repeat(length) })
    expect(await crm.ws.post(notes, { content: 'xx' })).toMatchObject(issue('content'))
    expect((await crm.ws.post(notes, { content: 'x' })).status).toBe(201)
    expect(await edit(20_000)).toMatchObject(issue('content'))
    expect((await edit(1)).status).toBe(200)
    expect((await get(id)).notes).toHaveLength(11)
  })

  test('is related to at most 50 others, at each end', async () => {
    const [center, spare] = [await make(), await make()]
    const others = await Promise.all(Array.from({ length: 50 }, () => make()))
    found(await crm.ws.post(`${path}/${center.id}/links`, { add: others.map(({ id }) => id) }))
    const message = expect.stringContaining('at most 50 others')
    const full = (at: string) => ({ status: 400, body: { error: { details: { issues: [{ path: at, message }] } } } })
    expect(await crm.ws.post(`${path}/${center.id}/links`, { add: [spare.id] })).toMatchObject(full('add'))
    expect(await crm.ws.post(`${path}/${spare.id}/links`, { add: [center.id] })).toMatchObject(full('add'))
    expect(await crm.ws.post(path, { title: 'New', related_ids: [center.id] })).toMatchObject(full('related_ids'))
    const both = { add: [spare.id], remove: [others[0]!.id, spare.id] }
    expect(await crm.ws.post(`${path}/${center.id}/links`, both)).toMatchObject(issue('add.0'))
    expect(await crm.ws.post(`${path}/${center.id}/links`, { remove: [center.id] })).toMatchObject(issue('remove.0'))
    found(await crm.ws.post(`${path}/${center.id}/links`, { add: [spare.id], remove: [others[0]!.id] }))
    expect((await get(spare.id)).related_ids).toEqual([center.id])
    expect((await get(others[0]!.id)).related_ids).toEqual([])
  })
})
