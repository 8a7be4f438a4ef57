import { beforeEach, describe, expect, test } from 'vitest'
import { created, failed, found, held, ids, nobody, type Row, useCrm } from './crm.ts'
import { decided, type Mark, markedPerson, newMark, places } from './marked-person.ts'
import { merge, undo } from './merging.ts'

const crm = useCrm({ own: true })
let mark: Mark
beforeEach(() => {
  mark = newMark()
})

const purge = (id: string, kind = 'contacts') => crm.ws.delete(`/${kind}/${id}?purge=true`)

describe('a purged person', () => {
  test('is nowhere any more', async () => {
    const other = await crm.contact({ first_name: 'Bo', last_name: 'Zyxwother' })
    const { id, deal, shared, task, waiting, body, key } = await markedPerson(crm, mark)
    await crm.app.drain()
    await crm.app.cron('* * * * *')
    const before = await places(crm, mark.mark)
    expect(Object.keys(before)).toEqual(
      expect.arrayContaining([
        'activities',
        'approvals',
        'changes',
        'contacts',
        'custom_values',
        'deal_stakeholders',
        'idempotency',
        'opportunity_contacts',
        'search_words',
        'tasks',
      ]),
    )
    const answer = await purge(id)
    expect(found(answer)).toMatchObject({ id, deleted: true, purged: { contact: 1, activity: 1, task: 1, employer: 1 } })
    await crm.app.drain()
    await crm.app.cron('* * * * *')
    expect(await places(crm, mark.mark)).toEqual({})
    expect(await places(crm, mark.number)).toEqual({})

    expect(await crm.ws.get(`/contacts/${id}`)).toMatchObject({
      ...failed(404, 'NOT_FOUND'),
      body: { error: { details: { purged_at: expect.stringMatching(/Z$/) } } },
    })
    for (const refused of [
      crm.ws.patch(`/contacts/${id}`, { city: 'P' }),
      crm.ws.delete(`/contacts/${id}`),
      purge(id),
      crm.ws.get(`/contacts/${id}/employers`),
    ])
      expect((await refused).body.error).toMatchObject({ code: 'NOT_FOUND', details: { purged_at: expect.any(String) } })
    const tombstones = found(await crm.ws.get('/contacts/purged'))
    expect(tombstones).toEqual([
      { id, purged_at: expect.any(String), purged_by: crm.ws.userId, key_id: crm.ws.keyId, request_id: answer.headers.get('x-request-id') },
    ])
    const history = found(await crm.ws.get(`/contacts/${id}/history`))
    expect(history.map(({ action }) => action)).toEqual(['deleted', 'updated', 'updated', 'updated', 'created'])
    expect(history[1]!.fields).toEqual({ city: {} })
    expect(await crm.events(id)).toContainEqual(expect.objectContaining({ type: 'contact.purged', payload: {} }))

    expect(found(await crm.ws.get(`/activities/${shared.id}`))).toMatchObject({
      contact_id: null,
      deal_id: deal.id,
      duration_seconds: 60,
      subject: null,
      body: null,
      metadata: {},
    })
    expect(found(await crm.ws.get(`/tasks/${task.id}`))).toMatchObject({
      contact_id: null,
      opportunity_id: deal.id,
      title: '(purged)',
      description: null,
    })
    expect(found(await crm.ws.get(`/approvals/${waiting}`))).toMatchObject({
      status: 'rejected',
      reason: 'A record that this request is about was purged',
      request: { params: { contact_id: id }, body: { notes: '' } },
    })
    expect((await crm.events(waiting)).at(-1)).toMatchObject({
      type: 'approval.updated',
      payload: { status: 'rejected', reason: 'A record that this request is about was purged' },
    })
    expect(await crm.ws.post(`/approvals/${waiting}/approve`)).toMatchObject(failed(409, 'INVALID_STATE'))
    expect(await crm.ws.post('/contacts', body, key('create'))).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(found(await crm.ws.get(`/contacts/${other.id}`)).last_name).toBe('Zyxwother')
    expect(found(await crm.ws.get('/search?q=zyxwothr')).contacts).toMatchObject([{ id: other.id }])
    expect((await crm.ws.get(`/opportunities/${deal.id}/timeline`)).status).toBe(200)
  })

  test('may have been deleted before', async () => {
    const { id } = await markedPerson(crm, mark)
    found(await crm.ws.delete(`/contacts/${id}`))
    expect(Object.keys(await places(crm, mark.mark))).toContain('changes')
    found(await purge(id))
    expect(await places(crm, mark.mark)).toEqual({})
  })

  test('is purged by administrators alone, in the version that they know', async () => {
    const { id } = await crm.contact()
    const editor = await crm.ws.key({ role: 'client_editor' })
    expect(await editor.delete(`/contacts/${id}?purge=true`)).toMatchObject(failed(403, 'FORBIDDEN'))
    expect(await crm.ws.delete(`/contacts/${id}?purge=true`, { 'if-match': '"7"' })).toMatchObject(failed(412, 'PRECONDITION_FAILED'))
    expect(await purge(nobody)).toMatchObject(failed(404, 'NOT_FOUND'))
    const stranger = await crm.app.workspace()
    expect(await stranger.delete(`/contacts/${id}?purge=true`)).toMatchObject(failed(404, 'NOT_FOUND'))
    found(await crm.ws.get(`/contacts/${id}`))
  })

  test('can be a dry run or wait for approval, and its approval does not keep the erased data', async () => {
    const { id } = await markedPerson(crm, mark)
    const trial = await crm.ws.delete(`/contacts/${id}?purge=true&dry_run=true`)
    expect(JSON.stringify(trial.body)).not.toContain(mark.mark)
    expect(found(trial).purged.contact).toBe(1)
    const pending = await crm.ws.delete(`/contacts/${id}?purge=true&require_approval=true`)
    expect(pending).toMatchObject(held)
    expect(found(await crm.ws.get(`/contacts/${id}`)).id).toBe(id)
    await decided(crm, pending, 'approve')
    expect(found(await crm.ws.get(`/approvals/${pending.body.approval_id}`))).toMatchObject({ status: 'executed', response_status: 200 })
    expect(await places(crm, mark.mark)).toEqual({})
  })

  test('is redacted in log tables, including new ones', async () => {
    const { id } = await crm.contact({ first_name: mark.mark, email: `${mark.mark}@x.co` })
    const theirs = { id, first_name: mark.mark }
    await crm.app.owner.query(`create table audit_log (workspace_id uuid, row_id uuid, before jsonb, after jsonb); call remember_catalog()`)
    try {
      const insert = (row: string | null, before: unknown) =>
        crm.app.owner.query('insert into audit_log values ($1, $2, $3, $3)', [crm.ws.id, row, JSON.stringify(before)])
      await insert(id, { first_name: mark.mark })
      await insert(null, [theirs, { id: nobody, first_name: 'Bo' }])
      await insert(null, {
        rows: [
          ['Bo', 'bo@x.co'],
          [mark.mark, `${mark.mark.toUpperCase()}@x.co`],
        ],
      })
      await insert(null, { id: nobody })
      found(await purge(id))
      const { rows } = await crm.app.owner.query('select before from audit_log')
      expect(rows.map(({ before }) => before)).toEqual(
        expect.arrayContaining([
          { first_name: '' },
          [
            { id: '', first_name: '' },
            { id: nobody, first_name: 'Bo' },
          ],
          {
            rows: [
              ['Bo', 'bo@x.co'],
              ['', ''],
            ],
          },
          { id: nobody },
        ]),
      )
    } finally {
      await crm.app.owner.query('drop table audit_log; call remember_catalog()')
    }
  })
})

