import { isCleanText } from '../lib/text.ts'
import { toAsciiDomain } from './domain-names.ts'
import { matches, URL_PATTERN } from './patterns.ts'

/** A web address up to its host, the host, and the rest. */
const PARTS = /^(https?:\/\/(?:[^/?#]*@)?)([^/?#:@]+)(.*)$/is
const IS_ASCII = /^[\x21-\x7e]+$/

/**
 * A complete web address as it is stored: as written, but an international domain in ASCII, so that `https://müller.de/team` and
 * `https://xn--mller-kva.de/team` are one address. Undefined for what is not a web address.
 */
export function toWebAddress(text: string): string | undefined {
  if (!isCleanText(text) || !matches(URL_PATTERN, text) || !URL.canParse(text)) return undefined
  const [, start, host, rest] = PARTS.exec(text) ?? []
  if (host === undefined || IS_ASCII.test(host)) return text
  const domain = toAsciiDomain(host)
  return domain && `${start}${domain}${rest}`
}
