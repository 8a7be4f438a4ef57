/** The country of contacts, phone numbers and states for which none is given. */
export const DEFAULT_COUNTRY = { name: 'Australia', code: 'AU' } as const
/** Both of its names in lower case. */
export const DEFAULT_COUNTRY_NAMES = [DEFAULT_COUNTRY.name, DEFAULT_COUNTRY.code].map((name) => name.toLowerCase())
