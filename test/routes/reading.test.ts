import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { allEndpoints } from '../../routes/index.ts'
import { created, found, ids, type Row, refused, tripsOf, useCrm } from './crm.ts'

const crm = useCrm()

const LONG_AGO = '2020-01-01T00:00:00Z'
const page = async (path: string) => {
  const answer = await crm.ws.get(path)
  expect(answer).toMatchObject({ status: 200 })
  return answer.body as { data: Row[]; page: Row }
}
const names = (records: Row[]) => records.map(({ first_name }) => first_name)
const people = async (...first_names: string[]): Promise<Row[]> => {
  const made: Row[] = []
  for (const first_name of first_names) made.push(await crm.contact({ first_name }))
  return made
}
const own = (await allEndpoints()).filter(
  ({ method, returns, successor }) =>
    method === 'GET' &&
    returns.as === 'list' &&
    !successor &&
    (returns.schema as { entries?: object }).entries &&
    'updated_at' in (returns.schema as unknown as { entries: object }).entries,
)

test('every list of records with updated_at takes the same parameters', () => {
  const without = own.filter(({ query }) => {
    const { entries } = query as unknown as { entries: object }
    return !['updated_after', 'updated_before', 'ids', 'fields', 'count'].every((name) => name in entries)
  })
  expect(without.map(({ path }) => path)).toEqual([])
  expect(own.length).toBeGreaterThan(25)
})

test('updated_after lists what changed since, oldest change first, archived records included', async () => {
  const [ana, bo, cy] = await people('Ana', 'Bo', 'Cy')
  found(await crm.ws.patch(`/contacts/${ana!.id}`, { job_title: 'Director' }))
  const archived = found(await crm.ws.patch(`/contacts/${bo!.id}`, { archived: true }))
  const all = await page(`/contacts?updated_after=${LONG_AGO}`)
  expect(names(all.data)).toEqual(['Cy', 'Ana', 'Bo'])
  expect(names((await page(`/contacts?updated_after=${archived.updated_at}`)).data)).toEqual(['Bo'])
  expect(names((await page(`/contacts?updated_before=${cy!.updated_at}`)).data)).toEqual(['Cy'])
  expect(names((await page(`/contacts?updated_after=${LONG_AGO}&sort=-updated_at&archived=false`)).data)).toEqual(['Ana', 'Cy'])
  expect((await page('/contacts')).page).toEqual({ limit: 50, next: null })
})

test('updated_after decides the order, so another sort is refused', async () => {
  expect(await crm.ws.get(`/contacts?updated_after=${LONG_AGO}&sort=name`)).toMatchObject(refused('sort'))
})

test('a change of a transaction that is still open comes after synced_until, however late it commits', async () => {
  const [ana] = await people('Ana')
  const writer = await crm.app.owner.connect()
  try {
    await writer.query('begin')
    const { rows } = await writer.query('select now()')
    await writer.query(`select set_config('app.workspace_id', $1, true)`, [crm.ws.id])
    await writer.query(`update contacts set job_title = 'Late' where id = $1`, [ana!.id])
    await people('Bo')
    const first = await page(`/contacts?updated_after=${LONG_AGO}&limit=1`)
    expect(Date.parse(first.page.synced_until)).toBeLessThanOrEqual(rows[0].now.getTime())
    await writer.query('commit')
    const rest = await page(`/contacts?updated_after=${LONG_AGO}&limit=1&after=${first.page.next}`)
    expect(rest.page.synced_until, 'the same on every page').toBe(first.page.synced_until)
    const next = await page(`/contacts?updated_after=${first.page.synced_until}`)
    expect(next.data.find(({ id }) => id === ana!.id)).toMatchObject({ job_title: 'Late' })
  } finally {
    writer.release(true)
  }
})

test('synced_until follows the clock', async () => {
  const before = Date.now()
  const { page: last } = await page('/contacts?sort=updated_at')
  expect(before - Date.parse(last.synced_until)).toBeLessThan(10_000)
})

test('synced_until is known to the role app, which sees no other session', async () => {
  const writer = await crm.app.owner.connect()
  const reader = await crm.app.owner.connect()
  try {
    await writer.query('begin')
    await writer.query('select pg_current_xact_id()')
    const { rows } = await writer.query('select now()')
    await reader.query('set role app')
    const seen = await reader.query('select synced_until()')
    expect(seen.rows[0].synced_until.getTime()).toBeLessThanOrEqual(rows[0].now.getTime())
  } finally {
    writer.release(true)
    reader.release(true)
  }
})

