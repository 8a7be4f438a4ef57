/** Trims the text, collapses white space, and removes control and invisible formatting characters. */
export const tidy = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .trim()

/** The normal form of a name: names that differ only in case or blanks are equal. */
export const normalise = (name: string) => tidy(name.normalize('NFKC')).toLowerCase()

/** The same, reduced to letters and digits: `GTXPro` is `GTX Pro`. */
export const squash = (name: string) => normalise(name).replace(/[^\p{L}\p{N}]/gu, '')

/** Converts `10/20/2016` (month first) or `2016-10-20` to `2016-10-20`. Undefined for a day that does not exist. */
export function toDate(text: string): string | undefined {
  const us = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text)
  const date = us ? `${us[3]}-${us[1]!.padStart(2, '0')}-${us[2]!.padStart(2, '0')}` : text
  if (!/^(?!0000)\d{4}-\d\d-\d\d$/.test(date)) return undefined
  const day = new Date(`${date}T00:00:00.000Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date) ? date : undefined
}

/** Converts `1,054` and `$1054.00` to `1054` and `1054.00`. Undefined for anything else. */
export function toPlainNumber(text: string): string | undefined {
  const digits = /^(-?)\s*\$?\s*((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)$/.exec(text)
  return digits ? `${digits[1]}${digits[2]!.replaceAll(',', '')}` : undefined
}

/** A plain number times ten to the power of `shift`, in cents. Shifts the digits instead of multiplying, to be exact. */
export function toCents(plain: string, shift = 0): { cents: bigint; rounded: boolean } {
  const [whole = '', fraction = ''] = plain.replace('-', '').split('.')
  const places = 2 + shift
  const cents = BigInt(whole + fraction.slice(0, places).padEnd(places, '0'))
  const rest = fraction.slice(places)
  const up = rest >= '5' ? 1n : 0n
  return { cents: (cents + up) * (plain.startsWith('-') ? -1n : 1n), rounded: /[1-9]/.test(rest) }
}

/** An amount as the API has it. The quotient is the number nearest to the amount, which JSON writes with two decimals. */
export const fromCents = (cents: bigint): number => Number(cents) / 100

/** An invented address for a person whose address is unknown. Undefined if the name has no letters that an address may contain. */
export function toEmail(name: string, domain: string): string | undefined {
  const ascii = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  const parts = ascii.split(/\s+/).map((part) => part.replace(/[^a-z0-9-]/g, '').replace(/^-+|-+$/g, ''))
  const local = parts.filter((part) => part).join('.')
  return local && local.length <= 64 ? `${local}@${domain}` : undefined
}
