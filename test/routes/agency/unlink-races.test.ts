import { expect, test } from 'vitest'
import { unlinkClient } from '../../../dev/agency/agency.ts'
import { useCrm } from '../crm.ts'
import { agencyIn } from './agencies.ts'

const crm = useCrm({ own: true })

/** Waits until a session of the Worker waits for a lock. */
async function untilBlocked(user: string): Promise<void> {
  const waiting = 'select from pg_stat_activity where usename = $1 and datname = current_database() and wait_event_type = $2'
  while ((await crm.app.owner.query(waiting, [user, 'Lock'])).rowCount === 0);
}
const copies = async (id: string) => (await crm.app.owner.query('select from agency_requests where client_id = $1', [id])).rowCount

test('a request that is written while the agency unlinks the client is the client’s alone', async () => {
  const agency = await agencyIn(crm.app)
  const client = await agency.client()
  const operator = await crm.app.owner.connect()
  await operator.query('begin')
  await unlinkClient(operator, agency.ws.id, client.id)
  const writing = client.post('/service-requests', { title: 'Late' })
  await untilBlocked('app')
  await operator.query('commit')
  operator.release()
  expect((await writing).status).toBe(201)
  expect((await client.get('/service-requests')).body.data).toMatchObject([{ title: 'Late' }])
  expect(await copies(client.id)).toBe(0)
})

test('an agency that unlinks a client waits for the request that is being written, and takes its copy away', async () => {
  const agency = await agencyIn(crm.app)
  const client = await agency.client()
  const writer = await crm.app.owner.connect()
  await writer.query('begin')
  await writer.query("select set_config('app.workspace_id', $1, true)", [client.id])
  await writer.query("insert into service_requests (workspace_id, title) values ($1, 'Second')", [client.id])
  const ending = unlinkClient(crm.app.owner, agency.ws.id, client.id)
  await untilBlocked('postgres')
  await writer.query('commit')
  writer.release()
  await ending
  expect((await client.get('/service-requests')).body.data).toMatchObject([{ title: 'Second' }])
  expect(await copies(client.id)).toBe(0)
})
