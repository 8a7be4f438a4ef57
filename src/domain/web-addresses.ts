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

/** Hosts at which many companies have their page, as website_domain (schema/functions/primitives.sql) has them. */
const SHARED =
  /(^|\.)((facebook|instagram|linkedin|twitter|youtube|tiktok|pinterest|linktr|google|yelp|etsy|ebay|medium|github)\.[a-z.]{2,20}|x\.com)$/
const HOST = /^(?:https?:\/\/(?:[^/?#]*@)?)?(?:www\.)?([^/?#:@]+)(?:[/?#:]|$)/i

/**
 * A company's domain, from a domain or a web address, in the form of website_domain: ASCII, lower case, without www. Undefined for what is
 * none, and for hosts at which many companies have their page.
 */
export function toCompanyDomain(text: string): string | undefined {
  const domain = toAsciiDomain(HOST.exec(text.trim())?.[1]?.toLowerCase() ?? '')
  return domain !== undefined && !SHARED.test(domain) ? domain : undefined
}
