import { eq, sql } from 'drizzle-orm'
import { creditEntries, creditUsage } from '../../../../schema/index.ts'
import { db } from '../../../data/db.ts'
import { type Keys, page } from '../../../data/page.ts'
import { read } from '../../../data/plan.ts'
import { mapResult, plainRows } from '../../../data/query.ts'
import { columnsFor } from '../../../data/store.ts'
import { type CREDIT_KINDS, MMS_PRICE, PRICES } from '../rules/credits.ts'
import { CreditEntry, CreditUsage } from '../schemas/credits.ts'

type Query = { limit: number; after?: string | undefined }

/** Returns the balance of the workspace. */
export const getCredits = () =>
  read(
    mapResult(
      plainRows<{ balance: number; reserved: number }>(
        sql`select coalesce(a.balance, 0), coalesce(a.reserved, 0) from (select 1) one left join credit_accounts a on true`,
        ['balance', 'reserved'],
      ),
      ([row]) => ({ balance: row?.balance ?? 0, reserved: row?.reserved ?? 0, prices: { ...PRICES, mms: MMS_PRICE } }),
    ),
  )

const entryColumns = columnsFor(creditEntries, CreditEntry)

/** Lists the entries of the ledger, newest first. */
export const listCreditEntries = ({ kind, ...query }: Query & { kind?: (typeof CREDIT_KINDS)[number] | undefined }) =>
  read(
    page({
      select: (keys: Keys) => db.select({ ...entryColumns, ...keys }).from(creditEntries),
      id: creditEntries.id,
      where: [kind && eq(creditEntries.kind, kind)],
      sorts: { created_at: creditEntries.created_at },
      name: `credit entries ${kind ?? ''}`,
      query,
    }),
  )

const usageColumns = columnsFor(creditUsage, CreditUsage)

/** Lists what the messages of each month have cost, by channel, latest first. */
export const listCreditUsage = (query: Query) =>
  read(
    page({
      select: (keys: Keys) => db.select({ ...usageColumns, ...keys }).from(creditUsage),
      id: creditUsage.id,
      where: [],
      sorts: { month: creditUsage.month },
      name: 'credit usage',
      query: { ...query, sort: '-month' },
    }),
  )
