import { describe, expect, test } from 'vitest'
import { useCrm } from '../crm.ts'
import { agencyIn, inMonth, monthText } from './agencies.ts'

const crm = useCrm()
const PLAN = { one_off_percent: 10, first_months: 2, first_months_percent: 50, ongoing_percent: 5, ongoing_months: 1 }

/** An agency with a salesperson who has brought in a client. */
async function team(since = 12) {
  const agency = await agencyIn(crm.app)
  const sales = await agency.member('salesperson', since)
  const client = await agency.client(sales)
  const plan = `/agency/team-commission/plans/${sales.userId}`
  const seen = async () => (await sales.get('/agency/team-commission')).body.data.members[0]
  return { agency, sales, client, plan, seen, owner: agency.ws }
}

describe('a plan', () => {
  test('pays one-off fees, the first paid months, further ones, and nothing afterwards', async () => {
    const { agency, client, plan, seen, owner } = await team()
    for (const month of [5, 4, 2, 1]) await agency.pay(client, { amount_cents: 10_000, paid_at: inMonth(month) })
    await agency.pay(client, { amount_cents: 20_000, paid_at: inMonth(5), kind: 'setup' })
    const { status, body } = await owner.patch(plan, PLAN)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.data).toMatchObject({ ...PLAN, version: 1, from_month: monthText(12), ongoing_forever: false })
    const { payouts } = await seen()
    const paid = (month: number) => payouts.find((payout: { month: string }) => payout.month === monthText(month)).commission
    expect([5, 4, 3, 2, 1].map(paid)).toEqual([70, 50, 0, 5, 0])
  })

  test('that changes counts from this month on; those that have ended stay as they were', async () => {
    const { agency, client, plan, seen, owner } = await team()
    await owner.patch(plan, PLAN)
    await agency.pay(client, { amount_cents: 10_000, paid_at: inMonth(1), kind: 'service' })
    await agency.pay(client, { amount_cents: 10_000, kind: 'service' })
    const { body } = await owner.patch(plan, { one_off_percent: 20 })
    expect(body.data).toMatchObject({ ...PLAN, one_off_percent: 20, version: 2, from_month: monthText(0) })
    const { payouts, running } = await seen()
    expect([payouts[0].commission, running.commission]).toEqual([10, 20])
    expect(running.lines[0]).toMatchObject({ plan_version: 2, rate_percent: 20 })
  })

  test('counts since the member has joined, not before', async () => {
    const { agency, client, plan, seen, owner } = await team(2)
    await agency.pay(client, { amount_cents: 10_000, paid_at: inMonth(3), kind: 'service' })
    await agency.pay(client, { amount_cents: 10_000, paid_at: inMonth(1), kind: 'service' })
    await owner.patch(plan, PLAN)
    expect((await seen()).payouts.map(({ month, commission }: Record<string, unknown>) => [month, commission])).toEqual([
      [monthText(1), 10],
      [monthText(2), 0],
    ])
  })

  test('is refused with the name of the field', async () => {
    const { plan, owner, sales } = await team()
    const paths = async (body: object) =>
      (await owner.patch(plan, body)).body.error.details.issues.map(({ path }: { path: string }) => path)
    expect(await paths({ one_off_percent: 100.01 })).toEqual(['one_off_percent'])
    expect(await paths({ first_months: -1 })).toEqual(['first_months'])
    expect(await paths({ ongoing_forever: true, ongoing_months: 3 })).toEqual(['ongoing_months'])
    expect(await paths({ ongoing_forever: false })).toEqual(['ongoing_months'])
    expect((await sales.patch(plan, PLAN)).status).toBe(403)
    expect((await owner.patch(plan.replace(/[^/]+$/, crypto.randomUUID()), PLAN)).status).toBe(404)
  })
})

