import { beforeAll, describe, expect, test } from 'vitest'
import { limitDependants } from '../deleting.ts'
import { created, found, type Row, useCrm } from './crm.ts'

/** More dependants than this are deleted and restored by jobs: so few that the tests are quick. */
const MOST = 10
const crm = useCrm({ own: true })
beforeAll(() => limitDependants(crm.app, MOST))

const accepted = ({ status, body }: { status: number; body: Row }): string => {
  expect(status, JSON.stringify(body)).toBe(202)
  return body.data.job_id
}
const job = async (id: string) => found(await crm.ws.get(`/jobs/${id}`))
const ended = async (id: string) => {
  await crm.app.cron('* * * * *')
  await crm.app.drain()
  const state = await job(id)
  expect(state).toMatchObject({ state: 'completed', error: null })
  return state
}
const gone = async (path: string) => ended(accepted(await crm.ws.delete(path)))
const many = async (make: (n: number) => Promise<unknown>, count = MOST + 2) => {
  for (let n = 0; n < count; n++) await make(n)
}
/** Lets no worker begin, and returns the job. */
const begun = async (path: string) => {
  await crm.app.capture(true)
  const id = accepted(await crm.ws.post(path))
  await crm.app.capture(false)
  return id
}
const rowsLeft = async (table: string) =>
  (await crm.app.owner.query(`select count(*)::int from ${table} where workspace_id = $1`, [crm.ws.id])).rows[0].count

/** A contact with notes, tasks, an employer, a follower, a thread of memories, and a meeting that it shares with another contact. */
async function busyContact() {
  const company = await crm.company()
  const { id } = await crm.contact({ email: 'ana@example.com', external_id: 'A-1', customer_id: company, is_primary: true })
  const { id: other } = await crm.contact({ first_name: 'Ben' })
  await many((n) => crm.ws.post('/activities', { activity_type: 'note', body: `Note ${n}`, contact_id: id }))
  await many((n) => crm.ws.post('/tasks', { title: `Call ${n}`, contact_id: id }), 3)
  const shared = created(await crm.ws.post('/activities', { activity_type: 'meeting', body: 'Both', contact_ids: [other, id] }))
    .id as string
  return { id, company, other, shared }
}

/** All that a caller can read of these records. */
async function shown({ id, company, shared }: { id: string; company: string; shared: string }) {
  const paths = [
    `/contacts/${id}`,
    `/activities?contact_id=${id}&limit=100`,
    `/tasks?contact_id=${id}&limit=100`,
    `/companies/${company}/contacts`,
    `/activities/${shared}`,
    '/contacts?external_id=A-1',
  ]
  const bodies = []
  for (const path of paths) bodies.push(found(await crm.ws.get(path)))
  return JSON.parse(JSON.stringify(bodies, (name, value) => (['version', 'updated_at', 'local_time'].includes(name) ? undefined : value)))
}

