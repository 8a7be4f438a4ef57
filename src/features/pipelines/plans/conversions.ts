import { type SQL, sql } from 'drizzle-orm'
import type * as v from 'valibot'
import type { Ctx } from '../../../context.ts'
import type { Statement } from '../../../data/db.ts'
import { convertedSums, missingRates, type Rate } from '../rules/conversion.ts'
import type { Conversion } from '../schemas/exchange-rates.ts'

export type ConversionQuery = { convert_to?: string | undefined; rates_on?: string | undefined }
type Amounts = { by_currency: { currency: string; value: number; weighted_value: number }[] }

/** How the sums of a board or a report become sums in one currency; does nothing unless a conversion was requested. */
export function conversionOf(ctx: Ctx, { convert_to: currency, rates_on = ctx.now.toISOString().slice(0, 10) }: ConversionQuery) {
  const wanted = currency !== undefined
  return {
    /** Reading rates takes the scope of their own endpoints. */
    guards: (wanted ? [sql`select assert_scopes('{company:read}'::text[])`] : []) as Statement[],
    /** The rates for the currencies of `counts`, as JSON. */
    rates: (wanted
      ? sql`rates_to(array(select distinct a ->> 'currency' from counts k, json_array_elements(k.by_currency) a),
        ${currency}, ${rates_on}::date)`
      : sql`null::json`) as SQL,
    sums: <Sums extends Amounts>(sums: Sums, rates: Rate[] | null) => ({
      ...sums,
      ...(wanted && { converted: convertedSums(sums.by_currency, currency, rates ?? []) }),
    }),
    /** The rates that apply, and the currencies without one. */
    described: (all: Amounts[], rates: Rate[] | null): { conversion?: v.InferOutput<typeof Conversion> } =>
      wanted
        ? {
            conversion: {
              currency,
              rates_on,
              rates: (rates ?? []).map(({ rate, ...rest }) => ({ ...rest, rate: Number(rate) })),
              missing: missingRates(
                all.flatMap(({ by_currency }) => by_currency),
                currency,
                rates ?? [],
              ),
            },
          }
        : {},
  }
}
