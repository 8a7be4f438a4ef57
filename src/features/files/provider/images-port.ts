/** Decodes and encodes pictures. What a picture says about its camera, place and owner is left out, and its orientation applied. */
export type Images = {
  /** The picture in the same format, encoded anew. @throws ImageUnreadable */
  rewrite(bytes: Uint8Array, type: 'image/png' | 'image/jpeg' | 'image/webp'): Promise<Uint8Array>
  /** The picture as WebP, at most that wide. @throws ImageUnreadable */
  scale(bytes: ReadableStream<Uint8Array>, width: number): Promise<Uint8Array>
}

/** The bytes are no picture that can be decoded. */
export class ImageUnreadable extends Error {}
