import { describe, expect, test } from 'vitest'
import { linkClient, unlinkClient } from '../../../dev/agency/agency.ts'
import { recordWebsite } from '../../../dev/agency/websites.ts'
import { MAX_PLANS } from '../../../src/features/agency/rules/agency.ts'
import { failed, found, nobody, type Row, refused, useCrm } from '../crm.ts'
import { agencyIn, inMonth, monthText } from './agencies.ts'

const crm = useCrm()
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

test('a client is only linked if it exists, is another workspace, and was brought in by an active member', async () => {
  const agency = await agencyIn(crm.app)
  const client = await crm.app.workspace()
  const link = (id: string, fields = {}) => linkClient(crm.app.owner, agency.ws.id, id, fields)
  const person = async ({ userId }: { userId: string }) =>
    (await crm.app.owner.query('select email from users where id = $1', [userId])).rows[0].email as string
  const [left, sales] = [await agency.member('salesperson'), await agency.member('salesperson')]
  await crm.app.owner.query("update memberships set status = 'removed' where workspace_id = $1 and user_id = $2", [
    agency.ws.id,
    left.userId,
  ])
  await expect(link(nobody)).rejects.toThrow('no client workspace')
  await expect(link(agency.ws.id)).rejects.toThrow('no client workspace')
  for (const brought_in_by of ['nobody@example.com', await person(left), await person(client)])
    await expect(link(client.id, { brought_in_by })).rejects.toThrow('No active member of the agency')
  expect(found(await agency.ws.get('/agency/clients'))).toEqual([])
  await expect(unlinkClient(crm.app.owner, agency.ws.id, client.id)).rejects.toThrow('does not look after this client')

  await link(client.id, { brought_in_by: ` ${(await person(sales)).toUpperCase()} ` })
  expect(found(await agency.ws.get(`/agency/clients/${client.id}`))).toMatchObject({ brought_in_by: sales.userId })
  await unlinkClient(crm.app.owner, agency.ws.id, client.id)
  await expect(unlinkClient(crm.app.owner, agency.ws.id, client.id)).rejects.toThrow('does not look after this client')
})

test('the notes of the agency and those of the client have their bounds together', async () => {
  const agency = await agencyIn(crm.app)
  const client = await agency.client()
  const { id } = (await client.post('/service-requests', { title: 'The export stops' })).body.data
  const add = (content: string) => agency.ws.post(`/agency/service-requests/${id}/notes`, { content })
  const long = 'x'.repeat(20_000)
  for (let n = 0; n < 5; n++) expect((await client.post(`/service-requests/${id}/notes`, { content: long })).status).toBe(201)
  const [first] = await Promise.all(Array.from({ length: 5 }, (_, n) => add(n === 4 ? long.slice(1) : long)))
  expect(first?.status).toBe(201)
  expect(await add('xx')).toMatchObject(refused('content'))
  expect((await add('x')).status).toBe(201)
  expect(found(await client.get(`/service-requests/${id}`)).notes).toHaveLength(11)

  const other = (await client.post('/service-requests', { title: 'The import stops' })).body.data.id
  await crm.app.owner.query(
    `insert into service_request_notes (workspace_id, id, request_id, user_id, by_agency, content)
      select $1, uuidv7(), $2, $3, true, 'n' || n from generate_series(1, 199) n`,
    [client.id, other, agency.ws.userId],
  )
  const answers = await Promise.all(['a', 'b'].map((content) => agency.ws.post(`/agency/service-requests/${other}/notes`, { content })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400])
})

test('clients and templates are listed apart', async () => {
  const agency = await agencyIn(crm.app)
  const [client, template] = [await agency.client(), await agency.client(undefined, true)]
  const listed = async (query: string) => found(await agency.ws.get(`/agency/clients?${query}`)).map(({ client_id }) => client_id)
  expect(await listed('is_template=true')).toEqual([template.id])
  expect(await listed('is_template=false')).toEqual([client.id])
})

