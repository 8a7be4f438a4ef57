import { Temporal } from 'temporal-polyfill'
import { withoutNulls } from '../../lib/objects.ts'
import { isCalendarDate, toUtcText } from '../../lib/text.ts'
import { alternateAddresses, alternatesTo } from '../addresses.ts'
import { DEFAULT_COUNTRY } from '../default-country.ts'
import { PHONE_MESSAGE, toE164 } from '../phone.ts'
import { countryCode, toZone, ZONE_MESSAGE } from '../time-zones.ts'
import type { ContactColumns, ContactInput, Issue, StoredContact } from './types.ts'

const DEFAULT_SOURCE = 'manual'

const TEXTS = [
  'last_name',
  'job_title',
  'contact_type',
  'notes',
  'source_id',
  'address_line1',
  'address_line2',
  'city',
  'state',
  'postal_code',
  'referrer_category',
  'referrer_opportunity_id',
] as const

const FLAGS = [
  'is_primary',
  'email_unsubscribed',
  'sms_unsubscribed',
  'voice_unsubscribed',
  'whatsapp_unsubscribed',
  'is_referrer',
] as const

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
 * text with milliseconds.
 */
export function normaliseContact(input: ContactInput, context: NormaliseContext): { columns: ContactColumns; issues: Issue[] } {
  const { stored } = context
  const country = input.country ?? stored?.country ?? DEFAULT_COUNTRY.name
  const columns: ContactColumns = {}
  const issues: Issue[] = []

  if (input.first_name != null) columns.first_name = input.first_name.trim()
  if (input.first_name_derived) columns.first_name_derived = true
  for (const field of TEXTS) if (input[field] !== undefined) columns[field] = blankToNull(input[field])
  for (const field of FLAGS) if (input[field] !== undefined) columns[field] = input[field] ?? false
  if (input.referrer_opportunity_id) columns.is_referrer = true

  if (!stored) columns.country = blankToNull(input.country) ?? DEFAULT_COUNTRY.name
  else if (input.country !== undefined) columns.country = blankToNull(input.country)
  if (!stored || input.source !== undefined) columns.source = input.source ?? DEFAULT_SOURCE

  Object.assign(columns, emailColumns(input, stored))
  phoneColumns(input, country, columns, issues)
  otherPhones(input, country, stored, columns, issues)
  zoneColumn(input, country, columns, issues)
  dateColumns(input, context, columns, issues)

  if (input.metadata !== undefined) columns.metadata = stored ? (input.metadata ?? {}) : withoutNulls(input.metadata ?? {})
  return { columns, issues }
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
