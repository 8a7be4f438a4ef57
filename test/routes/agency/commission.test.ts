import { describe, expect, test } from 'vitest'
import { useCrm } from '../crm.ts'
import { agencyIn, inMonth, monthText } from './agencies.ts'

const crm = useCrm()

describe('the commission of the agency', () => {
  test('is a share of what clients have paid, month by month, and is kept when a month has ended', async () => {
    const agency = await agencyIn(crm.app)
    const client = await agency.client()
    await agency.pay(client, { amount_cents: 10_005, paid_at: inMonth(2), kind: 'setup' })
    await agency.pay(client, { amount_cents: 5_000 })

    const { body } = await agency.ws.get('/agency/commission')
    expect(body.data).toMatchObject({ scope: 'agency', currency: 'AUD' })
    expect(body.data.running).toMatchObject({ month: monthText(0), commission: 10, payable: 10, line_count: 1 })
    expect(body.data.statements).toHaveLength(12)
    expect(body.data.statements[1]).toMatchObject({ month: monthText(2), commission: 20.01, payable: 20.01, line_count: 1 })
    expect(body.data.statements[1].lines[0]).toMatchObject({ amount: 100.05, rate_percent: 20, commission: 20.01, client_id: client.id })

    await agency.pay(client, { amount_cents: 1_000, paid_at: inMonth(2) })
    const again = (await agency.ws.get('/agency/commission')).body.data
    expect(again.statements[1]).toEqual(body.data.statements[1])
    expect(again.running).toMatchObject({ commission: 12, line_count: 2 })
  })

  test('of refunds that exceed what is earned is carried into the next months', async () => {
    const agency = await agencyIn(crm.app)
    const client = await agency.client()
    await agency.pay(client, { amount_cents: 10_000, paid_at: inMonth(4), reference: 'p' })
    await agency.refund('p', 3_333, inMonth(3), 'r1')
    await agency.refund('p', 6_667, inMonth(2), 'r2')
    await agency.pay(client, { amount_cents: 5_000, paid_at: inMonth(1) })
    const { statements } = (await agency.ws.get('/agency/commission')).body.data
    const [last, second, third, fourth] = statements
    expect(fourth).toMatchObject({ commission: 20, payable: 20, carried_out: 0 })
    expect(third).toMatchObject({ commission: -6.67, carried_in: 0, payable: 0, carried_out: -6.67 })
    expect(second).toMatchObject({ commission: -13.33, carried_in: -6.67, payable: 0, carried_out: -20 })
    expect(last).toMatchObject({ commission: 10, carried_in: -20, payable: 0, carried_out: -10 })
  })

  test('is seen whole by an owner, in part by an account manager, and not by others', async () => {
    const agency = await agencyIn(crm.app)
    const [owner, manager] = [await agency.member('owner'), await agency.member('account_manager')]
    const [own, other] = [await agency.client(manager), await agency.client()]
    await agency.pay(own, { amount_cents: 1_000, paid_at: inMonth(1) })
    await agency.pay(other, { amount_cents: 70_000, paid_at: inMonth(1) })
    await agency.pay(other, { amount_cents: 90_000 })
    expect((await owner.get('/agency/commission')).body.data).toMatchObject({ scope: 'agency', running: { commission: 180 } })

    const mine = (await manager.get('/agency/commission')).body.data
    expect(mine).toMatchObject({ scope: 'mine', running: { commission: 0, line_count: 0, payable: null } })
    expect(mine.statements[0]).toMatchObject({ commission: 2, line_count: 1, payable: null, carried_in: null })
    expect(mine.statements[0].lines).toHaveLength(1)
    const hidden = (await owner.get('/agency/commission')).body.data.running.lines[0].id
    expect((await manager.get(`/agency/commission/lines/${hidden}`)).status).toBe(404)
    for (const role of ['systems_architect', 'salesperson', 'client_viewer'])
      expect((await (await agency.member(role)).get('/agency/commission')).status, role).toBe(403)
    expect((await (await agency.member('systems_architect')).get('/agency/team-commission')).status).toBe(403)
  })

  test('needs a key of an agency with the scope', async () => {
    const ws = await crm.app.workspace()
    expect((await ws.get('/agency/commission')).body.error).toMatchObject({ code: 'FORBIDDEN' })
    const agency = await agencyIn(crm.app)
    const key = await agency.ws.key({ scopes: ['contacts:read'] })
    expect((await key.get('/agency/commission')).body.error.code).toBe('INSUFFICIENT_SCOPE')
  })
})

describe('a line', () => {
  test('is explained to the cent', async () => {
    const agency = await agencyIn(crm.app, 12.5)
    const client = await agency.client()
    await agency.pay(client, { amount_cents: 10_020, paid_at: inMonth(2), reference: 'p' })
    await agency.refund('p', 5_010, inMonth(1))
    const { statements } = (await agency.ws.get('/agency/commission')).body.data
    const explained = async (id: string) => (await agency.ws.get(`/agency/commission/lines/${id}`)).body.data
    expect(await explained(statements[1].lines[0].id)).toMatchObject({
      payee: 'agency',
      user_id: null,
      plan_version: null,
      month_index: 1,
      rate_percent: 12.5,
      payment_amount: 100.2,
      commission: 12.53,
      is_locked: true,
      statement_month: monthText(2),
      shares: [{ sign: 1, amount: 100.2, exact: '12.525000', rounded: 12.53 }],
    })
    expect(await explained(statements[0].lines[0].id)).toMatchObject({
      commission: -6.26,
      shares: [
        { sign: 1, amount: 0, exact: '0.000000', rounded: 0 },
        { sign: -1, amount: 50.1, exact: '6.262500', rounded: 6.26 },
      ],
    })
  })
})