describe('the restore of a contact with many dependants', () => {
  test('is accepted, shows the contact at once, and brings everything back that was there', async () => {
    const busy = await busyContact()
    const before = await shown(busy)
    await gone(`/contacts/${busy.id}`)
    await crm.app.capture(true)
    const response = await crm.ws.post(`/contacts/${busy.id}/restore`)
    const job_id = accepted(response)
    expect(response.body.data).toEqual({ id: busy.id, restored: true, job_id })
    expect(response.headers.get('location')).toBe(`/v1/jobs/${job_id}`)
    expect(await job(job_id)).toMatchObject({ type: 'restore', state: 'running', entity: 'contact', entity_id: busy.id, processed: 0 })
    expect(found(await crm.ws.get(`/contacts/${busy.id}`)).email).toBe('ana@example.com')
    expect(found(await crm.ws.get(`/activities?contact_id=${busy.id}`))).toEqual([])

    for (const [method, path] of [
      ['delete', `/contacts/${busy.id}`],
      ['delete', `/contacts/${busy.id}?purge=true`],
      ['post', `/contacts/${busy.id}/restore`],
    ] as const) {
      const { status, body } = await crm.ws[method](path)
      expect([path, status, body.error?.code, body.error?.details]).toEqual([path, 409, 'CONFLICT', { job_id }])
    }
    const merged = await crm.ws.post('/contacts/merge', { winner_id: busy.other, loser_ids: [busy.id] })
    expect(merged.body.error).toMatchObject({ code: 'CONFLICT', details: { job_id } })
    const { id: small } = await crm.contact({ first_name: 'Cy' })
    const bulk = found(await crm.ws.post('/contacts/bulk-delete', { ids: [busy.id, small] }))
    expect(bulk.results).toEqual([{ id: small, deleted: true }])
    expect(bulk.errors).toMatchObject([{ id: busy.id, error: { code: 'CONFLICT', details: { job_id } } }])

    for (const { queue, body } of await crm.app.capture(false)) await crm.app.deliver(queue, [body])
    await crm.app.drain()
    const done = await job(job_id)
    expect(done).toMatchObject({ state: 'completed', warnings: [], error: null })
    expect(done.processed).toBe(done.total)
    expect(await shown(busy)).toEqual(before)
    expect(await rowsLeft('merge_entries')).toBe(0)
    const left = await crm.app.owner.query('select table_name from deleted_rows where workspace_id = $1 and row_id <> $2', [
      crm.ws.id,
      small,
    ])
    expect(left.rows).toEqual([])
    expect((await crm.ws.post(`/contacts/${busy.id}/restore`)).body.error.code).toBe('INVALID_STATE')
  })

  test('writes the history and the events of a restore by one request, in its name', async () => {
    const { id } = await busyContact()
    await gone(`/contacts/${id}`)
    const response = await crm.ws.post(`/contacts/${id}/restore`)
    await ended(accepted(response))
    const request = response.headers.get('x-request-id')
    const { rows } = await crm.app.owner.query(
      `select c.entity, c.action, count(*)::int, count(o.id)::int as events, min(c.user_id::text) as user_id, min(c.cause_type) as cause,
          bool_and(o.skip_automations) as skips
        from changes c left join outbox o on o.workspace_id = c.workspace_id and o.id = c.id
        where c.workspace_id = $1 and c.request_id = $2 group by 1, 2 order by 1, 2`,
      [crm.ws.id, request],
    )
    const of = (entity: string, action: string, count: number) => ({
      entity,
      action,
      count,
      events: count,
      user_id: crm.ws.userId,
      cause: 'restore',
      skips: true,
    })
    expect(rows).toEqual([
      of('activity', 'created', MOST + 2),
      of('activity', 'updated', 1),
      of('contact', 'created', 1),
      of('employer', 'created', 1),
      of('task', 'updated', 3),
    ])
  })

  test('resumes after a worker has died between any two batches', async () => {
    const busy = await busyContact()
    const before = await shown(busy)
    await gone(`/contacts/${busy.id}`)
    const id = await begun(`/contacts/${busy.id}/restore`)
    const run = async (claim: string) =>
      (await crm.app.owner.query('select run_restore($1, $2, $3, 3) as ended', [crm.ws.id, id, claim])).rows[0].ended
    expect(await run(crypto.randomUUID())).toBeNull()
    let batches = 0
    for (let hasEnded = false; !hasEnded; batches++) {
      const claim = crypto.randomUUID()
      await crm.app.owner.query("select claim_work('records.restore', $1, $2, 1, 60, 1)", [crm.ws.id, claim])
      hasEnded = await run(claim)
      await crm.app.owner.query("update deletions set due_at = now(), claimed_until = now() - interval '1 second' where id = $1", [id])
    }
    expect(batches).toBeGreaterThan(8)
    expect(await shown(busy)).toEqual(before)
    await ended(id)
  })

  test('is tried, refused and approved like any other', async () => {
    const { id } = await busyContact()
    await gone(`/contacts/${id}`)
    const tried = await crm.ws.post(`/contacts/${id}/restore?dry_run=true`)
    expect([tried.status, tried.body.data.id]).toEqual([200, id])
    expect(tried.body.dry_run.changes).toMatchObject([{ entity: 'contact', action: 'created' }])
    expect((await crm.ws.get(`/contacts/${id}`)).status).toBe(404)
    const { id: taker } = await crm.contact({ external_id: 'A-1' })
    const asking = await crm.ws.key({ level: 'approval' })
    const { approval_id } = (await asking.post(`/contacts/${id}/restore`)).body
    expect((await crm.ws.get(`/contacts/${id}`)).status).toBe(404)
    expect((await crm.ws.post(`/approvals/${approval_id}/approve`)).status).toBe(200)
    await crm.app.drain()
    expect(found(await crm.ws.get(`/contacts/${id}`)).external_id).toBeNull()
    expect(found(await crm.ws.get(`/activities?contact_id=${id}&limit=100`))).toHaveLength(MOST + 3)
    const { body } = await crm.ws.get(`/approvals/${approval_id}`)
    expect(body.data.status).toBe('executed')
    expect(taker).not.toBe(id)
  })

  test('says what does not come back: of the contact in the response, of the others in the job', async () => {
    const { id, company } = await busyContact()
    await gone(`/contacts/${id}`)
    found(await crm.ws.delete(`/companies/${company}`))
    await crm.contact({ external_id: 'A-1' })
    await crm.app.capture(true)
    const response = await crm.ws.post(`/contacts/${id}/restore`)
    await crm.app.capture(false)
    const fields = (warnings: Row[]) => warnings.map(({ details }) => [details.table, details.field, details.reason]).sort()
    expect(fields(response.body._warnings)).toEqual([
      ['contacts', 'customer_id', 'gone'],
      ['contacts', 'external_id', 'taken'],
    ])
    const { warnings } = await ended(accepted(response))
    expect(fields(warnings)).toEqual([['employers', 'customer_id', 'gone']])
  })

  test('of fewer dependants is one request, also when a bulk call has deleted many records', async () => {
    const contacts = []
    for (let n = 0; n < 4; n++) {
      const { id } = await crm.contact({ first_name: `C${n}` })
      await many(() => crm.ws.post('/tasks', { title: 'Call', contact_id: id }), 2)
      await many(() => crm.ws.post('/activities', { activity_type: 'note', body: 'Note', contact_id: id }), 2)
      contacts.push(id)
    }
    // In one transaction, as a limit that is not lowered would have it.
    const client = await crm.app.owner.connect()
    await client.query(`begin; select set_config('app.workspace_id', '${crm.ws.id}', true)`)
    await client.query('delete from contacts where workspace_id = $1 and id = any ($2)', [crm.ws.id, contacts])
    await client.query('commit')
    client.release()
    const restored = await crm.ws.post(`/contacts/${contacts[1]}/restore`)
    expect(found(restored).id).toBe(contacts[1])
    expect(found(await crm.ws.get(`/tasks?contact_id=${contacts[1]}`))).toHaveLength(2)
    expect(found(await crm.ws.get('/contacts?limit=100')).map(({ id }: Row) => id)).toEqual([contacts[1]])
  })
})

