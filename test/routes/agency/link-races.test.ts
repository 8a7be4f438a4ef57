import { describe, expect, test } from 'vitest'
import { linkClient, unlinkClient } from '../../../dev/agency/agency.ts'
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

describe('what is written while the agency links the client', () => {
  /** An agency, a client with a request whose link has ended, and how the requests are shown. */
  async function apart() {
    const agency = await agencyIn(crm.app)
    const client = await agency.client()
    const { id } = (await client.post('/service-requests', { title: 'First' })).body.data
    await unlinkClient(crm.app.owner, agency.ws.id, client.id)
    const shown = async () => (await agency.ws.get(`/agency/service-requests?client=${client.id}`)).body.data
    return { agency, client, id, shown }
  }

  test('waits for the link, and is seen by the agency', async () => {
    const { agency, client, id, shown } = await apart()
    const operator = await crm.app.owner.connect()
    await operator.query('begin')
    await linkClient(operator, agency.ws.id, client.id)
    const writing = [
      client.post('/service-requests', { title: 'Second' }),
      client.patch(`/service-requests/${id}`, { status: 'in_progress' }),
      client.post(`/service-requests/${id}/notes`, { content: 'More' }),
    ]
    await untilBlocked('app')
    await operator.query('commit')
    operator.release()
    for (const { status, body } of await Promise.all(writing)) expect(status, JSON.stringify(body)).toBeLessThan(300)
    expect(await shown()).toMatchObject([{ title: 'Second' }, { id, status: 'in_progress', note_count: 1 }])
  })

  test('is awaited by the link, and copied', async () => {
    const { agency, client, id, shown } = await apart()
    const writer = await crm.app.owner.connect()
    await writer.query('begin')
    await writer.query("select set_config('app.workspace_id', $1, true)", [client.id])
    await writer.query("insert into service_requests (workspace_id, title) values ($1, 'Second')", [client.id])
    await writer.query("update service_requests set status = 'waiting' where workspace_id = $1 and id = $2", [client.id, id])
    await writer.query("insert into service_request_notes (workspace_id, request_id, content) values ($1, $2, 'More')", [client.id, id])
    const linking = linkClient(crm.app.owner, agency.ws.id, client.id)
    await untilBlocked('postgres')
    await writer.query('commit')
    writer.release()
    await linking
    expect(await shown()).toMatchObject([{ title: 'Second' }, { id, status: 'waiting', note_count: 1 }])
  })

  test('does not stop it for good: notes of the agency and changed links take turns', async () => {
    const agency = await agencyIn(crm.app)
    const client = await agency.client()
    const { id } = (await client.post('/service-requests', { title: 'Busy' })).body.data
    const rounds = Array.from({ length: 4 }, (_, n) => n)
    const done = await Promise.all([
      ...rounds.map((n) => agency.ws.post(`/agency/service-requests/${id}/notes`, { content: `Note ${n}` })),
      ...rounds.map((n) => client.post(`/service-requests/${id}/notes`, { content: `Ours ${n}` })),
      ...rounds.map(async (n) => ({ status: 201, body: await linkClient(crm.app.owner, agency.ws.id, client.id, { plan: `plan ${n}` }) })),
    ])
    for (const { status, body } of done) expect(status, JSON.stringify(body)).toBe(201)
    const { data } = (await agency.ws.get(`/agency/service-requests?client=${client.id}`)).body
    expect(data).toMatchObject([{ id, note_count: 8 }])
  })
})

test('a plan of a member is not changed by a request that has read a former version of it', async () => {
  const agency = await agencyIn(crm.app)
  const { userId } = await agency.member('salesperson')
  const path = `/agency/team-commission/plans/${userId}`
  await agency.ws.patch(path, { one_off_percent: 10 })
  const other = await crm.app.owner.connect()
  await other.query('begin')
  await other.query('select from agencies where workspace_id = $1 for update', [agency.ws.id])
  const changing = agency.ws.patch(path, { ongoing_percent: 5 })
  await untilBlocked('app')
  await other.query(
    `insert into commission_plans (workspace_id, user_id, number, from_month, one_off_percent, first_months, first_months_percent,
      ongoing_percent) select workspace_id, user_id, 2, from_month, 20, 0, 0, 0 from commission_plans where user_id = $1`,
    [userId],
  )
  await other.query('commit')
  other.release()
  expect((await changing).body.error).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('changed this plan meanwhile') })
  expect((await agency.ws.patch(path, { ongoing_percent: 5 })).body.data).toMatchObject({
    version: 3,
    one_off_percent: 20,
    ongoing_percent: 5,
  })
})
