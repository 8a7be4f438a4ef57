import { describe, expect, test } from 'vitest'
import { created, failed, found, ids, nobody, type Row, refused, useCrm } from './crm.ts'

const crm = useCrm()

let number = 0
const invoice = async (fields: Row = {}, ws = crm.ws) =>
  created(await ws.post('/invoices', { invoice_number: `INV-${++number}`, total: 100, ...fields }))
const link = (opportunity: string, customer_id: string, fields: Row = {}) =>
  crm.ws.post(`/opportunities/${opportunity}/billing-parties`, { customer_id, ...fields })

describe('billing parties', () => {
  test('are linked, shown with their company, changed by linking again, and unlinked', async () => {
    const { id } = await crm.opportunity()
    const company = await crm.company('Payer')
    expect(await link(id, company, { share_percent: 40.5 })).toMatchObject({
      status: 201,
      body: { data: { customer_id: company, name: 'Payer', share_percent: 40.5, note: null } },
    })
    expect((await link(id, company, { note: 'PO first' })).body.data).toMatchObject({ share_percent: 40.5, note: 'PO first' })
    expect((await link(id, company)).body.data).toMatchObject({ share_percent: 40.5, note: 'PO first' })
    const path = `/opportunities/${id}/billing-parties`
    expect((await crm.ws.patch(`${path}/${company}`, { share_percent: null })).body.data).toMatchObject({ share_percent: null })
    expect(found(await crm.ws.get(path))).toHaveLength(1)
    const kept = await invoice({ customer_id: company })
    expect((await crm.ws.delete(`${path}/${company}`)).body.data).toEqual({ opportunity_id: id, customer_id: company, deleted: true })
    expect(found(await crm.ws.get(path))).toEqual([])
    expect((await crm.ws.get(`/companies/${company}`)).status).toBe(200)
    expect((await crm.ws.get(`/invoices/${kept.id}`)).status).toBe(200)
    expect(await crm.ws.delete(`${path}/${company}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    const changes = (
      await crm.app.owner.query("select action from changes where workspace_id = $1 and entity = 'billing_party' order by id", [crm.ws.id])
    ).rows
    expect(changes.map(({ action }) => action)).toEqual(['created', 'updated', 'updated', 'deleted'])
  })

  test('promise at most the whole together, also when they come at once', async () => {
    const { id } = await crm.opportunity()
    const companies = await Promise.all([1, 2, 3, 4].map((n) => crm.company(`Payer ${n}`)))
    const answers = await Promise.all(companies.map((company) => link(id, company, { share_percent: 40 })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400])
    const [first] = found(await crm.ws.get(`/opportunities/${id}/billing-parties`))
    const raise = (share_percent: number) => crm.ws.patch(`/opportunities/${id}/billing-parties/${first?.customer_id}`, { share_percent })
    expect(await raise(60.01)).toMatchObject(refused('share_percent'))
    expect((await raise(60)).status).toBe(200)
  })

  test('another workspace’s company, or nobody, is none', async () => {
    const [{ id }, stranger] = [await crm.opportunity(), await crm.app.workspace()]
    const theirs = await crm.company('Theirs', stranger)
    for (const customer_id of [theirs, nobody]) {
      expect(await link(id, customer_id)).toMatchObject(refused('customer_id'))
      expect(await crm.ws.delete(`/opportunities/${id}/billing-parties/${customer_id}`)).toMatchObject(failed(404, 'NOT_FOUND'))
    }
    expect(await stranger.get(`/opportunities/${id}/billing-parties`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await stranger.post(`/opportunities/${id}/billing-parties`, { customer_id: theirs })).toMatchObject(failed(404, 'NOT_FOUND'))
  })

  test.each([
    ['GET', '', ['opportunities:read', 'invoices:read']],
    ['POST', '', ['opportunities:write', 'invoices:write']],
    ['DELETE', '/:customer_id', ['opportunities:write', 'invoices:delete']],
  ])('%s needs both of its scopes', async (method, path, scopes) => {
    const [{ id }, company] = [await crm.opportunity(), await crm.company()]
    await link(id, company)
    const call = async (granted: string[]) =>
      (await crm.ws.key({ scopes: granted })).call(
        method,
        `/opportunities/${id}/billing-parties${path.replace(':customer_id', company)}`,
        method === 'POST' ? { customer_id: company } : undefined,
      )
    for (const scope of scopes) expect(await call([scope])).toMatchObject(failed(403, 'INSUFFICIENT_SCOPE'))
    expect((await call(scopes)).status).toBe(200)
  })
})

describe('the invoices of an opportunity', () => {
  test('are its own and those of its billing parties, headers only, newest first', async () => {
    const [{ id }, other] = [await crm.opportunity(), await crm.opportunity()]
    const [payer, company] = [await crm.company('Payer'), await crm.company('Bystander')]
    const own = await invoice({ opportunity_id: id, customer_id: company, total: 110, due_date: '2026-04-30' })
    const theirs = await invoice({ customer_id: payer, status: 'sent', amount_paid: 40 })
    const elsewhere = await invoice({ customer_id: payer, opportunity_id: other.id })
    await invoice({ customer_id: company })
    expect(ids(found(await crm.ws.get(`/opportunities/${id}/invoices`)))).toEqual([own.id])

    await link(id, payer)
    const list = found(await crm.ws.get(`/opportunities/${id}/invoices`))
    expect(list).toMatchObject([
      { id: elsewhere.id, source: 'billing_party', opportunity_id: other.id },
      { id: theirs.id, source: 'billing_party', customer_name: 'Payer', status: 'partially_paid', amount_paid: 40, amount_due: 60 },
      {
        id: own.id,
        source: 'opportunity',
        invoice_number: own.invoice_number,
        status: 'draft',
        total: 110,
        amount_due: 110,
        due_date: '2026-04-30',
      },
    ])
    expect(Object.keys(list[0] as Row)).not.toContain('notes')

    await crm.ws.delete(`/opportunities/${id}/billing-parties/${payer}`)
    expect(ids(found(await crm.ws.get(`/opportunities/${id}/invoices`)))).toEqual([own.id])
  })

  test('come page by page, each once, though one is of both and others come between', async () => {
    const { id } = await crm.opportunity()
    const payers = [await crm.company('A'), await crm.company('B')]
    for (const payer of payers) await link(id, payer)
    const made: string[] = []
    for (let n = 0; n < 9; n++)
      made.push((await invoice({ customer_id: payers[n % 2], ...(n % 3 === 0 && { opportunity_id: id }) })).id as string)
    const seen = await crm.walk(`/opportunities/${id}/invoices?limit=2`, () => invoice({ opportunity_id: id }))
    expect(ids(seen)).toEqual(made.toReversed())
    const first = await crm.ws.get(`/opportunities/${id}/invoices?limit=2`)
    expect(await crm.ws.get(`/opportunities/${(await crm.opportunity()).id}/invoices?after=${first.body.page.next}`)).toMatchObject(
      refused('after'),
    )
  })

  test('of another workspace never surface', async () => {
    const [{ id }, stranger] = [await crm.opportunity(), await crm.app.workspace()]
    await invoice({}, stranger)
    expect(found(await crm.ws.get(`/opportunities/${id}/invoices`))).toEqual([])
    expect(await stranger.get(`/opportunities/${id}/invoices`)).toMatchObject(failed(404, 'NOT_FOUND'))
    expect(await stranger.post('/invoices', { invoice_number: 'X', opportunity_id: id })).toMatchObject(refused('opportunity_id'))
  })
})

describe('an invoice', () => {
  test('is made, read, changed and listed; its history and events tell', async () => {
    const company = await crm.company()
    const made = await invoice({ customer_id: company, total: 99.9, due_date: '2020-01-31', currency: 'EUR' })
    expect(made).toMatchObject({
      status: 'draft',
      total: 99.9,
      amount_paid: 0,
      amount_due: 99.9,
      is_overdue: false,
      currency: 'EUR',
      version: 1,
    })
    const path = `/invoices/${made.id}`
    const sent = (await crm.ws.patch(path, { status: 'sent' })).body.data
    expect(sent).toMatchObject({ status: 'sent', is_overdue: true, version: 2 })
    expect((await crm.ws.patch(path, { status: 'sent' })).body.data).toMatchObject({ version: 2 })
    expect((await crm.ws.patch(path, { total: 120 })).body.data).toMatchObject({ amount_due: 120, version: 3 })
    expect(found(await crm.ws.get(`/invoices?customer_id=${company}&status=sent`))).toHaveLength(1)
    expect(found(await crm.ws.get(`/invoices?invoice_number=${made.invoice_number}`))).toHaveLength(1)
    const [change] = found(await crm.ws.get(`${path}/history`))
    expect(change?.fields).toEqual({ total: { before: 99.9, after: 120 }, amount_due: { before: 99.9, after: 120 } })
    expect((await crm.events(made.id)).map(({ type }) => type)).toEqual(['invoice.created', 'invoice.updated', 'invoice.updated'])
  })

  test('has a number of its own in the workspace', async () => {
    const { invoice_number } = await invoice()
    expect(await crm.ws.post('/invoices', { invoice_number })).toMatchObject(failed(409, 'CONFLICT'))
    await invoice({ invoice_number }, await crm.app.workspace())
  })

  test('that was sent is partially paid or paid as its amounts say', async () => {
    const { id } = await invoice({ status: 'sent' })
    const paid = async (amount_paid: number) => (await crm.ws.patch(`/invoices/${id}`, { amount_paid })).body.data
    expect(await paid(30)).toMatchObject({ status: 'partially_paid', amount_due: 70 })
    expect(await paid(100)).toMatchObject({ status: 'paid', amount_due: 0, is_overdue: false })
    expect(await paid(0)).toMatchObject({ status: 'sent', amount_due: 100 })
  })

  test('with nothing to pay is never overdue', async () => {
    expect(await invoice({ status: 'sent', total: 0, due_date: '2020-01-31' })).toMatchObject({ status: 'sent', is_overdue: false })
  })

  test.each([
    ['draft', {}, { status: 'sent' }, 200],
    ['draft', {}, { status: 'void' }, 200],
    ['draft', {}, { amount_paid: 1 }, 400],
    ['draft', {}, { status: 'paid' }, 400],
    ['sent', {}, { status: 'void' }, 200],
    ['sent', {}, { status: 'draft' }, 409],
    ['sent', {}, { amount_paid: 101 }, 400],
    ['sent', {}, { total: 0, amount_paid: 0 }, 200],
    ['partially_paid', { amount_paid: 10 }, { status: 'void' }, 409],
    ['partially_paid', { amount_paid: 10 }, { total: 9 }, 400],
    ['paid', { amount_paid: 100 }, { status: 'draft' }, 409],
    ['paid', { amount_paid: 100 }, { status: 'sent' }, 200],
    ['void', {}, { status: 'sent' }, 409],
    ['void', {}, { total: 5 }, 409],
    ['void', {}, { notes: 'Entered twice' }, 200],
  ])('a %s one %j changed to %j answers %i', async (state, fields, patch, status) => {
    const { id, status: is } = await invoice({ status: ['draft', 'void'].includes(state) ? state : 'sent', ...fields })
    expect(is).toBe(state)
    const answer = await crm.ws.patch(`/invoices/${id}`, patch)
    expect(answer.status).toBe(status)
    if (status === 409) expect(answer.body.error).toMatchObject({ code: 'INVALID_STATE', details: { state, allowed: expect.any(Array) } })
  })

  test('is deleted as a draft only, and keeps its company from being deleted', async () => {
    const company = await crm.company()
    const [draft, sent] = [await invoice({ customer_id: company }), await invoice({ status: 'sent', customer_id: company })]
    expect((await crm.ws.delete(`/invoices/${draft.id}`)).body.data).toEqual({ id: draft.id, deleted: true })
    expect(await crm.ws.delete(`/invoices/${sent.id}`)).toMatchObject({
      status: 409,
      body: { error: { code: 'INVALID_STATE', details: { state: 'sent', allowed: ['draft'] } } },
    })
    expect(await crm.ws.delete(`/companies/${company}`)).toMatchObject(failed(409, 'CONFLICT'))
  })

  test('stays when its opportunity goes; a billing party goes with either end', async () => {
    const [{ id }, company] = [await crm.opportunity(), await crm.company()]
    const { id: kept } = await invoice({ opportunity_id: id })
    await link(id, company)
    await crm.ws.delete(`/opportunities/${id}`)
    expect(found(await crm.ws.get(`/invoices/${kept}`))).toMatchObject({ opportunity_id: null, version: 2 })
    expect(await crm.count('billing_parties')).toBe(0)
    const other = await crm.opportunity()
    await link(other.id, company)
    expect((await crm.ws.delete(`/companies/${company}`)).status).toBe(200)
    expect(found(await crm.ws.get(`/opportunities/${other.id}/billing-parties`))).toEqual([])
  })
})