describe('the restore of a company with many contacts', () => {
  test('links them again, and keeps the primary contact that it got meanwhile', async () => {
    const company = await crm.company()
    await many((n) => crm.contact({ first_name: `C${n}`, customer_id: company, ...(n === 0 && { is_primary: true }) }))
    await gone(`/companies/${company}`)
    const id = await begun(`/companies/${company}/restore`)
    const { id: primary } = await crm.contact({ first_name: 'New', customer_id: company, is_primary: true })
    await ended(id)
    const contacts = found(await crm.ws.get(`/contacts?customer_id=${company}&limit=100`))
    expect(contacts).toHaveLength(MOST + 3)
    expect(contacts.filter(({ is_primary }: Row) => is_primary).map(({ id }: Row) => id)).toEqual([primary])
  })
})

describe('the restore of an opportunity', () => {
  test('with many dependants is a job, too', async () => {
    const { id } = await crm.opportunity({})
    await many((n) => crm.ws.post(`/opportunities/${id}/activities`, { activity_type: 'note', body: `Note ${n}` }))
    const bucket = created(await crm.ws.post(`/opportunities/${id}/buckets`, { name: 'Hardware' })).id
    await many((n) => crm.ws.post(`/opportunities/${id}/products`, { name: `Desk ${n}`, quantity: 1, unit_price: 1, bucket_id: bucket }), 3)
    await gone(`/opportunities/${id}`)
    const job_id = accepted(await crm.ws.post(`/opportunities/${id}/restore`))
    expect(await ended(job_id)).toMatchObject({ entity: 'opportunity', type: 'restore', warnings: [] })
    expect(found(await crm.ws.get(`/opportunities/${id}/activities?limit=100`))).toHaveLength(MOST + 2)
    const { products } = found(await crm.ws.get(`/opportunities/${id}`))
    expect(products.map(({ bucket_id }: Row) => bucket_id)).toEqual(Array(3).fill(bucket))
  })
})
