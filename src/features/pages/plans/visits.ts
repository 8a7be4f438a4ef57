import { createHash } from 'node:crypto'
import { networkOf } from '../../../domain/outside-addresses.ts'

/** The address of a visitor without a key. */
export const addressOf = (headers: Headers | undefined) => headers?.get('cf-connecting-ip') ?? 'unknown'

/**
 * The hash of a visitor's network and what the visitor does: an IPv4 address, or the 64 bits of IPv6 that one customer of a provider has.
 */
export const networkHash = (headers: Headers | undefined, what: string): string =>
  createHash('sha256')
    .update(`${what}\n${networkOf(addressOf(headers))}`)
    .digest('hex')

/** The parts of the path of a URL; a malformed one is empty. */
export const partsOf = (url: string) =>
  new URL(url).pathname.split('/').map((part) => {
    try {
      return decodeURIComponent(part)
    } catch {
      return ''
    }
  })
