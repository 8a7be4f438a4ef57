import { cutText } from '../../../lib/text.ts'
import { chargeable, fromMinor, toMinor } from './amounts.ts'
import type { OrderItem, OrderLine } from './types.ts'

/** The terms of a form that decide what an order costs. */
export type Terms = { currency: string; prices_include_tax: boolean }
export type Chosen = { item: OrderItem; quantity: number }
/** A line of the provider's page, in the smallest unit of the currency. */
export type CheckoutLine = { name: string; quantity: number; unit_amount: number }
export type Totals = { lines: OrderLine[]; checkout: CheckoutLine[]; taxes: { rate: number; amount: number }[]; tax: number; total: number }

/** Rates have two decimals, so that a rate in hundredths is a whole number. */
const HUNDREDTHS = 10_000

/** What an order costs. Taxes are rounded once for each rate, over all lines that have it. */
export function totalsOf(chosen: Chosen[], { currency, prices_include_tax }: Terms): Totals {
  const priced = chosen.map(({ item, quantity }) => ({ item, quantity, unit: toMinor(item.unit_price, currency) }))
  const byRate = new Map<number, number>()
  for (const { item, quantity, unit } of priced) byRate.set(item.tax_rate, (byRate.get(item.tax_rate) ?? 0) + unit * quantity)
  const taxes = [...byRate]
    .filter(([rate]) => rate > 0)
    .map(([rate, sum]) => ({
      rate,
      minor: taxOf(sum, rate, { currency, prices_include_tax }),
    }))
  const tax = taxes.reduce((sum, { minor }) => sum + minor, 0)
  const sum = priced.reduce((all, { unit, quantity }) => all + unit * quantity, 0)
  const money = (minor: number) => fromMinor(minor, currency)
  return {
    lines: priced.map(({ item: { product_id, label, tax_rate }, quantity, unit }) => ({
      product_id,
      label,
      tax_rate,
      quantity,
      unit_price: money(unit),
      total: money(unit * quantity),
    })),
    checkout: [
      ...priced.map(({ item, quantity, unit }) => ({ name: item.label, quantity, unit_amount: unit })),
      ...(prices_include_tax ? [] : taxes.map(({ rate, minor }) => ({ name: `Tax ${rate} %`, quantity: 1, unit_amount: minor }))),
    ],
    taxes: taxes.map(({ rate, minor }) => ({ rate, amount: money(minor) })),
    tax: money(tax),
    total: money(prices_include_tax ? sum : sum + tax),
  }
}

function taxOf(sum: number, rate: number, { currency, prices_include_tax }: Terms): number {
  const hundredths = Math.round(rate * 100)
  if (prices_include_tax) return sum - chargeable((sum * HUNDREDTHS) / (HUNDREDTHS + hundredths), currency)
  return chargeable((sum * hundredths) / HUNDREDTHS, currency)
}

/** A line item of an opportunity: its price is without tax. */
export type SoldItem = { product_id?: string; name: string; quantity: number; unit_price: number; tax_percent: number }

/**
 * What a line becomes on the opportunity. Where the price includes the tax and the price of one piece without it is not exact, the line is
 * sold as one piece, so that its total is what was paid.
 */
export function soldItem({ product_id, label, quantity, unit_price, tax_rate, total }: OrderLine, isIncluded: boolean): SoldItem {
  const named = { ...(product_id && { product_id }), tax_percent: tax_rate }
  if (!isIncluded) return { ...named, name: label, quantity, unit_price }
  const net = (gross: number) => Math.round((gross * 100 * HUNDREDTHS) / (HUNDREDTHS + Math.round(tax_rate * 100))) / 100
  const gross = Math.round((Math.round(net(unit_price) * quantity * 100) * (HUNDREDTHS + Math.round(tax_rate * 100))) / HUNDREDTHS) / 100
  if (gross === total) return { ...named, name: label, quantity, unit_price: net(unit_price) }
  return { ...named, name: cutText(`${quantity} × ${label}`, 200), quantity: 1, unit_price: net(total) }
}
