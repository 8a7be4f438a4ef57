import { Temporal } from 'temporal-polyfill'
import { alternateAddresses, alternatesTo } from '../../../domain/addresses.ts'
import { DEFAULT_COUNTRY } from '../../../domain/default-country.ts'
import { PHONE_MESSAGE, toE164 } from '../../../domain/phone.ts'
import { countryCode, toZone, ZONE_MESSAGE } from '../../../domain/time-zones.ts'
import { withoutNulls } from '../../../lib/objects.ts'
import { isCalendarDate, toUtcText } from '../../../lib/text.ts'
import type { ContactColumns, ContactInput, Issue, StoredContact } from './types.ts'

const DEFAULT_SOURCE = 'manual'

/** The value that null stands for, where a contact cannot be without one. */
const WITHOUT_VALUE: Record<string, unknown> = {
  is_primary: false,
  email_unsubscribed: false,
  sms_unsubscribed: false,
  voice_unsubscribed: false,
  whatsapp_unsubscribed: false,
  is_referrer: false,
}

/** The context of normaliseContact. `zone` is the workspace's IANA zone, which decides which dates are in the future. */
export type NormaliseContext = {
  now: Date
  zone?: string
  /** The stored contact, for an update; undefined for a create. */
  stored?: StoredContact
}

/**
 * Turns a validated create or update into columns. A create leaves out columns without a value, so that defaults apply; an update leaves
 * out columns that were not sent, and null clears. In an update, `metadata` still contains the nulls that remove a key. `issues` lists
 * every value that cannot be stored, with its path; if there are any, nothing should be stored. Dates are `YYYY-MM-DD`, timestamps UTC
 * text with milliseconds. A field without a rule of its own is stored as it was sent, blank text as null.
 */
export function normaliseContact<Input extends ContactInput>(
  input: Input,
  context: NormaliseContext,
): { columns: ContactColumns & Omit<Input, keyof ContactInput>; issues: Issue[] } {
  const { stored } = context
  const country = input.country ?? stored?.country ?? DEFAULT_COUNTRY.name
  const { first_name, source, email, alternate_emails, phone, alternate_phones, landline, timezone, ...others } = input
  const { date_of_birth, relationship_started_at, metadata, country: sent, ...plain } = others
  const columns: ContactColumns = plainColumns(plain)
  const issues: Issue[] = []

  if (first_name != null) columns.first_name = first_name.trim()
  if (input.referrer_opportunity_id) columns.is_referrer = true

  if (!stored) columns.country = blankToNull(sent) ?? DEFAULT_COUNTRY.name
  else if (sent !== undefined) columns.country = blankToNull(sent)
  if (!stored || source !== undefined) columns.source = source ?? DEFAULT_SOURCE

  Object.assign(columns, emailColumns(input, stored))
  phoneColumns(input, country, columns, issues)
  otherPhones(input, country, stored, columns, issues)
  zoneColumn(input, country, columns, issues)
  dateColumns(input, context, columns, issues)

  if (metadata !== undefined) columns.metadata = stored ? (metadata ?? {}) : withoutNulls(metadata ?? {})
  return { columns: columns as ContactColumns & Omit<Input, keyof ContactInput>, issues }
}

/** The columns of fields that need no rule. */
function plainColumns(fields: Record<string, unknown>): Record<string, unknown> {
  const sent = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    sent.map(([name, value]) => [name, typeof value === 'string' ? blankToNull(value) : (value ?? WITHOUT_VALUE[name] ?? null)]),
  )
}

/**
 * Lower-cases the main address and removes it and duplicates from the alternate ones, also when only the main address changes to one of
 * these.
 */
function emailColumns(input: ContactInput, stored: StoredContact | undefined): ContactColumns {
  const columns: ContactColumns = {}
  if (input.email !== undefined) columns.email = blankToNull(input.email)?.toLowerCase() ?? null
  const main = input.email === undefined ? (stored?.email?.toLowerCase() ?? null) : columns.email
  const storedAlternates = stored?.alternate_emails ?? []
  if (input.alternate_emails === undefined && !storedAlternates.some((address) => address.toLowerCase() === main)) return columns
  const others = input.alternate_emails === undefined ? storedAlternates : (input.alternate_emails ?? [])
  return { ...columns, alternate_emails: alternateAddresses(main, others) }
}

/** A mobile number must be valid; a landline number that cannot be parsed is stored as written. */
function phoneColumns(input: ContactInput, country: string, columns: ContactColumns, issues: Issue[]): void {
  const code = countryCode(country) ?? DEFAULT_COUNTRY.code
  if (input.landline !== undefined) {
    const text = blankToNull(input.landline)
    columns.landline = text === null ? null : (toE164(text, code) ?? text)
  }
  if (input.phone === undefined) return
  const text = blankToNull(input.phone)
  const phone = text === null ? null : toE164(text, code)
  if (phone !== undefined) columns.phone = phone
  else issues.push({ path: 'phone', message: PHONE_MESSAGE })
}

/** Alternate numbers must be valid too. The main one and duplicates are removed, also when only the main number changes to one of these. */
function otherPhones(
  input: ContactInput,
  country: string,
  stored: StoredContact | undefined,
  columns: ContactColumns,
  issues: Issue[],
): void {
  const main = input.phone === undefined ? stored?.phone : columns.phone
  const kept = stored?.alternate_phones ?? []
  if (input.alternate_phones === undefined) {
    if (main && kept.includes(main)) columns.alternate_phones = alternatesTo(main, kept)
    return
  }
  const code = countryCode(country) ?? DEFAULT_COUNTRY.code
  const numbers = (input.alternate_phones ?? []).map((text) => toE164(text, code))
  for (const [at, number] of numbers.entries())
    if (number === undefined) issues.push({ path: `alternate_phones.${at}`, message: PHONE_MESSAGE })
  columns.alternate_phones = alternatesTo(
    main,
    numbers.filter((number) => number !== undefined),
  )
}

function zoneColumn(input: ContactInput, country: string, columns: ContactColumns, issues: Issue[]): void {
  if (input.timezone === undefined) return
  const text = blankToNull(input.timezone)
  const zone = text === null ? null : toZone(text, country)
  if (zone !== undefined) columns.timezone = zone
  else issues.push({ path: 'timezone', message: ZONE_MESSAGE })
}

function dateColumns(input: ContactInput, { now, zone = 'UTC', stored }: NormaliseContext, columns: ContactColumns, issues: Issue[]): void {
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone).toPlainDate().toString()

  if (input.date_of_birth !== undefined) {
    const born = blankToNull(input.date_of_birth)
    if (born !== null && !isCalendarDate(born)) issues.push({ path: 'date_of_birth', message: 'must be a date in the form YYYY-MM-DD' })
    else if (born !== null && born > today) issues.push({ path: 'date_of_birth', message: 'must not be in the future' })
    else columns.date_of_birth = born
  }

  const started = input.relationship_started_at === undefined ? undefined : blankToNull(input.relationship_started_at)
  if (started === null && stored) columns.relationship_started_at = null
  if (started == null) return
  const isDate = isCalendarDate(started)
  const instant = isDate ? `${started}T00:00:00.000Z` : toUtcText(started)
  const future = isDate ? started > today : instant !== undefined && instant > now.toISOString()
  if (instant === undefined)
    issues.push({ path: 'relationship_started_at', message: 'must be an ISO date, or a timestamp with Z or an offset' })
  else if (future) issues.push({ path: 'relationship_started_at', message: 'must not be in the future' })
  else columns.relationship_started_at = instant
}

function blankToNull(text: string | null | undefined): string | null {
  return text == null || text.trim() === '' ? null : text
}
