import { describe, expect, test } from 'vitest'
import { created, found, ids, type Row, useCrm } from './crm.ts'
import { merge } from './merging.ts'

const crm = useCrm({ own: true })

const post = async (path: string, body: Row) => created(await crm.ws.post(path, body))
const remove = async (path: string) => found(await crm.ws.delete(path))
const errorOf = ({ body }: { body: Row }) => body.error
const restore = (path: string) => crm.ws.post(`${path}/restore`)
const age = (days: number) =>
  crm.app.owner.query('update deleted_rows set id = id_at(now() - make_interval(days => $2)) where workspace_id = $1', [crm.ws.id, days])

describe('a restored record', () => {
  test('has the rows that went with it, and the references that were set to null', async () => {
    const { id: contact } = await crm.contact()
    const deal = (
      await crm.opportunity({ products: [{ name: 'Desk', quantity: 2, unit_price: 300 }], contacts: [{ contact_id: contact }] })
    ).id
    const task = await post('/tasks', { title: 'Call', opportunity_id: deal })
    const note = await post(`/opportunities/${deal}/activities`, { activity_type: 'note', body: 'Wants oak' })
    const moves = async () =>
      found(await crm.ws.get(`/opportunities/${deal}/timeline?limit=100`)).filter(({ type }: Row) => type === 'stage_move')
    const [before, moved] = [found(await crm.ws.get(`/opportunities/${deal}`)), await moves()]
    await remove(`/opportunities/${deal}`)
    expect(found(await crm.ws.get(`/tasks/${task.id}`)).opportunity_id).toBeNull()
    const answer = await restore(`/opportunities/${deal}`)
    expect(answer.body._warnings).toBeUndefined()
    const after = found(answer)
    expect(after.products).toMatchObject([{ id: before.products[0].id, name: 'Desk', total: 600 }])
    expect(after.contacts).toMatchObject([{ contact_id: contact }])
    expect([after.created_at, after.stage_id, after.stage_entered_at]).toEqual([
      before.created_at,
      before.stage_id,
      before.stage_entered_at,
    ])
    expect(after.version).toBe(before.version + 2)
    expect(found(await crm.ws.get(`/tasks/${task.id}`)).opportunity_id).toBe(deal)
    expect(found(await crm.ws.get(`/activities/${note.id}`))).toMatchObject({ body: 'Wants oak', deal_id: deal })
    expect(await moves()).toEqual(moved)
  })

  test('keeps when its tasks were completed', async () => {
    const task = await post('/tasks', { title: 'Done', status: 'completed' })
    await remove(`/tasks/${task.id}`)
    expect(found(await restore(`/tasks/${task.id}`)).completed_at).toBe(task.completed_at)
    expect((await crm.events(task.id)).map(({ type }) => type)).toEqual(['task.created', 'task.completed', 'task.deleted', 'task.created'])
  })

  test('is announced as created, with its cause, and lets no automation react', async () => {
    const { id } = await crm.contact()
    await remove(`/contacts/${id}`)
    found(await restore(`/contacts/${id}`))
    const events = await crm.events(id)
    expect(events.at(-1)).toMatchObject({ type: 'contact.created', skip_automations: true })
    expect(found(await crm.ws.get(`/contacts/${id}/history`))[0]).toMatchObject({ action: 'created', cause_type: 'restore', cause_id: id })
  })

  test('is found by its custom field again', async () => {
    await post('/custom-fields', { object: 'contact', key: 'badge', label: 'Badge', type: 'text', unique: true })
    await crm.app.drain()
    const { id } = await crm.contact({ metadata: { badge: 'A1' } })
    await remove(`/contacts/${id}`)
    found(await restore(`/contacts/${id}`))
    expect(errorOf(await crm.ws.post('/contacts', { first_name: 'Bo', metadata: { badge: 'A1' } })).code).toBe('CONFLICT')
  })

  test('comes back one by one after a bulk deletion', async () => {
    const [one, two] = [(await crm.contact()).id, (await crm.contact()).id]
    found(await crm.ws.post('/contacts/bulk-delete', { ids: [one, two] }))
    found(await restore(`/contacts/${two}`))
    expect(ids(found(await crm.ws.get('/contacts')))).toEqual([two])
    found(await restore(`/contacts/${one}`))
    expect(found(await crm.ws.get('/contacts'))).toHaveLength(2)
  })

  test('takes a contact back as the primary contact of a company', async () => {
    const company = await crm.company()
    const other = await crm.company('Other')
    const [one, two] = [await crm.contact({ customer_id: company, is_primary: true }), await crm.contact({ customer_id: company })]
    found(await crm.ws.post(`/contacts/${two.id}/employers/${other}`))
    await remove(`/companies/${company}`)
    expect(found(await crm.ws.get(`/contacts/${two.id}`)).customer_id).toBe(other)
    found(await restore(`/companies/${company}`))
    expect(found(await crm.ws.get(`/contacts/${one.id}`))).toMatchObject({ customer_id: company, is_primary: true })
    expect(found(await crm.ws.get(`/contacts/${two.id}`)).customer_id).toBe(company)
    expect(found(await crm.ws.get(`/contacts/${two.id}/employers`))).toHaveLength(2)
  })

  test('needs no order: a reference to a record that is deleted later comes back with it', async () => {
    const company = await crm.company()
    const { id } = await crm.contact({ customer_id: company })
    await remove(`/companies/${company}`)
    await remove(`/contacts/${id}`)
    found(await restore(`/companies/${company}`))
    expect(found(await restore(`/contacts/${id}`)).customer_id).toBe(company)
  })
})

