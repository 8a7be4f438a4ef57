/** What a visitor's image is for. */
export const IMAGE_CONTEXTS = ['reputation-reviewer-logo', 'form-avatar'] as const
export const MAX_PUBLIC_IMAGE = 100_000
/** The uploads of an address, and of a browser, in 24 hours. */
export const UPLOADS_A_DAY = 3
/** An image that nothing refers to is deleted this many days after its last upload. */
export const UNUSED_DAYS = 7

export const PUBLIC_IMAGE_TYPES = { png: 'image/png', jpg: 'image/jpeg', webp: 'image/webp', svg: 'image/svg+xml' } as const
export type PublicImageType = keyof typeof PUBLIC_IMAGE_TYPES

/** The name of an image: the digest of its content. */
export const PUBLIC_IMAGE_NAME = /^([0-9a-f]{64})\.(png|jpg|webp|svg)$/

/** One subscriber of IPv6 has a /64, so that is what an address counts as. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1]) return mapped[1]
  const [head = '', tail] = address.toLowerCase().split('::')
  const before = head.split(':').filter((group) => group !== '')
  const after = tail === undefined ? [] : tail.split(':').filter((group) => group !== '')
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  return `${[...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
