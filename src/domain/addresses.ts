/** A contact's alternate email addresses: each once, in lower case, and never the main address. */
export function alternateAddresses(main: string | null | undefined, addresses: readonly string[]): string[] {
  return alternatesTo(
    main?.toLowerCase(),
    addresses.map((address) => address.trim().toLowerCase()),
  )
}

/** Further values beside a main one, in their normal form: each once, and never the main one. */
export const alternatesTo = (main: string | null | undefined, values: readonly string[]): string[] =>
  [...new Set(values)].filter((value) => value !== '' && value !== main)