describe('what cannot come back', () => {
  test('is reported: an external id that another record has by now', async () => {
    const { id } = await crm.contact({ external_id: 'A1' })
    await remove(`/contacts/${id}`)
    const other = await crm.contact({ external_id: 'A1' })
    const answer = await restore(`/contacts/${id}`)
    expect(found(answer).external_id).toBeNull()
    expect(answer.body._warnings).toMatchObject([
      { code: 'NOT_RESTORED', field: 'external_id', details: { reason: 'taken', by: other.id } },
    ])
  })

  test('is reported: a unique custom value that another record has by now, in the same field', async () => {
    for (const [key, fields] of Object.entries({ code: { unique: true }, badge: { unique: true }, nick: {} }))
      await post('/custom-fields', { object: 'contact', key, label: key, type: 'text', ...fields })
    const make = (metadata: Row) => crm.contact({ metadata })
    const values = { code: 'A-1', badge: 'B-1', nick: 'Same' }
    const taken = async (others: Row[]) => {
      const { id } = await make(values)
      await remove(`/contacts/${id}`)
      const made = []
      for (const metadata of others) made.push(await make(metadata))
      const answer = await restore(`/contacts/${id}`)
      const { metadata } = found(answer)
      for (const one of [{ id }, ...made]) await remove(`/contacts/${one.id}`)
      return [metadata, answer.body._warnings?.map(({ details }: Row) => [details.field, details.reason])]
    }
    expect(await taken([{ code: 'B-1', badge: 'A-1', nick: 'Same' }])).toEqual([values, undefined])
    expect(await taken([{ code: 'a-1', nick: 'Same' }])).toEqual([{ badge: 'B-1', nick: 'Same' }, [['metadata.code', 'taken']]])
    expect(await taken([{ badge: 'B-1' }, { code: 'A-1' }])).toEqual([
      { nick: 'Same' },
      expect.arrayContaining([
        ['metadata.badge', 'taken'],
        ['metadata.code', 'taken'],
      ]),
    ])
  })

  test('is reported: a share of a billing party that would bring a deal above the whole', async () => {
    const [back, other] = [await crm.company('Back'), await crm.company('Other')]
    const path = (deal: Row) => `/opportunities/${deal.id}/billing-parties`
    const cases: [own: number | null, others: number, kept: number | null][] = [
      [40, 60.5, null],
      [40, 60, 40],
      [null, 100, null],
    ]
    const deals: Row[] = []
    for (const [share_percent] of cases) {
      const deal = await crm.opportunity()
      deals.push(deal)
      await post(path(deal), { customer_id: back, share_percent })
    }
    await remove(`/companies/${back}`)
    for (const [n, [, share_percent]] of cases.entries()) await post(path(deals[n] as Row), { customer_id: other, share_percent })
    const answer = await restore(`/companies/${back}`)
    expect(answer.body._warnings.map(({ details }: Row) => [details.table, details.field, details.reason])).toEqual([
      ['billing_parties', 'share_percent', 'taken'],
    ])
    for (const [n, [, , kept]] of cases.entries()) {
      const parties = found(await crm.ws.get(path(deals[n] as Row)))
      expect(parties.find(({ customer_id }) => customer_id === back)?.share_percent).toBe(kept)
      expect(parties.find(({ customer_id }) => customer_id === other)?.share_percent).toBe(cases[n]?.[1])
    }
  })

  test('is reported: a company that was deleted since, and a link to it', async () => {
    const company = await crm.company()
    const { id } = await crm.contact({ customer_id: company, is_primary: true })
    await remove(`/contacts/${id}`)
    await remove(`/companies/${company}`)
    const answer = await restore(`/contacts/${id}`)
    expect(found(answer)).toMatchObject({ customer_id: null, is_primary: false })
    expect(answer.body._warnings.map(({ field, details }: Row) => [field, details.table, details.reason])).toContainEqual([
      'customer_id',
      'contacts',
      'gone',
    ])
  })

  test('is reported: a reference that leads elsewhere by now', async () => {
    const [deal, other] = [(await crm.opportunity()).id, (await crm.opportunity()).id]
    const task = await post('/tasks', { title: 'Call', opportunity_id: deal })
    await remove(`/opportunities/${deal}`)
    found(await crm.ws.patch(`/tasks/${task.id}`, { opportunity_id: other }))
    const answer = await restore(`/opportunities/${deal}`)
    expect(answer.body._warnings).toMatchObject([{ details: { table: 'tasks', id: task.id, field: 'opportunity_id', reason: 'changed' } }])
    expect(found(await crm.ws.get(`/tasks/${task.id}`)).opportunity_id).toBe(other)
  })

  test('prevents the restore where the record needs it: a name that another record has, or its only record', async () => {
    const pipeline = await crm.pipeline({ name: 'Renewals' })
    await remove(`/pipelines/${pipeline.id}`)
    const other = await crm.pipeline({ name: 'renewals' })
    expect(errorOf(await restore(`/pipelines/${pipeline.id}`))).toMatchObject({
      code: 'CONFLICT',
      details: { field: 'name', id: other.id },
    })
    const { id: contact } = await crm.contact()
    const note = await post('/activities', { activity_type: 'note', contact_id: contact })
    await remove(`/contacts/${contact}`)
    expect(errorOf(await restore(`/activities/${note.id}`))).toMatchObject({
      code: 'CONFLICT',
      details: { field: 'contact_id', id: contact },
    })
  })

  test('is a record that was deleted more than 30 days ago, merged, or purged', async () => {
    const { id } = await crm.contact()
    await remove(`/contacts/${id}`)
    await age(31)
    expect(errorOf(await restore(`/contacts/${id}`)).code).toBe('NOT_FOUND')
    await crm.app.cron('17 3 * * *')
    expect(await crm.count('deleted_rows')).toBe(0)
    const [winner, loser] = [(await crm.contact()).id, (await crm.contact()).id]
    await merge(crm, 'contacts', winner, [loser])
    expect(errorOf(await restore(`/contacts/${loser}`))).toMatchObject({ code: 'NOT_FOUND', details: { merged_into: winner } })
    await remove(`/contacts/${winner}?purge=true`)
    expect(errorOf(await restore(`/contacts/${winner}`)).details).toHaveProperty('purged_at')
  })

  test('is a record that mentions a purged one, and a purge leaves no trace of deleted rows', async () => {
    const { id } = await crm.contact({ email: 'ana.purged@example.com' })
    const deal = (await crm.opportunity({ notes: 'Ask ana.purged@example.com', contacts: [{ contact_id: id }] })).id
    await remove(`/opportunities/${deal}`)
    await remove(`/contacts/${id}`)
    expect(await crm.count('deleted_rows')).toBeGreaterThan(2)
    await remove(`/contacts/${id}?purge=true`)
    expect(errorOf(await restore(`/opportunities/${deal}`)).code).toBe('NOT_FOUND')
    const { rows } = await crm.app.owner.query("select * from deleted_rows d where d::text ~ 'ana.purged' or d::text ~ $1", [id])
    expect(rows).toEqual([])
  })

  test('is a row below another record than the path names', async () => {
    const [deal, other] = [(await crm.opportunity({ products: [{ name: 'Desk' }] })).id, (await crm.opportunity()).id]
    const [line] = found(await crm.ws.get(`/opportunities/${deal}/products`)) as [Row]
    await remove(`/opportunities/${deal}/products/${line.id}`)
    expect(errorOf(await restore(`/opportunities/${other}/products/${line.id}`)).code).toBe('NOT_FOUND')
    expect(found(await restore(`/opportunities/${deal}/products/${line.id}`)).name).toBe('Desk')
  })
})

