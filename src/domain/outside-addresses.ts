/**
 * Which web addresses the Worker may call for a customer. `own`: host names of this deployment. `local`: receivers on the developer's
 * machine that are allowed all the same, each `host` or `host:port`.
 */
export type OutsideRules = { own: readonly string[]; local: readonly string[] }

/** The longest address that is called. */
export const MAX_OUTSIDE_URL = 2000

const LOWEST_PORT = 1024
const WEB_PORTS = [80, 443]

/** IPv4 ranges that are not public, from the IANA special-purpose registry (RFC 6890): the network in base 10 and its prefix length. */
const IPV4_RANGES: [network: string, bits: number, name: string][] = [
  ['0.0.0.0', 8, 'an unspecified'],
  ['10.0.0.0', 8, 'a private'],
  ['100.64.0.0', 10, 'a shared (carrier-grade NAT)'],
  ['127.0.0.0', 8, 'a loopback'],
  ['169.254.0.0', 16, 'a link-local or metadata'],
  ['172.16.0.0', 12, 'a private'],
  ['192.0.0.0', 24, 'a reserved'],
  ['192.0.2.0', 24, 'a reserved'],
  ['192.88.99.0', 24, 'a reserved'],
  ['192.168.0.0', 16, 'a private'],
  ['198.18.0.0', 15, 'a reserved'],
  ['198.51.100.0', 24, 'a reserved'],
  ['203.0.113.0', 24, 'a reserved'],
  ['224.0.0.0', 4, 'a multicast'],
  ['240.0.0.0', 4, 'a reserved'],
]

/** The same for IPv6. Ranges that carry an IPv4 address are in EMBEDDED. */
const IPV6_RANGES: [network: string, bits: number, name: string][] = [
  ['::1', 128, 'a loopback'],
  ['::', 128, 'an unspecified'],
  ['100::', 64, 'a reserved'],
  ['2001::', 23, 'a reserved'],
  ['2001:db8::', 32, 'a reserved'],
  ['3fff::', 20, 'a reserved'],
  ['5f00::', 16, 'a reserved'],
  ['64:ff9b:1::', 48, 'a private'],
  ['fc00::', 7, 'a private'],
  ['fe80::', 10, 'a link-local'],
  ['fec0::', 10, 'a private'],
  ['ff00::', 8, 'a multicast'],
]

/** IPv6 ranges whose addresses stand for the IPv4 address at this group: mapped, compatible, translated (NAT64) and 6to4. */
const EMBEDDED: [network: string, bits: number, group: number][] = [
  ['::ffff:0:0', 96, 6],
  ['::ffff:0:0:0', 96, 6],
  ['::', 96, 6],
  ['64:ff9b::', 96, 6],
  ['2002::', 16, 1],
]

/** Names that are never public: RFC 6761, RFC 6762, RFC 8375, RFC 9476 and names that private networks use. */
const LOCAL_NAMES =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|arpa|onion|alt|test|invalid|metadata|kubernetes|svc)$/

/**
 * Why an address may not be called, as the remedy for the field that has it; undefined if it may. The address is read as a client reads it
 * (WHATWG URL), so every spelling of an IP address is compared by its number.
 */
export function outsideFault(url: string, { own, local }: OutsideRules): string | undefined {
  if (url.length > MAX_OUTSIDE_URL) return `must have at most ${MAX_OUTSIDE_URL} characters`
  if (!URL.canParse(url)) return 'must be a complete web address, such as https://example.com/hooks'
  const { protocol, username, password, hostname, port, host } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return 'must start with https:// or http://'
  if (username !== '' || password !== '') return 'must not contain a user name or a password: send them in a header'
  const name = hostname.replace(/(?<!\.)\.+$/, '').toLowerCase()
  if (local.includes(host) || local.includes(name)) return undefined
  if (own.some((one) => name === one)) return 'must not be an address of this service'
  const portNumber = Number(port || (protocol === 'https:' ? 443 : 80))
  if (!WEB_PORTS.includes(portNumber) && portNumber < LOWEST_PORT)
    return `must use the port 80, 443 or one from ${LOWEST_PORT} on, not ${portNumber}`
  return hostFault(name)
}

function hostFault(name: string): string | undefined {
  const kind = addressKind(name)
  if (kind) return `must be a public address: ${name} is ${kind} address`
  if (isIpAddress(name)) return undefined
  if (!name.includes('.') || LOCAL_NAMES.test(name)) return `must be a public address: ${name} is a name of a private network`
  return undefined
}

/** Whether a host name, as URL writes it, is an IP address. */
export const isIpAddress = (name: string): boolean => ipv4(name) !== undefined || ipv6(name) !== undefined

/**
 * The network of one customer of an internet provider: an IPv4 address, also one that is mapped into IPv6, or the first 64 bits of an IPv6
 * address. Anything else is itself.
 */
export function networkOf(address: string): string {
  const groups = ipv6(address)
  if (!groups) return address
  const [high = 0, low = 0] = groups.slice(6)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** What kind of address it is, with its article, if it is an IP address that is not public: `a private`. */
export function addressKind(address: string): string | undefined {
  const short = ipv4(address)
  if (short !== undefined) return IPV4_RANGES.find(([network, bits]) => isIn(short, ipv4(network) as number, bits))?.[2]
  const groups = ipv6(address)
  if (!groups) return undefined
  const found = IPV6_RANGES.find(([network, bits]) => startsWith(groups, ipv6(network) as number[], bits))
  if (found) return found[2]
  const embedded = EMBEDDED.find(([network, bits]) => startsWith(groups, ipv6(network) as number[], bits))
  if (!embedded) return undefined
  const [high = 0, low = 0] = groups.slice(embedded[2])
  return addressKind([high >> 8, high & 255, low >> 8, low & 255].join('.'))
}

/** Whether two IPv4 addresses share their first bits. */
function isIn(address: number, network: number, bits: number): boolean {
  const rest = 2 ** (32 - bits)
  return Math.floor(address / rest) === Math.floor(network / rest)
}

const startsWith = (groups: number[], network: number[], bits: number): boolean =>
  groups.every((group, index) => {
    const shared = Math.min(Math.max(bits - index * 16, 0), 16)
    return group >> (16 - shared) === (network[index] as number) >> (16 - shared)
  })

/** The number of an IPv4 address in the form of URL: four decimal parts. */
function ipv4(text: string): number | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number)
  return parts?.every((part) => part <= 255) ? parts.reduce((sum, part) => sum * 256 + part, 0) : undefined
}

/** The eight groups of an IPv6 address, with or without brackets. The last two groups may be written as an IPv4 address. */
function ipv6(text: string): number[] | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/s, '')
  if (!bare.includes(':')) return undefined
  const last = bare.slice(bare.lastIndexOf(':') + 1)
  const tail = last.includes('.') ? ipv4(last) : undefined
  if (last.includes('.') && tail === undefined) return undefined
  const plain = tail === undefined ? bare : `${bare.slice(0, -last.length)}${(tail >>> 16).toString(16)}:${(tail % 65_536).toString(16)}`
  const [head = '', end, ...rest] = plain.split('::')
  const groupsOf = (part: string) => (part === '' ? [] : part.split(':'))
  const [before, after] = [groupsOf(head), groupsOf(end ?? '')]
  const missing = 8 - before.length - after.length
  if (rest.length > 0 || (end === undefined ? missing !== 0 : missing < 1)) return undefined
  const all = [...before, ...Array<string>(end === undefined ? 0 : missing).fill('0'), ...after]
  return all.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) ? all.map((group) => Number.parseInt(group, 16)) : undefined
}
