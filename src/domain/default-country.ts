/** The country of contacts, phone numbers and states for which none is given. */
export const DEFAULT_COUNTRY = { name: 'Australia', code: 'AU' } as const
