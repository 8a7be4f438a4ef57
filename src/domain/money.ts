/** The largest amount of money, in any currency. */
export const MONEY_MAX = 999_999_999_999.99
/** The same for a message: `999,999,999,999.99`. */
export const MONEY_MAX_TEXT = MONEY_MAX.toLocaleString('en')

/** The currency of amounts for which none is given (ISO 4217). */
export const DEFAULT_CURRENCY = 'AUD'