test('the figures of a client that is unlinked while they are read are not stored', async () => {
  const agency = await agencyIn(crm.app)
  const client = await agency.client()
  crm.app.proxy.onRequest = async (request) => {
    const [first] = 'queries' in request ? request.queries : [request]
    if (!first?.query.includes('end_work')) return
    crm.app.proxy.onRequest = undefined
    await unlinkClient(crm.app.owner, agency.ws.id, client.id)
  }
  await crm.app.deliver('WEBHOOKS', [{ type: 'work.run', kind: 'agency.clients', workspace_id: agency.ws.id }])
  expect(crm.app.proxy.onRequest).toBeUndefined()
  const { rows } = await crm.app.owner.query('select checked_at, user_count, due_at from agency_clients where client_id = $1', [client.id])
  expect(rows).toEqual([{ checked_at: null, user_count: null, due_at: null }])
})

test('a service request that no longer exists is not shown to the agency', async () => {
  const agency = await agencyIn(crm.app)
  const client = await agency.client()
  const requests = [await client.post('/service-requests', { title: 'Gone' }), await client.post('/service-requests', { title: 'Here' })]
  const gone = found(requests[0] as never).id
  await crm.app.owner.query('delete from service_requests where id = $1', [gone])
  expect(found(await agency.ws.get('/agency/service-requests'))).toMatchObject([{ title: 'Here' }])
})

describe('a payment', () => {
  test('is not recorded before it was made, nor when too many wait for a statement', async () => {
    const agency = await agencyIn(crm.app)
    const client = await agency.client()
    const amount = async () => found(await agency.ws.get(`/agency/clients/${client.id}`)).amount_paid
    await expect(agency.pay(client, { amount_cents: 100, paid_at: inAnHour() })).rejects.toThrow('after it was made')
    expect(await amount()).toBe(0)
    await agency.pay(client, { amount_cents: 100 })
    const another = (most: number) =>
      crm.app.owner.query('select record_agency_payment($1, $2, $3)', [
        agency.ws.id,
        JSON.stringify({
          client_id: client.id,
          kind: 'service',
          paid_at: inMonth(0),
          month: `${monthText(0)}-01`,
          amount_cents: 100,
          currency: 'AUD',
          reference: 'another',
        }),
        most,
      ])
    await expect(another(1)).rejects.toThrow('Too many payments')
    expect(await amount()).toBe(1)
    await another(2)
    expect(await amount()).toBe(2)
  })

  test('is refunded once for each reference, after it was made', async () => {
    const agency = await agencyIn(crm.app)
    const client = await agency.client()
    await agency.pay(client, { amount_cents: 1_000, paid_at: inMonth(1), reference: 'first' })
    await agency.pay(client, { amount_cents: 1_000, paid_at: inMonth(1), reference: 'second' })
    const at = inMonth(0)
    const refund = await agency.refund('first', 300, at, 'back')
    expect(await agency.refund('first', 300, at, 'back')).toBe(refund)
    for (const [payment, cents, time] of [
      ['first', 200, at],
      ['second', 300, at],
      ['first', 300, inMonth(1, 20)],
    ] as const)
      await expect(agency.refund(payment, cents, time, 'back')).rejects.toThrow('belongs to another refund')
    await expect(agency.refund('unknown', 300, at)).rejects.toThrow('No payment has the reference unknown')
    await expect(agency.refund('first', 300, inMonth(2))).rejects.toThrow('refunded after it was made')
    await expect(agency.refund('first', 300, inAnHour())).rejects.toThrow('a refund is recorded after that')
    await expect(agency.refund('first', 701, at)).rejects.toThrow('At most 7.00')
    expect(found(await agency.ws.get(`/agency/clients/${client.id}`)).amount_paid).toBe(17)
    expect(found(await agency.ws.get('/agency/commission')).running).toMatchObject({ line_count: 1, commission: -0.6 })
  })

  test('of the present month is explained before it has a statement, to those who see it', async () => {
    const agency = await agencyIn(crm.app)
    const manager = await agency.member('account_manager')
    const client = await agency.client(manager)
    await agency.pay(client, { amount_cents: 10_050 })
    await agency.pay(await agency.client(), { amount_cents: 500 })
    const { running } = found(await manager.get('/agency/commission'))
    expect(running.lines).toHaveLength(1)
    for (const seeing of [manager, agency.ws])
      expect(found(await seeing.get(`/agency/commission/lines/${running.lines[0].id}`))).toMatchObject({
        id: running.lines[0].id,
        payee: 'agency',
        client_id: client.id,
        statement_month: monthText(0),
        is_locked: false,
        payment_amount: 100.5,
        commission: 20.1,
        shares: [{ sign: 1, amount: 100.5, exact: '20.100000', rounded: 20.1 }],
      })
    expect(await agency.ws.get(`/agency/commission/lines/${nobody}`)).toMatchObject(failed(404, 'NOT_FOUND'))
  })
})

