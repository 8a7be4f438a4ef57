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
