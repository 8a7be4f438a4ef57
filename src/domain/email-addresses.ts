import { toAsciiDomain } from './domain-names.ts'

/**
 * The characters of a local part: those of RFC 5322 atoms and, for international addresses (RFC 6531), letters, marks and digits of any
 * script.
 */
const LOCAL = /^(?!\.)(?!.*\.\.)[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}(?<!\.)$/u
/**
 * An email address in the form in which it is stored and compared: lower case, its local part in NFC, its domain in ASCII. So
 * `Info@Müller.de` and `info@xn--mller-kva.de` are one address. Undefined for what is not an address.
 */
export function toEmailAddress(text: string): string | undefined {
  const at = text.lastIndexOf('@')
  const written = text.slice(0, Math.max(at, 0)).normalize('NFC')
  // Compatibility forms, such as full-width letters, would make two spellings of what looks like one address.
  if (written.normalize('NFKC') !== written) return undefined
  const local = written.toLowerCase().normalize('NFC')
  const domain = toAsciiDomain(text.slice(at + 1))
  return domain !== undefined && LOCAL.test(local) ? `${local}@${domain}` : undefined
}
