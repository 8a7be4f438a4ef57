/** What a domain is written with. Checked first, because URL decodes escapes and reads ports and user names. */
const WRITTEN = /^[\p{L}\p{M}\p{N}.\u3002\uff0e\uff61-]+$/u
const ASCII = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9-]{2,63}$/

/**
 * A domain in its one form for comparison and delivery: ASCII, lower case, international labels as `xn--…` (IDNA, as browsers do it).
 * Undefined for what is not a domain with a top level.
 */
export function toAsciiDomain(domain: string): string | undefined {
  if (!WRITTEN.test(domain) || !URL.canParse(`http://${domain}`)) return undefined
  const { hostname } = new URL(`http://${domain}`)
  return ASCII.test(hostname) && hostname.length <= 253 ? hostname : undefined
}
