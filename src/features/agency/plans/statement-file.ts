import { eq, type SQL, sql } from 'drizzle-orm'
import { agencyClients, commissionLines } from '../../../../schema/index.ts'
import type { Ctx } from '../../../context.ts'
import { db } from '../../../data/db.ts'
import { type Keys, page } from '../../../data/page.ts'
import { type Plan, plan } from '../../../data/plan.ts'
import { mapResult, plainRows, type Query } from '../../../data/query.ts'
import { Streamed } from '../../../data/streamed.ts'
import { TextPages } from '../../../data/text-page.ts'
import { csvRecord } from '../../../domain/csv/write.ts'
import { dispositionOf } from '../../../domain/file-names.ts'
import { AppError } from '../../../errors.ts'
import { scopesOf } from '../rules/access.ts'
import { carriedRow, STATEMENT_COLUMNS } from '../rules/statement-file.ts'
import { assertAgency } from './settling.ts'

type Facts = { payee_id: string; month: string; is_agency: boolean; by: string | null; carried_in_cents: number }

const UNKNOWN = 'No such statement of a commission in this workspace'

const selectLines = (keys: Keys) =>
  db
    .select({
      id: commissionLines.id,
      occurred_at: commissionLines.occurred_at,
      client_id: commissionLines.client_id,
      client_name: agencyClients.name,
      kind: commissionLines.kind,
      payment_id: commissionLines.payment_id,
      refund_id: commissionLines.refund_id,
      payment_cents: commissionLines.payment_cents,
      refunded_before_cents: commissionLines.refunded_before_cents,
      refunded_cents: commissionLines.refunded_cents,
      plan_number: commissionLines.plan_number,
      month_index: commissionLines.month_index,
      rate: commissionLines.rate,
      commission_cents: commissionLines.commission_cents,
      ...keys,
    })
    .from(commissionLines)
    .leftJoin(agencyClients, eq(agencyClients.client_id, commissionLines.client_id))

const linesAfter =
  (id: string, { payee_id, month, by }: Facts) =>
  (limit: number, after?: string) =>
    page({
      select: selectLines,
      id: commissionLines.id,
      where: [
        eq(commissionLines.payee_id, payee_id),
        eq(commissionLines.statement_month, month),
        by === null ? undefined : eq(commissionLines.brought_in_by, by),
      ],
      sorts: { id: commissionLines.id },
      whole: true,
      name: `lines ${id}`,
      query: { limit, after, sort: 'id' },
    })

/** The cells of a line, in the order of STATEMENT_COLUMNS. Amounts are written from integers, so that none is rounded by the way. */
function lineRow(month: string, column: (name: string) => string): SQL {
  const cents = (value: string) => `round(${value} / 100.0, 2)::text`
  const refunded = column('refunded_before_cents')
  const isRefund = `${column('refund_id')} is not null`
  const first = `case when ${isRefund} then ${refunded} else ${column('payment_cents')} end`
  const ofRefund = (value: string) => `case when ${isRefund} then ${value} end`
  const share = (value: string) => [
    cents(value),
    `round((${value})::numeric * ${column('rate')} / 1000000, 6)::text`,
    `round(round((${value})::numeric * ${column('rate')} / 10000) / 100, 2)::text`,
  ]
  const cells = [
    ...[`to_char(${column('occurred_at')}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`, `${column('id')}::text`, `${column('client_id')}::text`],
    ...[`csv_cell(${column('client_name')})`, column('kind'), `${column('payment_id')}::text`, `${column('refund_id')}::text`],
    ...[cents(column('payment_cents')), `${column('plan_number')}::text`, `${column('month_index')}::text`, cents(column('rate'))],
    ...[...share(first), ...share(column('refunded_cents')).map(ofRefund), cents(column('commission_cents'))],
  ]
  const written = sql.raw(cells.map((cell) => `coalesce(${cell}, '')`).join(` || ',' || `))
  return sql`${month}::text || ',line,' || ${written} || E'\\r\\n'`
}

/**
 * All lines of a statement as a file, after what the month before has carried in: the sum of its commissions is what the month comes to.
 */
export async function statementFile(ctx: Ctx, id: string): Promise<Plan<Streamed>> {
  const seen = sql`commission_statement(${id}::uuid, ${scopesOf('agency')}::jsonb, ${scopesOf('team')}::jsonb)`
  const facts = await ctx.read(mapResult(plainRows<{ facts: Facts | null }>(sql`select ${seen}`, ['facts']), ([row]) => row?.facts))
  if (!facts) return plan([assertAgency()], missing)
  const month = facts.month.slice(0, 7)
  const pages = new TextPages(linesAfter(id, facts), (column) => lineRow(month, column))
  const result: Query<Streamed> = {
    query: sql`select ${pages.first()}`,
    fields: [],
    hidden: 1,
    decode: (_, raw) => {
      const [first] = raw[0] as [string]
      async function* pieces() {
        yield csvRecord(STATEMENT_COLUMNS) + carriedRow(month, facts?.carried_in_cents ?? 0)
        yield* pages.texts(ctx, first)
      }
      const name = `commission-${facts?.is_agency ? 'agency' : facts?.payee_id}-${month}.csv`
      return new Streamed('text/csv; charset=utf-8', pieces, { 'Content-Disposition': dispositionOf(name) })
    },
  }
  return plan([assertAgency(), sql`select assert_condition(${seen} is not null, 'NOT_FOUND', ${UNKNOWN})`], result)
}

const missing = mapResult(plainRows(sql`select null`, ['nothing']), (): Streamed => {
  throw new AppError('NOT_FOUND', UNKNOWN)
})
