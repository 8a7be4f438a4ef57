/** Currencies whose amounts the payment provider takes without decimals, and with three. All others have two. */
const WHOLE = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '))
const THREE = new Set('BHD JOD KWD OMR TND'.split(' '))
/** Currencies whose amounts it takes with two decimals that must be 0. */
const WHOLE_BY_HUNDREDS = new Set('ISK UGX'.split(' '))

const factorOf = (currency: string) => (WHOLE.has(currency) ? 1 : THREE.has(currency) ? 1000 : 100)
/** What an amount in the smallest unit must be a multiple of: the third decimal of a currency with three is 0. */
const stepOf = (currency: string) => (WHOLE_BY_HUNDREDS.has(currency) ? 100 : THREE.has(currency) ? 10 : 1)

/** The currencies in which prices are whole numbers. */
export const WITHOUT_DECIMALS: readonly string[] = [...WHOLE, ...WHOLE_BY_HUNDREDS]

/** An amount in the smallest unit of its currency, rounded to one that can be charged. */
export const chargeable = (minor: number, currency: string): number => Math.round(minor / stepOf(currency)) * stepOf(currency)

/** An amount in the smallest unit of its currency, as the payment provider has it. */
export const toMinor = (amount: number, currency: string): number => {
  const hundredths = Math.round(amount * 100)
  if (factorOf(currency) === 1) return Math.round(hundredths / 100)
  return chargeable(hundredths * (factorOf(currency) / 100), currency)
}

export const fromMinor = (minor: number, currency: string): number => Math.round((minor * 100) / factorOf(currency)) / 100
