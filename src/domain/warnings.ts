import { droppedFromPhone, toE164 } from './phone.ts'
import { countryCode } from './time-zones.ts'
import { toCompanyDomain } from './web-addresses.ts'

type Row = Record<string, unknown>
/** Something that a write dropped or changed. `field` is its path in the request. */
export type Warning = { code: string; field: string; message: string; details?: unknown }

/**
 * The warnings of a write are found by comparing what was sent with the record that is stored. Normal forms are no reason for one: trimmed
 * text, lower-case addresses, E.164 numbers and IANA zones.
 */
export function contactWarnings(sent: Row, stored: Row): Warning[] {
  const email = typeof sent.email === 'string' ? addressOf(sent.email) : ''
  const numberOf = numbersAsStored(sent, stored)
  const others = stored.alternate_phones as string[]
  const phone = typeof sent.phone === 'string' ? numberOf(sent.phone) : ''
  return [
    ...phoneWarnings('phone', sent.phone, stored.phone, stored),
    ...phoneWarnings('landline', sent.landline, stored.landline, stored),
    ...shortenedNumbers(sent, stored, numberOf),
    ...droppedEntries('alternate_emails', sent.alternate_emails, stored.alternate_emails, addressOf),
    ...droppedEntries('alternate_phones', sent.alternate_phones, others, numberOf),
    ...warnIf(stored.phone !== phone && others.includes(phone), {
      code: 'KEPT_AS_ALTERNATE',
      field: 'phone',
      message: `${phone} is among the alternate numbers and stays there: send alternate_phones too to make it the main one`,
    }),
    ...droppedTags(sent, stored),
    ...warnIf(email !== '' && stored.email !== email, {
      code: 'KEPT_AS_ALTERNATE',
      field: 'email',
      message: `${email} is among the alternate addresses and stays there: send alternate_emails too to make it the main one`,
    }),
    ...warnIf(sent.is_referrer === false && stored.is_referrer === true, {
      code: 'IS_REFERRER',
      field: 'is_referrer',
      message: 'Stored as true, because referrer_opportunity_id is set',
    }),
    ...warnIf(sent.is_primary === true && stored.is_primary === false, {
      code: 'NOT_PRIMARY',
      field: 'is_primary',
      message: 'Another contact of this call has become the primary contact of the company',
    }),
  ]
}

/** The warning of a new contact that was linked to the company with the domain of its email address. */
export const linkedWarnings = (sent: Row, { customer_id }: Row): Warning[] =>
  warnIf(sent.customer_id === undefined && typeof customer_id === 'string', {
    code: 'LINKED_BY_DOMAIN',
    field: 'customer_id',
    message: 'Linked to the company that has the domain of the email address: send customer_id to choose another one, or null for none',
    details: { customer_id },
  })

export const companyWarnings = (sent: Row, stored: Row): Warning[] => [
  ...phoneWarnings('phone', sent.phone, stored.phone, stored),
  ...droppedEntries('domains', sent.domains, stored.domains, domainOf),
  ...warnIf(keepsDomain(sent, stored), {
    code: 'KEPT_AS_ALTERNATE',
    field: 'website_url',
    message: `The domain of ${sent.website_url} is among the company’s domains and stays there: send domains too to change the website`,
  }),
  ...droppedTags(sent, stored),
]

export function opportunityWarnings(sent: Row, stored: Row): Warning[] {
  const primary = Array.isArray(sent.contacts) ? sent.contacts.filter((link: Row) => link.is_primary === true) : []
  return [
    ...droppedTags(sent, stored),
    ...warnIf(primary.length > 1, {
      code: 'SEVERAL_PRIMARY_CONTACTS',
      field: 'contacts',
      message: 'An opportunity has one primary contact: the last one that is marked',
      details: { contact_id: primary.at(-1)?.contact_id },
    }),
  ]
}

/** The warning of an upsert that changed an archived record and left it archived. */
export const archivedWarnings = (sent: Row, stored: Row): Warning[] =>
  warnIf(sent.archived === undefined && stored.archived === true && stored.created === false, {
    code: 'ARCHIVED_RECORD',
    field: 'archived',
    message: 'The record that matches is archived and stays so: send archived: false to restore it',
    details: { id: stored.id },
  })

/** Whether the domain of the website that was sent stays among the further domains. */
function keepsDomain({ website_url: sent }: Row, { website_url, domains }: Row): boolean {
  const domain = typeof sent === 'string' ? domainOf(sent) : ''
  return domain !== domainOf(website_url ?? '') && (domains as string[]).includes(domain)
}

const domainOf = (text: unknown) => toCompanyDomain(String(text)) ?? String(text)
const warnIf = (condition: boolean, warning: Warning): Warning[] => (condition ? [warning] : [])
const droppedTags = (sent: Row, stored: Row) => droppedEntries('tags', sent.tags, stored.tags, (tag) => String((tag as Row).name).trim())
const addressOf = (address: unknown) => String(address).trim().toLowerCase()

/**
 * Entries that were sent and not stored, because others of the list are the same. `textOf` is what the stored entry has in common with
 * them.
 */
export function droppedEntries(field: string, sent: unknown, stored: unknown, textOf: (entry: unknown) => string = String): Warning[] {
  if (!Array.isArray(sent)) return []
  const left = new Map<string, number>()
  for (const entry of stored as unknown[]) left.set(textOf(entry), (left.get(textOf(entry)) ?? 0) + 1)
  const dropped = sent.map(textOf).filter((text) => {
    const count = left.get(text) ?? 0
    left.set(text, count - 1)
    return count < 1
  })
  return warnIf(dropped.length > 0, {
    code: 'DUPLICATES_DROPPED',
    field,
    message: `Not saved, because the record has them already: ${dropped.join(', ')}`,
    details: { dropped },
  })
}

/**
 * The form in which a number of the request is stored. Numbers without a prefix are read by the country of the request or, in an update, of
 * the record: the one that gives a number of the record.
 */
function numbersAsStored(sent: Row, { country, phone, alternate_phones }: Row): (number: unknown) => string {
  const codes = [sent.country, country].map((name) => (typeof name === 'string' && countryCode(name)) || undefined)
  const known = new Set([phone, ...(alternate_phones as string[])])
  return (number) => {
    const forms = [...codes, undefined].map((code) => toE164(String(number), code))
    return forms.find((form) => known.has(form)) ?? forms[0] ?? String(number)
  }
}

function shortenedNumbers({ alternate_phones: sent }: Row, stored: Row, numberOf: (number: unknown) => string): Warning[] {
  if (!Array.isArray(sent)) return []
  return sent.flatMap((number, at) => phoneWarnings(`alternate_phones.${at}`, number, numberOf(number), stored))
}

function phoneWarnings(field: string, sent: unknown, stored: unknown, { country }: Row): Warning[] {
  if (typeof sent !== 'string' || typeof stored !== 'string' || sent.trim() === stored) return []
  const dropped = droppedFromPhone(sent, (typeof country === 'string' && countryCode(country)) || undefined)
  if (dropped === undefined) return []
  return [
    { code: 'PHONE_SHORTENED', field, message: `Stored as ${stored}, without ${dropped}: keep that in notes`, details: { sent, stored } },
  ]
}
