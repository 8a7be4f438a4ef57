import { beforeAll, describe, expect, test } from 'vitest'
import { limitDependants } from '../deleting.ts'
import { created, found, type Row, useCrm } from './crm.ts'

/** More dependants than this are deleted by a job: so few that the tests are quick. */
const MOST = 10
const crm = useCrm({ own: true })
beforeAll(() => limitDependants(crm.app, MOST))

const accepted = ({ status, body }: { status: number; body: Row }) => {
  expect(status, JSON.stringify(body)).toBe(202)
  return body.data
}
const job = async (id: string) => found(await crm.ws.get(`/jobs/${id}`))
const ended = async (id: string) => {
  await crm.app.cron('* * * * *')
  await crm.app.drain()
  expect(await job(id)).toMatchObject({ state: 'completed' })
}
const many = async (make: (n: number) => Promise<unknown>, count = MOST + 2) => {
  for (let n = 0; n < count; n++) await make(n)
}

/** A contact with notes, tasks, an employer, and a meeting that it shares with another contact. */
async function busyContact() {
  const company = await crm.company()
  const { id } = await crm.contact({ email: 'ana@example.com', external_id: 'A-1', customer_id: company })
  const { id: other } = await crm.contact({ first_name: 'Ben' })
  await many((n) => crm.ws.post('/activities', { activity_type: 'note', body: `Note ${n}`, contact_id: id }))
  const tasks = [created(await crm.ws.post('/tasks', { title: 'Call', contact_id: id })).id as string]
  const shared = created(await crm.ws.post('/activities', { activity_type: 'meeting', body: 'Both', contact_ids: [other, id] }))
    .id as string
  return { id, company, other, tasks, shared }
}