test('ids lists these records; unknown ids are left out, and a malformed one is named by its index', async () => {
  const [ana, , cy] = await people('Ana', 'Bo', 'Cy')
  const { data } = await page(`/contacts?ids=${ana!.id},${randomUUID()},${cy!.id.toUpperCase()}`)
  expect(ids(data).sort()).toEqual([ana!.id, cy!.id].sort())
  expect(await crm.ws.get(`/contacts?ids=${ana!.id},nobody,${cy!.id},`)).toMatchObject(refused('ids.1', 'ids.3'))
  const many = Array.from({ length: 101 }, () => randomUUID())
  expect(await crm.ws.get(`/contacts?ids=${many}`)).toMatchObject(refused('ids'))
  expect((await page(`/contacts?ids=${many.slice(1)}`)).data).toEqual([])
  const other = await crm.app.workspace()
  expect((await other.get(`/contacts?ids=${ana!.id}`)).body.data).toEqual([])
})

test('fields leaves out the others, and an unknown one is refused with the nearest name', async () => {
  const [ana] = await people('Ana')
  expect((await page('/contacts?fields=first_name,email')).data).toEqual([{ id: ana!.id, first_name: 'Ana', email: null }])
  const answer = await crm.ws.get('/contacts?fields=id,frist_name')
  expect(answer).toMatchObject(refused('fields.1'))
  expect(answer.body.error.details.issues[0].message).toContain('first_name')
  const far = await crm.ws.get('/contacts?fields=id,zzz&include=everything')
  const messages = far.body.error.details.issues.map(({ path, message }: Row) => `${path}: ${message}`)
  expect(messages).toEqual([
    expect.stringMatching(/^fields\.1: Unknown name: use .*first_name, .*email/),
    expect.stringMatching(/^include\.0: Unknown name: use .*company/),
  ])
  found(await crm.ws.post('/contacts', { first_name: 'Held', require_approval: true }).then((held) => ({ ...held, status: 200 })))
  const [approval] = (await page('/approvals?fields=status')).data
  expect(Object.keys(approval!)).toEqual(['id', 'status'])
})

test('the lists below a record take them too', async () => {
  const opportunity = await crm.opportunity()
  const product_id = await crm.product()
  const item = created(await crm.ws.post(`/opportunities/${opportunity.id}/products`, { product_id, quantity: 2 }))
  const path = `/opportunities/${opportunity.id}/products`
  const { data, page: last } = await page(`${path}?updated_after=${LONG_AGO}&fields=quantity&count=true`)
  expect(data).toEqual([{ id: item.id, quantity: 2 }])
  expect(last).toMatchObject({ count: 1, synced_until: expect.any(String) })
  expect((await page(`${path}?updated_after=2100-01-01T00:00:00Z`)).data).toEqual([])
})

test('deleted=true lists deleted records by id, and those that were deleted with another one', async () => {
  const [ana, bo] = await people('Ana', 'Bo')
  const opportunity = await crm.opportunity()
  const activity = created(await crm.ws.post('/activities', { activity_type: 'note', subject: 'Call', deal_id: opportunity.id }))
  const before = (await page('/contacts?sort=updated_at')).page.synced_until
  found(await crm.ws.delete(`/contacts/${bo!.id}`))
  found(await crm.ws.delete(`/opportunities/${opportunity.id}`))
  const { data, page: last } = await page(`/contacts?deleted=true&updated_after=${before}&count=true`)
  expect(data).toEqual([{ id: bo!.id, deleted_at: expect.stringMatching(/^20.*Z$/) }])
  expect(last).toMatchObject({ next: null, synced_until: expect.any(String), count: 1, count_exact: true })
  expect((await page('/activities?deleted=true')).data).toMatchObject([{ id: activity.id }])
  expect((await page('/contacts?deleted=true&updated_after=2100-01-01T00:00:00Z')).data).toEqual([])
  expect((await page(`/contacts?deleted=true&updated_before=${before}`)).data).toEqual([])
  expect(ids((await page('/contacts?deleted=false')).data)).toEqual([ana!.id])
  expect((await (await crm.app.workspace()).get('/contacts?deleted=true')).body.data).toEqual([])
})

test('deletions are paged, and a purged person leaves no more than an id', async () => {
  const made = await people('Ana', 'Bo', 'Cy')
  for (const { id } of made) found(await crm.ws.delete(`/contacts/${id}${id === made[1]!.id ? '?purge=true' : ''}`))
  const walked = await crm.walk('/contacts?deleted=true&limit=1')
  expect(ids(walked)).toEqual(ids(made))
  expect(walked.map((row) => Object.keys(row))).toEqual(made.map(() => ['id', 'deleted_at']))
})

test('a record that exists again is no deletion', async () => {
  const [ana, bo] = await people('Ana', 'Bo')
  const merge = found(await crm.ws.post('/contacts/merge', { winner_id: ana!.id, loser_ids: [bo!.id] }))
  const gone = await page('/contacts?deleted=true')
  expect([JSON.stringify(merge).length > 0, ids(gone.data)]).toEqual([true, [bo!.id]])
  const [{ id }] = found(await crm.ws.get('/contacts/merges')) as [Row]
  found(await crm.ws.post(`/contacts/merges/${id}/undo`))
  expect((await page('/contacts?deleted=true')).data).toEqual([])
  const since = await page(`/contacts?updated_after=${gone.page.synced_until}`)
  expect(ids(since.data)).toContain(bo!.id)
})

