/** A stored rate: one unit of the currency is `rate` units of the target or, if `inverse`, one unit of the target is `rate` units of it. */
export type Rate = { currency: string; rate: string; inverse: boolean; effective_on: string }
type Amount = { currency: string; value: number; weighted_value: number }

/** Rates have at most this many decimals. */
export const RATE_DECIMALS = 10
const SCALE = 10n ** BigInt(RATE_DECIMALS)
const scaled = (rate: string): bigint => {
  const [whole = '0', decimals = ''] = rate.split('.')
  return BigInt(whole + decimals.padEnd(RATE_DECIMALS, '0').slice(0, RATE_DECIMALS))
}
/** Divides, and rounds half up. Both are positive or 0. */
const divide = (a: bigint, b: bigint): bigint => (2n * a + b) / (2n * b)

/** An amount in cents of the target currency. Integers compute exactly. */
function convert(amount: number, { rate, inverse }: Rate): bigint {
  const cents = BigInt(Math.round(amount * 100))
  return inverse ? divide(cents * SCALE, scaled(rate)) : divide(cents * scaled(rate), SCALE)
}

/** Amounts in several currencies as sums in one. Null if a rate is missing: amounts are never left out silently. */
export function convertedSums(amounts: Amount[], target: string, rates: Rate[]): { value: number; weighted_value: number } | null {
  const own: Rate = { currency: target, rate: '1', inverse: false, effective_on: '' }
  const byCurrency = new Map([...rates, own].map((rate) => [rate.currency, rate]))
  let [value, weighted] = [0n, 0n]
  for (const amount of amounts) {
    const rate = byCurrency.get(amount.currency)
    if (!rate) return null
    value += convert(amount.value, rate)
    weighted += convert(amount.weighted_value, rate)
  }
  return { value: Number(value) / 100, weighted_value: Number(weighted) / 100 }
}

/** The currencies of the amounts for which no rate is known, in the order of their codes. */
export function missingRates(amounts: Amount[], target: string, rates: Rate[]): string[] {
  const known = new Set([target, ...rates.map(({ currency }) => currency)])
  return [...new Set(amounts.map(({ currency }) => currency))].filter((currency) => !known.has(currency)).sort()
}