describe('a payout', () => {
  test('is paid once, can be taken back, and is only seen by its member and the owner', async () => {
    const { agency, sales, client, plan, seen, owner } = await team()
    await agency.pay(client, { amount_cents: 10_000, paid_at: inMonth(1), kind: 'service' })
    await owner.patch(plan, PLAN)
    const [{ payout_id }, { payout_id: empty }] = (await seen()).payouts
    const path = `/agency/team-commission/payouts/${payout_id}`
    expect((await seen()).payouts[0]).toMatchObject({ payout_id, status: 'owed', payable: 10 })

    const paid = await owner.patch(path, { paid: true, payment_reference: 'Transfer 1' })
    expect(paid.body.data).toMatchObject({ status: 'paid', payable: 10, payment_reference: 'Transfer 1', user_id: sales.userId })
    expect((await owner.patch(path, { paid: true })).status).toBe(409)
    expect((await seen()).payouts[0]).toMatchObject({ status: 'paid', payment_reference: 'Transfer 1' })
    expect((await owner.patch(path, { paid: false })).body.data).toMatchObject({ status: 'owed', payment_reference: null, paid_at: null })
    expect((await owner.patch(path, { paid: false })).status).toBe(409)
    expect((await owner.patch(`/agency/team-commission/payouts/${empty}`, { paid: true })).status).toBe(409)
    expect((await sales.patch(path, { paid: true })).status).toBe(403)

    const other = await agency.member('salesperson')
    expect((await other.get('/agency/team-commission')).body.data).toMatchObject({ scope: 'self', members: [] })
    const line = (await seen()).payouts[0].lines[0].id
    expect((await other.get(`/agency/commission/lines/${line}`)).status).toBe(404)
    expect((await sales.get(`/agency/commission/lines/${line}`)).body.data).toMatchObject({ payee: 'member', user_id: sales.userId })
    const elsewhere = await agencyIn(crm.app)
    expect((await elsewhere.ws.patch(path, { paid: true })).status).toBe(404)
  })

  test('of a month that refunds bring below zero is carried forward, until later months have earned it', async () => {
    const { agency, client, plan, seen, owner } = await team()
    await owner.patch(plan, PLAN)
    await agency.pay(client, { amount_cents: 10_000, paid_at: inMonth(5), kind: 'service', reference: 'p' })
    await agency.refund('p', 10_000, inMonth(4))
    await agency.pay(client, { amount_cents: 4_000, paid_at: inMonth(3), kind: 'service' })
    await agency.pay(client, { amount_cents: 6_000, paid_at: inMonth(2), kind: 'service' })
    const { payouts } = await seen()
    const status = (month: number) => payouts.find((payout: { month: string }) => payout.month === monthText(month)).status
    expect([6, 5, 4, 3, 2].map(status)).toEqual(['nothing_owed', 'owed', 'carried_forward', 'carried_forward', 'nothing_owed'])
    const carried = payouts.find((payout: { month: string }) => payout.month === monthText(4)).payout_id
    expect((await owner.patch(`/agency/team-commission/payouts/${carried}`, { paid: true })).status).toBe(409)
  })

  test('is the same for requests at the same time, and its rows are never changed', async () => {
    const { agency, client, plan, owner, sales } = await team()
    await agency.pay(client, { amount_cents: 10_000, paid_at: inMonth(1), kind: 'service' })
    await owner.patch(plan, PLAN)
    await agency.pay(client, { amount_cents: 10_000, paid_at: inMonth(2), kind: 'service' })
    const all = await Promise.all(Array.from({ length: 6 }, () => owner.get('/agency/team-commission')))
    for (const { body } of all) expect(body.data.members[0].payouts).toEqual(all[0]?.body.data.members[0].payouts)
    const id = all[0]?.body.data.members[0].payouts[0].payout_id
    const marks = await Promise.all([1, 2, 3].map(() => owner.patch(`/agency/team-commission/payouts/${id}`, { paid: true })))
    expect(marks.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    for (const table of ['commission_statements', 'commission_lines', 'commission_payouts', 'commission_plans'])
      await expect(crm.app.owner.query(`delete from ${table} where workspace_id = $1`, [sales.id]), table).rejects.toThrow('never changed')
  })
})
