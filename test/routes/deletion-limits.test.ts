import { beforeAll, expect, test } from 'vitest'
import { limitDependants } from '../deleting.ts'
import { failed, found, useCrm } from './crm.ts'

/** More dependants than this are deleted and restored by jobs: so few that the tests are quick. */
const MOST = 3
const crm = useCrm({ own: true })
beforeAll(() => limitDependants(crm.app, MOST))

const ended = async () => {
  await crm.app.cron('* * * * *')
  await crm.app.drain()
}
async function busyContact(): Promise<string> {
  const { id } = await crm.contact()
  const records = Array.from({ length: MOST + 2 }, (_, n) => ({ title: `Call ${n}`, contact_id: id }))
  found(await crm.ws.post('/tasks/bulk-create', { records }))
  return id
}
/** As many jobs of a type as may run at once, which end when the function that it returns is called. */
async function fill(type: 'deletion' | 'restore') {
  await crm.app.owner.query(
    `insert into deletions (workspace_id, type, table_name, entity, record_id, due_at)
      select $1, $2, 'contacts', 'contact', uuidv7(), now() + interval '1 day'
      from generate_series(1, most_deletions())`,
    [crm.ws.id, type],
  )
  return () => crm.app.owner.query('update deletions set ended_at = now() where workspace_id = $1 and ended_at is null', [crm.ws.id])
}

test('a record with many dependants is not deleted while as many others are being deleted as may be at once', async () => {
  const id = await busyContact()
  const [small, end] = [(await crm.contact()).id, await fill('deletion')]
  expect(await crm.ws.delete(`/contacts/${id}`)).toMatchObject(failed(409, 'CONFLICT'))
  expect(await crm.ws.delete(`/contacts/${id}?purge=true`)).toMatchObject(failed(409, 'CONFLICT'))
  expect(found(await crm.ws.get(`/tasks?contact_id=${id}`))).toHaveLength(MOST + 2)
  found(await crm.ws.delete(`/contacts/${small}`))
  await end()
  await fill('restore')
  expect((await crm.ws.delete(`/contacts/${id}`)).status).toBe(202)
  await ended()
  expect(found(await crm.ws.get('/tasks')).map(({ contact_id }) => contact_id)).toEqual(Array(MOST + 2).fill(null))
})

test('a record with many dependants is not restored while as many others are being restored as may be at once', async () => {
  const id = await busyContact()
  expect((await crm.ws.delete(`/contacts/${id}`)).status).toBe(202)
  await ended()
  const end = await fill('restore')
  expect(await crm.ws.post(`/contacts/${id}/restore`)).toMatchObject(failed(409, 'CONFLICT'))
  expect(await crm.ws.get(`/contacts/${id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  await end()
  await fill('deletion')
  expect((await crm.ws.post(`/contacts/${id}/restore`)).status).toBe(202)
  await ended()
  expect(found(await crm.ws.get(`/tasks?contact_id=${id}`))).toHaveLength(MOST + 2)
})
