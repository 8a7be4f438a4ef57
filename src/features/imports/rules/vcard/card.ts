import { componentsOf, type Property, partsOf, readProperties, unescaped } from './read.ts'

/** The columns of the table that cards are read into. */
export const CARD_COLUMNS = [
  'Formatted name',
  'Given name',
  'Family name',
  'Email',
  'Other emails',
  'Phone',
  'Other phones',
  'Organization',
  'Job title',
  'Birthday',
  'Street',
  'Extended address',
  'City',
  'Region',
  'Postal code',
  'Country',
  'Other addresses',
  'Note',
  'Web page',
  'Categories',
] as const

type Card = { cells: string[]; fault?: string }

/** Numbers that nobody answers. */
const MACHINES = ['fax', 'pager', 'bbs', 'modem']

/** Reads a card into a row of the table. `bytes` are those between BEGIN:VCARD and END:VCARD. */
export function readCard(bytes: string): Card {
  const properties = readProperties(bytes)
  const first = (name: string) => properties.find((property) => property.name === name)?.value ?? ''
  const formatted = unescaped(first('FN'))
  const [family = '', given = ''] = componentsOf(first('N'))
  const words = formatted.split(/\s+/)
  const hasParts = given !== '' || family !== ''
  const emails = preferred(properties, 'EMAIL').map(({ value }) => unescaped(value).replace(/^mailto:/i, ''))
  const phones = preferred(properties, 'TEL', ({ types }) => types.includes('cell'))
    .filter(({ types }) => !types.some((type) => MACHINES.includes(type)))
    .map(({ value }) => phoneOf(value))
  const [address, ...addresses] = preferred(properties, 'ADR').map(({ value }) => componentsOf(value))
  const [, extended = '', street = '', city = '', region = '', code = '', country = ''] = address ?? []
  const cells = [
    formatted,
    // A card without a structured name has the parts of the formatted one: the last word is the family name.
    hasParts ? given || family : words.length > 1 ? words.slice(0, -1).join(' ') : formatted,
    hasParts ? (given ? family : '') : words.length > 1 ? (words.at(-1) as string) : '',
    emails[0] ?? '',
    emails.slice(1).join('; '),
    phones[0] ?? '',
    phones.slice(1).join('; '),
    componentsOf(first('ORG'))[0] ?? '',
    unescaped(first('TITLE') || first('ROLE')),
    birthdayOf(first('BDAY')),
    ...[street, extended, city, region, code, country],
    addresses.map((parts) => parts.filter((part) => part !== '').join(', ')).join('\n'),
    properties
      .filter(({ name }) => name === 'NOTE')
      .map(({ value }) => unescaped(value))
      .join('\n'),
    unescaped(first('URL')),
    labelsOf(properties.filter(({ name }) => name === 'CATEGORIES')).join('; '),
  ]
  return { cells, ...(first('KIND').toLowerCase() === 'group' && { fault: 'The card is a group of people, which is not imported' }) }
}

/** The groups of Google Contacts that everybody is in, which nobody chose as labels. */
const SYSTEM_LABEL = /^(?:myContacts|starred)$/

/** The categories of a card, which may have several lines of several each. One with a separator is quoted. */
function labelsOf(categories: Property[]): string[] {
  const labels = categories.flatMap(({ value }) => partsOf(value, ',')).filter((label) => label !== '' && !SYSTEM_LABEL.test(label))
  return [...new Set(labels)].map((label) => (/[;,|"]/.test(label) ? `"${label.replaceAll('"', '""')}"` : label))
}

/** The properties of a name that have a value, the preferred one first, then those that `matters` finds. */
function preferred(properties: Property[], name: string, matters: (property: Property) => boolean = () => false): Property[] {
  const rank = (property: Property) => (matters(property) ? 0 : property.isPreferred ? 1 : 2)
  return properties
    .filter((property) => property.name === name && property.value.replace(/[;\s]/g, '') !== '')
    .sort((a, b) => rank(a) - rank(b))
}

/** `tel:+61-2-4900-1000;ext=5` and the number as it is written. */
const phoneOf = (value: string): string =>
  unescaped(
    value
      .replace(/^tel:/i, '')
      .replace(/;ext=(\w+)/i, ' ext. $1')
      .replace(/;.*$/s, ''),
  )

/** ISO 8601 without hyphens, which the date parser does not read. */
const birthdayOf = (value: string): string =>
  value
    .replace(/^(\d{4})(\d\d)(\d\d)(?=$|T)/, '$1-$2-$3')
    .replace(/^--(\d\d)(\d\d)$/, '--$1-$2')
    .replace(/T.*$/s, '')
