import { isId } from '../../lib/ids.ts'
import { isCalendarDate, isCleanText, toUtcText } from '../../lib/text.ts'
import { CURRENCIES } from '../currencies.ts'
import { toEmailAddress } from '../email-addresses.ts'
import { toE164 } from '../phone.ts'
import { toCompanyDomain, toWebAddress } from '../web-addresses.ts'
import type { End, Field, Kind, Point, Test } from './types.ts'

export const MAX_VALUES = 100
const MAX_TEXT = 500
const MAX_DAYS = 36_500

/** A value that an operator cannot compare with; `path` is relative to the value. */
export class Unfit extends Error {
  readonly path: string
  /** Whether a value has the form of the type, so that this error says more than those of other types. */
  readonly isOfType: boolean

  constructor(message: string, path = '', isOfType = false) {
    super(message)
    this.path = path
    this.isOfType = isOfType
  }
}

type Read<Out> = (value: unknown, field: Field) => Out

const text: Read<string> = (value, { reads }) => {
  if (typeof value !== 'string') throw new Unfit('must be text')
  const trimmed = value.trim()
  if (trimmed === '') throw new Unfit('must not be empty: use is_empty to ask for no value')
  if (trimmed.length > MAX_TEXT || !isCleanText(trimmed)) throw new Unfit(`must be at most ${MAX_TEXT} characters of well-formed text`)
  if (reads === 'email') return toEmailAddress(trimmed) ?? trimmed.toLowerCase()
  if (reads === 'domain') return toCompanyDomain(trimmed) ?? trimmed.toLowerCase()
  if (reads === 'website') return toWebAddress(trimmed) ?? trimmed
  return reads === 'phone' ? (toE164(trimmed) ?? trimmed) : trimmed
}

/** A substring; for a phone number, its digits. */
const fragment: Read<string> = (value, field) => {
  const whole = text(value, { kind: 'text' })
  if (field.reads !== 'phone') return whole
  const digits = whole.replace(/[\s().-]/g, '')
  if (!/^\+?\d+$/.test(digits)) throw new Unfit('must be digits of a phone number')
  return digits
}

const number: Read<number> = (value) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Unfit('must be a number')
  return value
}

type Amount = { amount: number; currency: string }

const money: Read<Amount> = (value) => {
  const { amount, currency, ...rest } = (typeof value === 'object' && value !== null ? value : {}) as Partial<Record<string, unknown>>
  const isAmount = typeof amount === 'number' && Number.isFinite(amount) && typeof currency === 'string' && CURRENCIES.has(currency)
  if (!isAmount || Object.keys(rest).length > 0)
    throw new Unfit('must be an amount with its currency (ISO 4217), such as {"amount": 1200.5, "currency": "AUD"}')
  return { amount, currency }
}

/** A number that a field is compared with, and its currency if the field has amounts of money. */
const bound: Read<{ amount: number; currency?: string }> = (value, field) =>
  field.kind === 'money' ? money(value, field) : { amount: number(value, field) }

/** A range with one end or with both at the same number. */
function limit(value: unknown, field: Field, ends: (at: number) => { low?: End<number>; high?: End<number> }): Test {
  const { amount, ...currency } = bound(value, field)
  return { is: 'numbers', ...ends(amount), ...currency }
}

const boolean: Read<boolean> = (value) => {
  if (typeof value !== 'boolean') throw new Unfit('must be true or false')
  return value
}

const id: Read<string> = (value) => {
  if (typeof value !== 'string' || !isId(value)) throw new Unfit('must be a UUID')
  return value.toLowerCase()
}

const option: Read<string> = (value, { options }) => {
  if (typeof value !== 'string') throw new Unfit('must be text')
  if (options && !options.includes(value)) throw new Unfit(`must be one of: ${options.join(', ')}`)
  return options ? value : text(value, { kind: 'text' })
}

const day: Read<Point> = (value) => {
  if (typeof value !== 'string' || !isCalendarDate(value)) throw new Unfit('must be a date of the calendar, such as 2026-03-31')
  return { day: value }
}

const moment: Read<Point> = (value) => {
  if (typeof value === 'string' && isCalendarDate(value)) return { day: value }
  const instant = typeof value === 'string' ? toUtcText(value) : undefined
  if (!instant) throw new Unfit('must be a date, or a timestamp with Z or an offset, such as 2026-03-31T09:30:00Z')
  return { instant }
}

const days: Read<number> = (value) => {
  const { days, ...rest } = (typeof value === 'object' && value !== null ? value : {}) as { days?: unknown }
  if (!Number.isInteger(days) || (days as number) < 0 || (days as number) > MAX_DAYS || Object.keys(rest).length > 0)
    throw new Unfit(`must be {"days": n} with n from 0 to ${MAX_DAYS}`)
  return days as number
}

/** Adds the index to an error in a list. */
function at<Out>(read: Read<Out>, value: unknown, field: Field, index: number): Out {
  try {
    return read(value, field)
  } catch (error) {
    throw error instanceof Unfit ? new Unfit(error.message, `.${index}${error.path}`) : error
  }
}

const listOf =
  <Out>(read: Read<Out>): Read<Out[]> =>
  (value, field) => {
    if (!Array.isArray(value) || value.length === 0) throw new Unfit('must be a list of at least one value')
    if (value.length > MAX_VALUES) throw new Unfit(`must have at most ${MAX_VALUES} values`)
    return value.map((item, index) => at(read, item, field, index))
  }

