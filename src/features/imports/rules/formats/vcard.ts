import type { CARD_COLUMNS } from '../vcard/card.ts'
import type { Format } from './format.ts'

/** The fields of the columns that cards are read into. */
const columns: Record<(typeof CARD_COLUMNS)[number], string | null> = {
  'Formatted name': null,
  'Given name': 'first_name',
  'Family name': 'last_name',
  Email: 'email',
  'Other emails': 'email',
  Phone: 'phone',
  'Other phones': 'phone',
  Organization: 'company',
  'Job title': 'job_title',
  Birthday: 'date_of_birth',
  Street: 'address_line1',
  'Extended address': 'address_line2',
  City: 'city',
  Region: 'state',
  'Postal code': 'postal_code',
  Country: 'country',
  'Other addresses': null,
  Note: 'notes',
  'Web page': null,
  Categories: 'tags',
}

export const VCARD: Format = {
  name: 'vcard',
  product: 'vCard',
  object: 'contacts',
  all: ['Formatted name', 'Given name', 'Family name', 'Other addresses'],
  columns,
}
