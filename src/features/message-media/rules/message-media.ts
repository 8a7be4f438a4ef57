import { extensionOf, FILE_TYPES } from '../../../domain/file-types.ts'

/**
 * The life of a received file: it waits until it is fetched from the provider, which may fail for good. `attached`: a file of a record,
 * which was sent.
 */
export const MEDIA_STATUSES = ['waiting', 'stored', 'failed', 'attached'] as const
export type MediaStatus = (typeof MEDIA_STATUSES)[number]

/** The most files of a message: Twilio's limit. */
export const MAX_MEDIA = 10
/** The most bytes of the files of an SMS together: Twilio's limit. */
export const MAX_MMS_BYTES = 5_000_000
/** How often a file is tried to fetch, and the seconds after each attempt that has failed. */
export const MEDIA_WAITS = [15, 60, 300, 1800, 7200]

const EXTENSIONS: Record<string, string> = {
  ...Object.fromEntries(Object.entries(FILE_TYPES).map(([extension, type]) => [type, extension])),
  'audio/ogg': 'ogg',
  'audio/amr': 'amr',
  'audio/mp4': 'm4a',
  'video/3gpp': '3gp',
  'text/vcard': 'vcf',
  'text/x-vcard': 'vcf',
}
const LONGEST = 120

/** A media type without its parameters, such as `audio/ogg`; null for what is none. */
export const mediaTypeOf = (text: string | null | undefined): string | null =>
  /^[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,60}/.exec((text ?? '').trim().toLowerCase())?.[0] ?? null

/** A name for a file that has none, or one without an extension. */
export function mediaNameOf(name: string | null, contentType: string | null, rank: number): string {
  const extension = EXTENSIONS[contentType ?? ''] ?? 'bin'
  const plain = (name ?? '')
    .replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, '_')
    .trim()
    .slice(0, LONGEST)
    .toWellFormed()
  if (plain === '') return `media-${rank + 1}.${extension}`
  return extensionOf(plain) === '' ? `${plain}.${extension}` : plain
}