test('what only mentions an address that others have too stays theirs', async () => {
  const shared = { email: `${mark.mark}@shared.co`, phone: `+61${mark.number}` }
  const { id } = await crm.contact({ first_name: 'Ana', ...shared })
  const other = await crm.contact({ first_name: 'Bo', ...shared })
  const theirs = await crm.ws.patch(`/contacts/${other.id}`, { alternate_emails: [shared.email], require_approval: true })
  const headers = { 'idempotency-key': 'theirs' }
  const body = { city: 'Perth', email: shared.email }
  found(await crm.ws.patch(`/contacts/${other.id}`, body, headers))
  found(await purge(id))
  expect(found(await crm.ws.get(`/approvals/${theirs.body.approval_id}`))).toMatchObject({
    status: 'pending',
    request: { body: { alternate_emails: [shared.email] } },
  })
  expect(found(await crm.ws.patch(`/contacts/${other.id}`, body, headers)).city).toBe('Perth')
})

test('an activity that has left a purged opportunity keeps its text, one that is on it does not', async () => {
  const [contact, deal] = [await crm.contact(), await crm.opportunity()]
  const about = { activity_type: 'note', contact_id: contact.id, deal_id: deal.id, body: 'Said yes' }
  const [on, off] = [created(await crm.ws.post('/activities', about)), created(await crm.ws.post('/activities', about))]
  found(await crm.ws.patch(`/activities/${off.id}`, { deal_id: null }))
  found(await purge(deal.id, 'opportunities'))
  expect(found(await crm.ws.get(`/activities/${on.id}`))).toMatchObject({ contact_id: contact.id, deal_id: null, body: null })
  expect(found(await crm.ws.get(`/activities/${off.id}`)).body).toBe('Said yes')
})

