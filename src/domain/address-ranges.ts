/** The most address ranges of one key. */
export const MAX_RANGES = 50

const octet = (part: string) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255
const isIpv4 = (text: string) => text.split('.').length === 4 && text.split('.').every(octet)

function isIpv6(text: string): boolean {
  const [head = '', tail, ...rest] = text.split('::')
  if (rest.length > 0) return false
  const groups = [head, tail ?? ''].flatMap((part) => (part === '' ? [] : part.split(':')))
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false
  return tail === undefined ? groups.length === 8 : groups.length < 8
}

/** Whether the text is an IPv4 or IPv6 address, or a range of them in CIDR notation. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const max = isIpv4(address) ? 32 : isIpv6(address) ? 128 : -1
  return max > 0 && rest.length === 0 && (bits === undefined || (/^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= max))
}
