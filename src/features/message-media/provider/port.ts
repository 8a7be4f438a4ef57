/** A file of a message, as a provider returns it. */
export type FetchedMedia = { bytes: Uint8Array; content_type: string | null; name: string | null }

/** A file that is larger than allowed, which another attempt does not change. */
export class TooLarge extends Error {}
