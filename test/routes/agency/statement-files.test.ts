import Papa from 'papaparse'
import { describe, expect, test } from 'vitest'
import type { TestWorkspace } from '../../workspace.ts'
import { useCrm } from '../crm.ts'
import { agencyIn, inMonth, monthText } from './agencies.ts'

const crm = useCrm()
const PLAN = { one_off_percent: 12.5, first_months: 1, first_months_percent: 50, ongoing_percent: 5 }

type Row = Record<string, string>
/** The rows of a file, and what its commissions come to, in cents. */
async function fileOf(ws: TestWorkspace, id: string) {
  const response = await crm.app.fetch(`/v1/agency/commission/statements/${id}/export`, {
    headers: { authorization: `Bearer ${ws.apiKey}` },
  })
  const text = await response.text()
  const { data, errors } = Papa.parse<Row>(text, { header: true, skipEmptyLines: true })
  const cents = data.reduce((sum, row) => sum + Math.round(Number(row.commission) * 100), 0)
  return { status: response.status, headers: response.headers, text, rows: data, errors, cents }
}

describe('the file of a statement', () => {
  test('explains each cent, of payments, of refunds, and of what was carried in', async () => {
    const agency = await agencyIn(crm.app)
    const sales = await agency.member('salesperson')
    const client = await agency.client(sales)
    await crm.app.owner.query('update agency_clients set name = $2 where client_id = $1', [client.id, '=HYPERLINK("x"), Ltd'])
    await agency.pay(client, { amount_cents: 10_020, paid_at: inMonth(3), kind: 'service', reference: 'p' })
    await agency.refund('p', 5_010, inMonth(2))
    await agency.pay(client, { amount_cents: 10_000, paid_at: inMonth(1) })
    await agency.ws.patch(`/agency/team-commission/plans/${sales.userId}`, PLAN)
    const { payouts } = (await sales.get('/agency/team-commission')).body.data.members[0]

    const paid = await fileOf(sales, payouts[2].payout_id)
    expect(paid.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(paid.headers.get('content-disposition')).toContain(`commission-${sales.userId}-${monthText(3)}.csv`)
    expect(paid.text).toContain(`"'=HYPERLINK(""x""), Ltd"`)
    expect(paid.rows).toEqual([
      {
        month: monthText(3),
        entry: 'line',
        occurred_at: inMonth(3),
        line_id: payouts[2].lines[0].id,
        client_id: client.id,
        client_name: `'=HYPERLINK("x"), Ltd`,
        kind: 'service',
        payment_id: payouts[2].lines[0].payment_id,
        refund_id: '',
        payment_amount: '100.20',
        plan_version: '1',
        month_index: '',
        rate_percent: '12.50',
        share_of: '100.20',
        share_exact: '12.525000',
        share_rounded: '12.53',
        less_share_of: '',
        less_share_exact: '',
        less_share_rounded: '',
        commission: '12.53',
      },
    ])
    const refunded = await fileOf(sales, payouts[1].payout_id)
    expect(refunded.rows).toMatchObject([
      {
        refund_id: payouts[1].lines[0].refund_id,
        share_of: '0.00',
        share_exact: '0.000000',
        share_rounded: '0.00',
        less_share_of: '50.10',
        less_share_exact: '6.262500',
        less_share_rounded: '6.26',
        commission: '-6.26',
      },
    ])
    const last = await fileOf(sales, payouts[0].payout_id)
    expect(last.rows).toMatchObject([
      { entry: 'carried_in', commission: '-6.26', line_id: '' },
      { entry: 'line', kind: 'subscription', month_index: '1', rate_percent: '50.00', commission: '50.00' },
    ])
    expect(last.cents).toBe(payouts[0].payable * 100)
  })

  test('has every line of the month, however many there are', async () => {
    const agency = await agencyIn(crm.app)
    const client = await agency.client()
    const payments = 2_345
    await crm.app.owner.query(
      `with paid as (insert into agency_payments (workspace_id, client_id, kind, paid_at, month, amount_cents, currency, reference)
          select $1, $2, 'service', $3, $4, 100 + n, 'AUD', n::text from generate_series(1, $5::int) n returning id)
        insert into commission_causes (workspace_id, payee_id, payment_id, month) select $1, $1, id, $4 from paid`,
      [agency.ws.id, client.id, inMonth(1), `${monthText(1)}-01`, payments],
    )
    const [statement] = (await agency.ws.get('/agency/commission')).body.data.statements
    expect(statement).toMatchObject({ line_count: payments })
    expect(statement.lines).toHaveLength(200)
    const { rows, errors, cents } = await fileOf(agency.ws, statement.id)
    expect(errors).toEqual([])
    expect(new Set(rows.map(({ line_id }) => line_id)).size).toBe(payments)
    expect(cents).toBe(Math.round(statement.commission * 100))
  })

  test('is for those who see the statement, with the lines that they see', async () => {
    const agency = await agencyIn(crm.app)
    const [sales, colleague, manager] = [
      await agency.member('salesperson'),
      await agency.member('salesperson'),
      await agency.member('account_manager'),
    ]
    const [own, other] = [await agency.client(sales), await agency.client(manager)]
    await agency.pay(own, { amount_cents: 10_000, paid_at: inMonth(2), kind: 'service', reference: 'p' })
    await agency.refund('p', 10_000, inMonth(1))
    await agency.pay(other, { amount_cents: 1_000, paid_at: inMonth(1), kind: 'service' })
    await agency.ws.patch(`/agency/team-commission/plans/${sales.userId}`, PLAN)
    const { members } = (await agency.ws.get('/agency/team-commission')).body.data
    const payout = members[0].payouts[1].payout_id
    const statement = (await agency.ws.get('/agency/commission')).body.data.statements[0].id
    const architect = await agency.member('systems_architect')
    const elsewhere = await agencyIn(crm.app)

    const statuses = async (id: string, all: TestWorkspace[]) => Promise.all(all.map(async (ws) => (await fileOf(ws, id)).status))
    expect(await statuses(payout, [agency.ws, sales, colleague, manager, architect, elsewhere.ws])).toEqual([200, 200, 404, 404, 404, 404])
    expect(await statuses(statement, [agency.ws, manager, sales, architect, elsewhere.ws])).toEqual([200, 200, 404, 404, 404])
    expect((await fileOf(agency.ws, statement)).rows).toHaveLength(2)
    const mine = await fileOf(manager, statement)
    expect(mine.rows).toMatchObject([{ client_id: other.id, commission: '2.00' }])
    expect(await statuses(statement, [await crm.app.workspace()])).toEqual([403])
    expect(await statuses(statement, [await agency.ws.key({ scopes: ['contacts:read'] })])).toEqual([403])
  })
})
