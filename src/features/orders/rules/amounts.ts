/** Currencies whose amounts the payment provider takes without decimals, and with three. All others have two. */
const WHOLE = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '))
const THREE = new Set('BHD JOD KWD OMR TND'.split(' '))

const factorOf = (currency: string) => (WHOLE.has(currency) ? 1 : THREE.has(currency) ? 1000 : 100)

/** The number of decimals with which a price can be charged. */
export const hasDecimals = (currency: string): boolean => !WHOLE.has(currency)

/** An amount in the smallest unit of its currency, as the payment provider has it. The third decimal of a currency with three is 0. */
export const toMinor = (amount: number, currency: string): number => {
  const hundredths = Math.round(amount * 100)
  return factorOf(currency) === 1 ? Math.round(hundredths / 100) : hundredths * (factorOf(currency) / 100)
}

export const fromMinor = (minor: number, currency: string): number => Math.round((minor * 100) / factorOf(currency)) / 100