test('a log of a website that is too long is refused as a whole', async () => {
  const agency = await agencyIn(crm.app)
  const client = await agency.client()
  const site = { client_id: client.id, name: 'Site', repository: 'https://git.example.com/site' }
  const website_id = await recordWebsite(crm.app.owner, agency.ws.id, site)
  const record = (log_tail: string) =>
    crm.app.owner.query('select record_website_sync($1, $2, 10, 100)', [
      agency.ws.id,
      JSON.stringify({ website_id, status: 'failed', log_tail }),
    ])
  // Bytes count, not characters.
  await expect(record('ééééé.')).rejects.toThrow('at most 10 bytes')
  await record('ééééé')
  const [{ syncs }] = found(await agency.ws.get('/agency/websites')) as unknown as [Row]
  expect(syncs).toMatchObject([{ log_tail: 'ééééé' }])
})

describe('a plan of a member', () => {
  test('goes on for the months that it has, is changed to others, or for ever', async () => {
    const agency = await agencyIn(crm.app)
    const { userId } = await agency.member('salesperson')
    const change = (fields: Row) => agency.ws.patch(`/agency/team-commission/plans/${userId}`, fields)
    expect(await change({ ongoing_forever: false })).toMatchObject(refused('ongoing_months'))
    expect(found(await change({ ongoing_forever: false, ongoing_months: 3 }))).toMatchObject({ ongoing_months: 3, ongoing_forever: false })
    expect(found(await change({ ongoing_forever: false }))).toMatchObject({ ongoing_months: 3, ongoing_forever: false, version: 1 })
    expect(found(await change({ ongoing_months: 4 }))).toMatchObject({ ongoing_months: 4 })
    expect(found(await change({ ongoing_forever: true }))).toMatchObject({ ongoing_months: null, ongoing_forever: true })
    expect(await change({ ongoing_forever: true, ongoing_months: 2 })).toMatchObject(refused('ongoing_months'))
  })

  test('gets a version for each change, also back to former values, and none for what it says already', async () => {
    const agency = await agencyIn(crm.app)
    const { userId } = await agency.member('salesperson')
    const change = (one_off_percent: number) => agency.ws.patch(`/agency/team-commission/plans/${userId}`, { one_off_percent })
    const versions = []
    for (const percent of [10, 10, 20, 20, 10]) versions.push(found(await change(percent)))
    expect(versions.map(({ version, one_off_percent }) => [version, one_off_percent])).toEqual([
      ...[1, 1].map((version) => [version, 10]),
      ...[2, 2].map((version) => [version, 20]),
      [3, 10],
    ])
  })

  test('is one of so many, but those who have one can get further versions', async () => {
    const agency = await agencyIn(crm.app)
    const [known, another] = [await agency.member('salesperson'), await agency.member('salesperson')]
    const change = ({ userId }: { userId: string }, one_off_percent = 10) =>
      agency.ws.patch(`/agency/team-commission/plans/${userId}`, { one_off_percent })
    expect(found(await change(known))).toMatchObject({ version: 1 })
    await crm.app.owner.query(
      `begin; set local session_replication_role = replica;
      insert into commission_plans (workspace_id, user_id, number, from_month, one_off_percent, first_months, first_months_percent,
          ongoing_percent)
        select '${agency.ws.id}', gen_random_uuid(), 1, date_trunc('month', now()), 0, 0, 0, 0 from generate_series(2, ${MAX_PLANS});
      commit`,
    )
    expect(await change(another)).toMatchObject(failed(409, 'CONFLICT'))
    expect(found(await change(known, 11))).toMatchObject({ version: 2 })
  })
})
