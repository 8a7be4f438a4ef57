import { randomUUID } from 'node:crypto'
import { linkClient, makeAgency, type PaymentIn, recordPayment, recordRefund } from '../../../dev/agency/agency.ts'
import type { Harness } from '../../harness.ts'
import type { TestWorkspace } from '../../workspace.ts'

/** The first day of the month that is this number of months before the present one, in UTC. */
export function monthsAgo(months: number): Date {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1))
}

/** An instant in the middle of that month; of the present one, a moment ago. */
export const inMonth = (months: number, day = 10): string =>
  (months === 0 ? new Date(Date.now() - 60_000) : new Date(monthsAgo(months).getTime() + day * 86_400_000)).toISOString()

export const monthText = (months: number): string => monthsAgo(months).toISOString().slice(0, 7)

export type Agency = {
  ws: TestWorkspace
  client(by?: TestWorkspace, isTemplate?: boolean): Promise<TestWorkspace>
  member(role: string, since?: number): Promise<TestWorkspace>
  pay(client: TestWorkspace, payment: Partial<PaymentIn> & { amount_cents: number }): Promise<string>
  refund(payment: string, amount_cents: number, refunded_at: string, reference?: string): Promise<string>
}

/** An agency with a commission of 20 % since a year ago, in UTC, so that its months are known. */
export async function agencyIn(app: Harness, percent = 20): Promise<Agency> {
  const ws = await app.workspace()
  await app.owner.query("update workspaces set timezone = 'UTC' where id = $1", [ws.id])
  await makeAgency(app.owner, ws.id, {
    commission_percent: percent,
    currency: 'AUD',
    signup_url: 'https://example.com/join',
    from_month: `${monthText(12)}-01`,
  })
  const emailOf = async ({ userId }: TestWorkspace) =>
    (await app.owner.query('select email from users where id = $1', [userId])).rows[0].email as string
  return {
    ws,
    async client(by, isTemplate = false) {
      const client = await app.workspace()
      await linkClient(app.owner, ws.id, client.id, { ...(by && { brought_in_by: await emailOf(by) }), is_template: isTemplate })
      return client
    },
    async member(role, since = 12) {
      const member = await ws.key({ role })
      await app.owner.query('update memberships set joined_at = $3 where workspace_id = $1 and user_id = $2', [
        ws.id,
        member.userId,
        monthsAgo(since),
      ])
      return member
    },
    pay: (client, payment) =>
      recordPayment(app.owner, ws.id, {
        client_id: client.id,
        kind: 'subscription',
        paid_at: inMonth(0),
        currency: 'AUD',
        reference: randomUUID(),
        ...payment,
      }),
    refund: (payment_reference, amount_cents, refunded_at, reference = randomUUID()) =>
      recordRefund(app.owner, ws.id, { payment_reference, amount_cents, refunded_at, reference }),
  }
}