const pairOf =
  <Out>(read: Read<Out>, inOrder: (low: Out, high: Out) => boolean): Read<[Out, Out]> =>
  (value, field) => {
    if (!Array.isArray(value) || value.length !== 2) throw new Unfit('must be a list of two values: from and to')
    const [low, high] = [at(read, value[0], field, 0), at(read, value[1], field, 1)]
    if (!inOrder(low, high)) throw new Unfit('must go from the lower to the higher value')
    return [low, high]
  }

const END_OF_DAY = '\uffff'
const startOf = (point: Point) => ('day' in point ? point.day : 'instant' in point ? point.instant : '')
const endOf = (point: Point) => ('day' in point ? point.day + END_OF_DAY : startOf(point))
const closed = <At>(at: At): End<At> => ({ at, open: false })
const open = <At>(at: At): End<At> => ({ at, open: true })

type Base = keyof typeof TESTS

/** The test for each operator that is not the negation of another. */
const TESTS = {
  eq: (value: unknown, field: Field): Test =>
    field.kind === 'money'
      ? limit(value, field, (at) => ({ low: closed(at), high: closed(at) }))
      : { is: 'in', values: [readers[field.kind](value, field)] },
  in: (value: unknown, field: Field): Test => ({ is: 'in', values: listOf(readers[field.kind])(value, field) }),
  contains: (value: unknown, field: Field): Test => {
    if (field.kind === 'list') return TESTS.in(Array.isArray(value) ? value : [value], field)
    return { is: 'like', texts: [fragment(value, field)], from: 'anywhere' }
  },
  starts_with: (value: unknown, field: Field): Test => ({ is: 'like', texts: [fragment(value, field)], from: 'start' }),
  lt: (value: unknown, field: Field): Test => limit(value, field, (at) => ({ high: open(at) })),
  lte: (value: unknown, field: Field): Test => limit(value, field, (at) => ({ high: closed(at) })),
  gt: (value: unknown, field: Field): Test => limit(value, field, (at) => ({ low: open(at) })),
  gte: (value: unknown, field: Field): Test => limit(value, field, (at) => ({ low: closed(at) })),
  between: (value: unknown, field: Field): Test => {
    if (field.kind === 'number' || field.kind === 'money') {
      const inOrder = (low: ReturnType<typeof bound>, high: ReturnType<typeof bound>) =>
        low.currency !== high.currency || low.amount <= high.amount
      const [{ amount: low, ...currency }, high] = pairOf(bound, inOrder)(value, field)
      if (currency.currency !== high.currency)
        throw new Unfit('must have one currency: amounts of different currencies are not compared', '', true)
      return { is: 'numbers', low: closed(low), high: closed(high.amount), ...currency }
    }
    const [low, high] = pairOf(field.kind === 'date' ? day : moment, (low, high) => startOf(low) <= endOf(high))(value, field)
    return { is: 'times', low: closed(low), high: closed(high) }
  },
  on: (value: unknown, field: Field): Test => ({ is: 'times', low: closed(day(value, field)), high: closed(day(value, field)) }),
  before: (value: unknown, field: Field): Test => ({ is: 'times', high: open((field.kind === 'date' ? day : moment)(value, field)) }),
  after: (value: unknown, field: Field): Test => ({ is: 'times', low: open((field.kind === 'date' ? day : moment)(value, field)) }),
  within_last: (value: unknown, field: Field): Test => ({
    is: 'times',
    low: closed({ days: -days(value, field) }),
    high: closed({ days: 0 }),
  }),
  within_next: (value: unknown, field: Field): Test => ({
    is: 'times',
    low: closed({ days: 0 }),
    high: closed({ days: days(value, field) }),
  }),
  days_ago: (value: unknown, field: Field): Test => onlyDay(-days(value, field)),
  days_ahead: (value: unknown, field: Field): Test => onlyDay(days(value, field)),
  is_empty: (value: unknown): Test => {
    if (value !== undefined && value !== null) throw new Unfit('must be left out: this operator compares to nothing')
    return { is: 'empty' }
  },
}

const onlyDay = (days: number): Test => ({ is: 'times', low: closed({ days }), high: closed({ days }) })

const never: Read<never> = () => {
  throw new Unfit('cannot be compared')
}
const readers: Record<Kind, Read<string | number | boolean>> = {
  text,
  choice: option,
  number,
  boolean,
  id,
  list: text,
  date: never,
  instant: never,
  membership: never,
  money: never,
}

const OPPOSITES: Record<string, Base> = {
  not_eq: 'eq',
  not_in: 'in',
  not_contains: 'contains',
  is_not_empty: 'is_empty',
  not_within_last: 'within_last',
}

/** The id of the list in a condition on membership. @throws Unfit for anything else. */
export const listIdOf = (value: unknown): string => id(value, { kind: 'membership' })

/** Translates an operator into a test. @throws Unfit for a value that it cannot compare with. */
export function testOf(op: string, value: unknown, field: Field): { test: Test; not: boolean } {
  const opposite = OPPOSITES[op]
  return { test: TESTS[opposite ?? (op as Base)](value, field), not: opposite !== undefined }
}