describe('the deletion of a contact with many dependants', () => {
  test('is accepted, hides the contact and what goes with it at once, and ends', async () => {
    const { id, company, other, tasks, shared } = await busyContact()
    await crm.app.capture(true)
    const response = await crm.ws.delete(`/contacts/${id}`)
    const { job_id, ...rest } = accepted(response)
    expect(rest).toEqual({ id, deleted: true })
    expect(response.headers.get('location')).toBe(`/v1/jobs/${job_id}`)
    expect(await job(job_id)).toMatchObject({
      type: 'deletion',
      state: 'running',
      entity: 'contact',
      entity_id: id,
      processed: 0,
      ended_at: null,
    })
    expect((await job(job_id)).total).toBeGreaterThan(MOST)

    expect((await crm.ws.get(`/contacts/${id}`)).status).toBe(404)
    expect((await crm.ws.delete(`/contacts/${id}`)).status).toBe(404)
    expect(found(await crm.ws.get('/contacts?email=ana@example.com'))).toEqual([])
    expect(found(await crm.ws.get('/activities?limit=100')).map((row: Row) => row.id)).toEqual([shared])
    expect(found(await crm.ws.get(`/companies/${company}/contacts`))).toEqual([])
    expect(found(await crm.ws.get('/contacts?deleted=true')).map((row: Row) => row.id)).toEqual([id])
    expect((await crm.ws.post(`/contacts/${id}/restore`)).body.error).toMatchObject({ code: 'CONFLICT', details: { job_id } })
    expect((await crm.ws.post('/contacts/merge', { winner_id: other, loser_ids: [id] })).body.error).toMatchObject({
      code: 'VALIDATION_ERROR',
    })
    // Its unique values are free.
    expect((await crm.ws.post('/contacts', { first_name: 'New', external_id: 'A-1' })).status).toBe(201)

    for (const { queue, body } of await crm.app.capture(false)) await crm.app.deliver(queue, [body])
    await crm.app.drain()
    const ended = await job(job_id)
    expect(ended).toMatchObject({ state: 'completed' })
    expect(ended.processed).toBeGreaterThan(MOST)
    expect(found(await crm.ws.get(`/tasks/${tasks[0]}`)).contact_id).toBeNull()
    expect(await crm.count('deletions')).toBe(1)
    const { rows } = await crm.app.owner.query('select count(*)::int from contacts where workspace_id = $1 and id = $2', [crm.ws.id, id])
    expect(rows[0].count).toBe(0)
  })

  test('leaves what a restore brings back whole', async () => {
    const { id, company, other, tasks, shared } = await busyContact()
    const before = found(await crm.ws.get(`/contacts/${id}`))
    const { job_id } = accepted(await crm.ws.delete(`/contacts/${id}`))
    await ended(job_id)
    expect(found(await crm.ws.get(`/activities/${shared}`)).contact_ids).toEqual([other])
    const restored = await crm.ws.post(`/contacts/${id}/restore`)
    expect(restored.body._warnings).toBeUndefined()
    await ended(accepted(restored).job_id)
    const after = found(await crm.ws.get(`/contacts/${id}`))
    expect(after).toMatchObject({ email: before.email, customer_id: company, external_id: 'A-1', created_at: before.created_at })
    expect(found(await crm.ws.get(`/activities?contact_id=${id}&limit=100`))).toHaveLength(MOST + 3)
    expect(found(await crm.ws.get(`/tasks/${tasks[0]}`)).contact_id).toBe(id)
    expect(found(await crm.ws.get(`/activities/${shared}`)).contact_ids).toEqual([other, id])
    expect(found(await crm.ws.get(`/companies/${company}/contacts`))).toHaveLength(1)
  })

  test('writes the history and the events of a deletion by one request, in its name', async () => {
    const { id } = await busyContact()
    const response = await crm.ws.delete(`/contacts/${id}`)
    await ended(accepted(response).job_id)
    const request = response.headers.get('x-request-id')
    const { rows } = await crm.app.owner.query(
      `select c.entity, c.action, count(*)::int, count(o.id)::int as events, min(c.user_id::text) as user_id, min(c.cause_id::text) as cause
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
      cause: request,
    })
    // The contact itself, its notes, its employer, the unlinked task, and the meeting that another contact keeps.
    expect(rows).toEqual([
      of('activity', 'deleted', MOST + 2),
      of('activity', 'updated', 1),
      of('contact', 'deleted', 1),
      of('employer', 'deleted', 1),
      of('task', 'updated', 1),
    ])
  })

  test('resumes after a worker has died, and does nothing for one that has lost its claim', async () => {
    const { id } = await busyContact()
    await crm.app.capture(true)
    const { job_id } = accepted(await crm.ws.delete(`/contacts/${id}`))
    await crm.app.capture(false)
    const claim = '00000000-0000-0000-0000-000000000001'
    const run = async () =>
      (await crm.app.owner.query('select run_deletion($1, $2, $3, 3) as ended', [crm.ws.id, job_id, claim])).rows[0].ended
    expect(await run()).toBeNull()
    await crm.app.owner.query("select claim_work('records.delete', $1, $2, 1, 60, 1)", [crm.ws.id, claim])
    expect(await run()).toBe(false)
    expect((await job(job_id)).processed).toBeGreaterThan(0)
    await crm.app.owner.query("update deletions set due_at = now(), claimed_until = now() - interval '1 second' where id = $1", [job_id])
    await ended(job_id)
    expect(await run()).toBeNull()
  })

  test('takes fewer rows at once when the database stops a batch, and fails when even one row takes too long', async () => {
    const { id } = await busyContact()
    const stop = (most: number) =>
      crm.app.owner.query(`create or replace function stop_slow() returns trigger language plpgsql as $$ begin
          if (select count(*) from old_rows) > ${most} then
            raise query_canceled using message = 'canceling statement due to statement timeout'; end if;
          return null;
        end $$`)
    await stop(0)
    await crm.app.owner.query(`create trigger stop_slow after delete on activities referencing old table as old_rows for each statement
      execute function stop_slow()`)
    try {
      const { job_id } = accepted(await crm.ws.delete(`/contacts/${id}`))
      await crm.app.drain()
      expect(await job(job_id)).toMatchObject({ state: 'running', processed: 0, error: expect.stringContaining('longer than 15 seconds') })
      await stop(4)
      await crm.app.owner.query('update deletions set due_at = now() where id = $1', [job_id])
      await ended(job_id)
      expect(await job(job_id)).toMatchObject({ error: null })
    } finally {
      await crm.app.owner.query('drop trigger stop_slow on activities')
    }
  })

  test('gives the contact no other company on the way', async () => {
    const { id } = await busyContact()
    await many(async (n) => created(await crm.ws.post(`/contacts/${id}/employers/${await crm.company(`C${n}`)}`)), 5)
    await crm.app.capture(true)
    const { job_id } = accepted(await crm.ws.delete(`/contacts/${id}`))
    await crm.app.capture(false)
    const claim = crypto.randomUUID()
    await crm.app.owner.query("select claim_work('records.delete', $1, $2, 1, 60, 1)", [crm.ws.id, claim])
    const left = async () => {
      const { rows } = await crm.app.owner.query(
        'select customer_id, (select count(*)::int from employers where contact_id = c.id) from contacts c where id = $1',
        [id],
      )
      return rows[0]
    }
    while ((await left()).count > 3) {
      await crm.app.owner.query('select run_deletion($1, $2, $3, 3) as ended', [crm.ws.id, job_id, claim])
      expect(await left()).toMatchObject({ customer_id: null })
    }
    await crm.app.owner.query("update deletions set due_at = now(), claimed_until = now() - interval '1 second' where id = $1", [job_id])
    await ended(job_id)
  })

  test('is tried, refused and approved like any other', async () => {
    const { id } = await busyContact()
    const { body, status } = await crm.ws.delete(`/contacts/${id}?dry_run=true`)
    expect([status, body.data]).toEqual([200, { id, deleted: true }])
    expect(body.dry_run.changes).toMatchObject([{ entity: 'contact', action: 'deleted' }])
    expect((await crm.ws.delete(`/contacts/${id}`, { 'if-match': '"99"' })).status).toBe(412)
    const asking = await crm.ws.key({ level: 'approval' })
    const { approval_id } = (await asking.delete(`/contacts/${id}`)).body
    expect((await crm.ws.get(`/contacts/${id}`)).status).toBe(200)
    expect((await crm.ws.post(`/approvals/${approval_id}/approve`)).status).toBe(200)
    await crm.app.drain()
    expect((await crm.ws.get(`/contacts/${id}`)).status).toBe(404)
    const { rows } = await crm.app.owner.query('select state from deletions where record_id = $1', [id])
    expect(rows).toEqual([{ state: 'completed' }])
  })
})

describe('a deletion of many records', () => {
  test('deletes small ones at once, and the others by jobs', async () => {
    const [{ id: small }, { id: busy }] = [await crm.contact({ first_name: 'Cy' }), await busyContact()]
    const { results, errors } = found(await crm.ws.post('/contacts/bulk-delete', { ids: [busy, small] }))
    expect(errors).toEqual([])
    expect(results).toEqual([
      { id: busy, deleted: true, job_id: expect.any(String) },
      { id: small, deleted: true },
    ])
    await ended(results[0].job_id)
    expect((await crm.ws.get(`/contacts/${busy}`)).status).toBe(404)
  })
})

describe('the deletion of a company with many dependants', () => {
  test('is refused while an opportunity refers to it, and unlinks its contacts otherwise', async () => {
    const company = await crm.company()
    await many((n) => crm.contact({ first_name: `C${n}`, customer_id: company }))
    const { id: deal } = await crm.opportunity({ customer_id: company })
    const refused = await crm.ws.delete(`/companies/${company}`)
    expect(refused.body.error).toMatchObject({ code: 'CONFLICT', details: { referenced_by: 'opportunities', ids: [deal] } })
    found(await crm.ws.delete(`/opportunities/${deal}`))
    const { job_id } = accepted(await crm.ws.delete(`/companies/${company}`))
    expect((await crm.ws.get(`/companies/${company}`)).status).toBe(404)
    await ended(job_id)
    expect(found(await crm.ws.get('/contacts?limit=100')).map(({ customer_id }: Row) => customer_id)).toEqual(Array(MOST + 2).fill(null))
    await ended(accepted(await crm.ws.post(`/companies/${company}/restore`)).job_id)
    expect(found(await crm.ws.get(`/contacts?customer_id=${company}&limit=100`))).toHaveLength(MOST + 2)
  })
})

describe('the deletion of an opportunity with many dependants', () => {
  test('hides it and what goes with it at once, and deletes or unlinks the rest', async () => {
    const { id: contact } = await crm.contact({ first_name: 'Cy' })
    const { id } = await crm.opportunity({ external_id: 'O-1', products: [{ name: 'Desk', quantity: 2, unit_price: 300 }] })
    await many((n) => crm.ws.post(`/opportunities/${id}/activities`, { activity_type: 'note', body: `Note ${n}` }))
    const shared = created(
      await crm.ws.post('/activities', { activity_type: 'meeting', body: 'Both', deal_id: id, contact_id: contact }),
    ).id
    const task = created(await crm.ws.post('/tasks', { title: 'Call', opportunity_id: id })).id
    const before = found(await crm.ws.get(`/opportunities/${id}`))
    await crm.app.capture(true)
    const { job_id } = accepted(await crm.ws.delete(`/opportunities/${id}`))
    await crm.app.capture(false)
    expect((await crm.ws.get(`/opportunities/${id}`)).status).toBe(404)
    expect(found(await crm.ws.get('/opportunities'))).toEqual([])
    expect(found(await crm.ws.get('/activities?limit=100')).map((row: Row) => row.id)).toEqual([shared])
    expect((await crm.ws.post(`/opportunities/${id}/restore`)).body.error).toMatchObject({ code: 'CONFLICT', details: { job_id } })
    const { id: next } = await crm.opportunity({ external_id: 'O-1' })
    await ended(job_id)
    expect(found(await crm.ws.get(`/activities/${shared}`)).deal_id).toBeNull()
    expect(found(await crm.ws.get(`/tasks/${task}`)).opportunity_id).toBeNull()
    expect(found(await crm.ws.get('/opportunities')).map((row: Row) => row.id)).toEqual([next])
    found(await crm.ws.delete(`/opportunities/${next}`))

    await ended(accepted(await crm.ws.post(`/opportunities/${id}/restore`)).job_id)
    const after = found(await crm.ws.get(`/opportunities/${id}`))
    for (const key of ['external_id', 'stage_id', 'stage_entered_at', 'value', 'created_at']) expect(after[key], key).toEqual(before[key])
    expect(after.products).toMatchObject([{ id: before.products[0].id, total: 600 }])
    expect(found(await crm.ws.get(`/opportunities/${id}/activities?limit=100`))).toHaveLength(MOST + 3)
    expect(found(await crm.ws.get(`/tasks/${task}`)).opportunity_id).toBe(id)
  })
})

describe('the deletion of a record that many custom fields refer to', () => {
  test('clears their values in batches, and a restore gives them back', async () => {
    created(await crm.ws.post('/custom-fields', { object: 'company', key: 'buyer', label: 'Buyer', type: 'contact' }))
    await crm.app.drain()
    const { id } = await crm.contact()
    const companies: string[] = []
    for (let n = 0; n < MOST + 2; n++) {
      companies.push(created(await crm.ws.post('/companies', { name: `C${n}`, metadata: { buyer: id } })).id)
    }
    const buyers = async () => found(await crm.ws.get('/companies?limit=100')).map(({ metadata }: Row) => metadata.buyer ?? null)
    const { job_id } = accepted(await crm.ws.delete(`/contacts/${id}`))
    await ended(job_id)
    expect(await job(job_id)).toMatchObject({ total: MOST + 2, processed: MOST + 2 })
    expect(await buyers()).toEqual(companies.map(() => null))
    await ended(accepted(await crm.ws.post(`/contacts/${id}/restore`)).job_id)
    expect(await buyers()).toEqual(companies.map(() => id))
  })
})

describe('the deletion of a record that no job deletes', () => {
  test('is refused while it has more dependants than one statement deletes in time', async () => {
    const { id } = created(await crm.ws.post('/products', { name: 'Desk' }))
    const components: string[] = []
    await many(async (n) => components.push(created(await crm.ws.post('/product-components', { product_id: id, label: `Leg ${n}` })).id))
    const refused = await crm.ws.delete(`/products/${id}`)
    expect(refused.body.error).toMatchObject({ code: 'CONFLICT', details: { referenced_by: 'product_components', field: 'product_id' } })
    for (const component of components.slice(MOST)) found(await crm.ws.delete(`/product-components/${component}`))
    found(await crm.ws.delete(`/products/${id}`))
  })
})