describe('a restore', () => {
  test('takes the scopes to write and to delete, and no other workspace', async () => {
    const { id } = await crm.contact()
    await remove(`/contacts/${id}`)
    for (const scopes of [['contacts:write'], ['contacts:delete']])
      expect(errorOf(await (await crm.ws.key({ scopes })).post(`/contacts/${id}/restore`)).code).toBe('INSUFFICIENT_SCOPE')
    expect(errorOf(await (await crm.app.workspace()).post(`/contacts/${id}/restore`)).code).toBe('NOT_FOUND')
  })

  test('happens once when it is requested twice at once', async () => {
    const { id } = await crm.contact()
    await remove(`/contacts/${id}`)
    const answers = await Promise.all([restore(`/contacts/${id}`), restore(`/contacts/${id}`)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('can be tried, and be held for approval', async () => {
    const { id } = await crm.contact()
    await remove(`/contacts/${id}`)
    expect((await crm.ws.post(`/contacts/${id}/restore?dry_run=true`)).body.dry_run.changes).toMatchObject([
      { action: 'created', entity_id: id },
    ])
    expect(errorOf(await crm.ws.get(`/contacts/${id}`)).code).toBe('NOT_FOUND')
    const held = await crm.ws.post(`/contacts/${id}/restore`, { require_approval: true })
    found(await crm.ws.post(`/approvals/${held.body.approval_id}/approve`))
    await crm.app.drain()
    expect(found(await crm.ws.get(`/contacts/${id}`)).id).toBe(id)
  })
})
