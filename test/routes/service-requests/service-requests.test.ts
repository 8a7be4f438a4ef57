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
})
