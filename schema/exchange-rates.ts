import { customType, index, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { day, identity, timestamps } from './columns.ts'

/** A positive number with ten decimals. PostgreSQL stores it exactly; JSON numbers only transport it. */
const rate = customType<{ data: number; driverData: string | number }>({
  dataType: () => 'numeric(20, 10)',
  toDriver: (value) => String(value),
  fromDriver: Number,
})

/** From effective_on until the next rate of the pair, one unit of base_currency is `rate` units of quote_currency. */
export const exchangeRates = pgTable(
  'exchange_rates',
  {
    ...identity,
    base_currency: text().notNull(),
    quote_currency: text().notNull(),
    rate: rate().notNull(),
    effective_on: day().notNull(),
    ...timestamps,
  },
  (t) => [
    primaryKey({ columns: [t.workspace_id, t.id] }),
    index('exchange_rates_by_created').on(t.workspace_id, t.created_at, t.id),
    index('exchange_rates_by_updated').on(t.workspace_id, t.updated_at, t.id),
    index('exchange_rates_by_date').on(t.workspace_id, t.effective_on, t.id),
    index('exchange_rates_by_base').on(t.workspace_id, t.base_currency, t.created_at, t.id),
    index('exchange_rates_by_quote').on(t.workspace_id, t.quote_currency, t.created_at, t.id),
    uniqueIndex('exchange_rates_date_key').on(t.workspace_id, t.base_currency, t.quote_currency, t.effective_on),
  ],
)
