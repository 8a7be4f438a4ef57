/** A contact's alternate email addresses: each once, in lower case, and never the main address. */
export function alternateAddresses(main: string | null | undefined, addresses: readonly string[]): string[] {
  const clean = addresses.map((address) => address.trim().toLowerCase())
  return [...new Set(clean)].filter((address) => address !== '' && address !== main?.toLowerCase())
}
