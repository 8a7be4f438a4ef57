/** Trimmed, every run of blanks one space, and no control or invisible formatting characters. */
export const tidy = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Z}]+/gu, ' ')
    .replace(/\p{Cf}/gu, '')
    .trim()

/** What two spellings of one name have in common: upper and lower case, and blanks, don't tell names apart. */
export const normalise = (name: string) => tidy(name.normalize('NFKC')).toLowerCase()

/** The same with all but letters and digits gone: `GTXPro` is `GTX Pro`. */
export const squash = (name: string) => normalise(name).replace(/[^\p{L}\p{N}]/gu, '')

/** `10/20/2016`, month first, or `2016-10-20`: as `2016-10-20`. Nothing when the calendar has no such day. */
export function toDate(text: string): string | undefined {
  const us = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text)
  const date = us ? `${us[3]}-${us[1]!.padStart(2, '0')}-${us[2]!.padStart(2, '0')}` : text
  if (!/^(?!0000)\d{4}-\d\d-\d\d$/.test(date)) return undefined
  const day = new Date(`${date}T00:00:00.000Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(date) ? date : undefined
}

/** `1,054` and `$1054.00` as `1054` and `1054.00`. Nothing for what is no such number. */
export function toPlainNumber(text: string): string | undefined {
  const digits = /^(-?)\s*\$?\s*((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)$/.exec(text)
  return digits ? `${digits[1]}${digits[2]!.replaceAll(',', '')}` : undefined
}

/** A plain number times ten to the power of `shift`, in cents: digits are moved, nothing is multiplied. */
export function toCents(plain: string, shift = 0): { cents: bigint; rounded: boolean } {
  const [whole = '', fraction = ''] = plain.replace('-', '').split('.')
  const places = 2 + shift
  const cents = BigInt(whole + fraction.slice(0, places).padEnd(places, '0'))
  const rest = fraction.slice(places)
  const up = rest >= '5' ? 1n : 0n
  return { cents: (cents + up) * (plain.startsWith('-') ? -1n : 1n), rounded: /[1-9]/.test(rest) }
}

/** Money as the API carries it. Division rounds to the number nearest to the amount, which JSON writes with its two decimals. */
export const fromCents = (cents: bigint): number => Number(cents) / 100

/** A made-up address for a person whose own is not known; nothing when the name has no letters that an address may have. */
export function toEmail(name: string, domain: string): string | undefined {
  const ascii = name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  const parts = ascii.split(/\s+/).map((part) => part.replace(/[^a-z0-9-]/g, '').replace(/^-+|-+$/g, ''))
  const local = parts.filter((part) => part).join('.')
  return local && local.length <= 64 ? `${local}@${domain}` : undefined
}