test('deleted=true takes no filters, and no time for which deletions are not kept', async () => {
  expect(await crm.ws.get('/contacts?deleted=true&email=a@example.com&sort=name')).toMatchObject(refused('email', 'sort'))
  expect(await crm.ws.get(`/contacts?deleted=true&updated_after=${LONG_AGO}`)).toMatchObject(refused('updated_after'))
})

test('a list that has not changed answers 304 to its ETag, also while synced_until moves on', async () => {
  await people('Ana')
  for (const path of ['/contacts', '/contacts?sort=updated_at', '/approvals']) {
    const first = await crm.ws.get(path)
    const etag = first.headers.get('etag')!
    expect(etag, path).toMatch(/^W\/"[0-9a-f]{24}"$/)
    const again = await crm.ws.get(path, { 'if-none-match': `"other", ${etag}` })
    expect([again.status, again.body, again.headers.get('etag')], path).toEqual([304, '', etag])
  }
  const { headers } = await crm.ws.get('/contacts')
  await people('Bo')
  expect(await crm.ws.get('/contacts', { 'if-none-match': headers.get('etag')! })).toMatchObject({ status: 200 })
})

test('a record answers 304 to its version, unless it shows values of others', async () => {
  const id = await crm.company()
  expect((await crm.ws.get(`/companies/${id}`, { 'if-none-match': '"1"' })).status).toBe(304)
  found(await crm.ws.patch(`/companies/${id}`, { name: 'Other' }))
  expect((await crm.ws.get(`/companies/${id}`, { 'if-none-match': '"1"' })).status).toBe(200)
  const contact = await crm.contact({ customer_id: id })
  expect((await crm.ws.get(`/contacts/${contact.id}`, { 'if-none-match': '"1"' })).status).toBe(200)
})

test('include sends related records with each record, in one round trip', async () => {
  const company = await crm.company('Acme')
  const contact = await crm.contact({ customer_id: company })
  const opportunity = await crm.opportunity({ customer_id: company, assigned_to: crm.ws.userId })
  found(await crm.ws.post(`/opportunities/${opportunity.id}/contacts`, { contact_id: contact.id }))
  const product_id = await crm.product({ price: 12.5 })
  const item = created(await crm.ws.post(`/opportunities/${opportunity.id}/products`, { product_id, quantity: 2 }))
  const trips = await tripsOf(crm.app, async () => {
    const { data } = await page('/opportunities?fields=name&include=company,owner,pipeline,stage,contacts,products')
    expect(data).toEqual([
      {
        id: opportunity.id,
        name: opportunity.name,
        company: (await page('/companies')).data[0],
        owner: (await page('/company/users')).data[0],
        pipeline: expect.objectContaining({ id: opportunity.pipeline_id, stages: expect.any(Array) }),
        stage: expect.objectContaining({ id: opportunity.stage_id, pipeline_id: opportunity.pipeline_id }),
        contacts: (await page(`/opportunities/${opportunity.id}/contacts`)).data,
        products: [item],
      },
    ])
  })
  expect(trips, 'the list, and the three it was compared with').toBe(4)
  const task = created(await crm.ws.post('/tasks', { title: 'Call', contact_id: contact.id, opportunity_id: opportunity.id }))
  expect((await page('/tasks?include=contact,opportunity,company')).data).toEqual([
    {
      ...task,
      contact: expect.objectContaining({ id: contact.id }),
      opportunity: expect.objectContaining({ id: opportunity.id }),
      company: null,
    },
  ])
})

test('include needs the scope of what it includes, and names it', async () => {
  await crm.contact({ customer_id: await crm.company() })
  const reader = await crm.ws.key({ scopes: ['contacts:read'] })
  expect(await reader.get('/contacts?include=company')).toMatchObject({
    status: 403,
    body: { error: { code: 'INSUFFICIENT_SCOPE', details: { required_scopes: ['companies:read'] } } },
  })
  expect(await crm.ws.get('/contacts?include=compnay')).toMatchObject(refused('include.0'))
  expect(await crm.ws.get('/products?include=company')).toMatchObject(refused('include'))
})

test('every relation of every list can be included', async () => {
  const opportunity = await crm.opportunity({ customer_id: await crm.company() })
  const parents: Row = { contact_id: (await crm.contact()).id, company_id: opportunity.customer_id, opportunity_id: opportunity.id }
  const lists = own.filter(({ method, returns }) => method === 'GET' && returns.as === 'list' && returns.relations)
  expect(lists.length).toBeGreaterThan(12)
  for (const { path, returns } of lists) {
    const names = returns.as === 'list' ? (returns.relations ?? []).map(({ name }) => name) : []
    await page(`${path.replace(/:(\w+)/g, (_, name: string) => parents[name])}?include=${names}&count=true&updated_after=${LONG_AGO}`)
  }
})