test('a notepad that is about something else, too, stays without its text, also in its versions', async () => {
  const [{ id: contact_id }, { id: opportunity_id }] = [await crm.contact(), await crm.opportunity()]
  const fields = { title: mark.marked('title'), content: mark.marked('first'), contact_id, opportunity_id }
  const notepad = created(await crm.ws.post('/notepads', fields))
  found(await crm.ws.put(`/notepads/${notepad.id}/content`, { content: mark.marked('second') }, { 'if-match': '*' }))
  expect(Object.keys(await places(crm, mark.mark))).toEqual(expect.arrayContaining(['notepad_versions', 'notepads']))
  found(await purge(contact_id))
  expect(found(await crm.ws.get(`/notepads/${notepad.id}`))).toMatchObject({ title: '(purged)', contact_id: null })
  expect(await places(crm, mark.mark)).toEqual({})
})

test('a purge takes those along who were merged into the person, and nobody whose merge was undone', async () => {
  const [winner, merged, apart] = [await crm.contact(), await crm.contact(), await crm.contact({ city: 'Perth', notes: 'Mine' })]
  const into = (loser: string) => merge(crm, 'contacts', winner.id, [loser])
  await undo(crm, 'contacts', (await into(apart.id)).merge_id)
  await into(merged.id)
  found(await purge(winner.id))
  const [created] = (found(await crm.ws.get(`/contacts/${apart.id}/history`)) as Row[]).toReversed()
  expect(found(await crm.ws.get(`/contacts/${apart.id}`))).toMatchObject({ city: 'Perth', notes: 'Mine' })
  expect(created).toMatchObject({ action: 'created', fields: { city: { after: 'Perth' } } })
  expect((found(await crm.ws.get(`/contacts/${merged.id}/history`)) as Row[]).at(-1)).toMatchObject({ fields: { first_name: {} } })
})

test('a company and an opportunity are purged with what is theirs', async () => {
  const company = created(
    await crm.ws.post('/companies', { name: `${mark.mark} Ltd`, email: `${mark.mark}@x.co`, notes: mark.marked('n') }),
  )
  const deal = await crm.opportunity({
    name: `${mark.mark} deal`,
    customer_id: company.id,
    products: [{ name: mark.marked('line') }],
    tags: [{ name: mark.mark }],
  })
  created(await crm.ws.post(`/opportunities/${deal.id}/buckets`, { name: mark.mark }))
  const contact = await crm.contact({ customer_id: company.id, notes: 'Stays' })
  expect(await purge(company.id, 'companies')).toMatchObject(failed(409, 'CONFLICT'))
  expect(found(await purge(deal.id, 'deals')).purged).toMatchObject({ opportunity: 1, opportunity_product: 1, opportunity_bucket: 1 })
  found(await purge(company.id, 'companies'))
  expect(await places(crm, mark.mark)).toEqual({})
  expect(found(await crm.ws.get(`/contacts/${contact.id}`))).toMatchObject({ customer_id: null, notes: 'Stays' })
  expect(ids(found(await crm.ws.get('/companies/purged')))).toEqual([company.id])
  expect(ids(found(await crm.ws.get('/opportunities/purged')))).toEqual([deal.id])
})

test('every reference to a person that outlives them says what happens to its texts', async () => {
  const { rows } = await crm.app.owner.query(
    `select a.child::text, shared_text_columns() ? a.child::text as shared from references_to('contacts') a
      where a.on_delete <> 'c' order by 1`,
  )
  expect(rows).toEqual([
    { child: 'activities', shared: true },
    { child: 'automation_runs', shared: true },
    { child: 'bookings', shared: true },
    { child: 'documents', shared: true },
    { child: 'form_orders', shared: true },
    { child: 'lead_results', shared: true },
    { child: 'notepads', shared: true },
    { child: 'order_form_logs', shared: true },
    { child: 'tasks', shared: true },
  ])
})
