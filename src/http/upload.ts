import { AppError } from '../errors.ts'
import { toHex } from '../lib/keys.ts'
import type { Inspector, Range, Readable, Received } from '../providers/files/port.ts'

/** The size in bytes of a multipart upload's parts: R2's minimum. No more of a file is in memory at a time. */
const PART = 5 * 1024 * 1024
const INITIAL_CAPACITY = 65_536

/** @throws AppError UNAVAILABLE when the file store cannot be reached. */
export const reached = async <Out>(call: Promise<Out>): Promise<Out> =>
  call.catch((error: unknown) => {
    console.error(JSON.stringify({ level: 'error', message: 'file store', error: String(error) }))
    throw new AppError('UNAVAILABLE', 'The file store is temporarily unavailable', undefined, 2)
  })

/**
 * The upload of a file to the store. A file of one part is inspected before it is stored; a larger one is stored first, and removed if it
 * is refused.
 */
export class Upload<Out> {
  readonly #bucket: R2Bucket
  readonly #key: string
  readonly #inspector: Inspector<Out>
  readonly #digest = new crypto.DigestStream('SHA-256')
  readonly #hashing = this.#digest.getWriter()
  #part = new Uint8Array(INITIAL_CAPACITY)
  #filled = 0
  #size = 0
  #multipart: R2MultipartUpload | undefined
  #parts: R2UploadedPart[] = []

  constructor(bucket: R2Bucket, key: string, inspector: Inspector<Out>) {
    this.#bucket = bucket
    this.#key = key
    this.#inspector = inspector
    // Nobody awaits the digest of a discarded file.
    this.#digest.digest.catch(() => {})
  }

  async add(chunk: Uint8Array): Promise<void> {
    this.#inspector.add(chunk)
    await this.#hashing.write(chunk)
    this.#size += chunk.length
    for (let at = 0; at < chunk.length; ) {
      if (this.#filled === PART) await this.#flush()
      const piece = chunk.subarray(at, at + PART - this.#filled)
      this.#ensureCapacity(this.#filled + piece.length)
      this.#part.set(piece, this.#filled)
      this.#filled += piece.length
      at += piece.length
    }
  }

  #ensureCapacity(needed: number): void {
    if (needed <= this.#part.length) return
    const larger = new Uint8Array(Math.min(PART, Math.max(needed, this.#part.length * 2)))
    larger.set(this.#part.subarray(0, this.#filled))
    this.#part = larger
  }

  async #flush(): Promise<void> {
    this.#multipart ??= await reached(this.#bucket.createMultipartUpload(this.#key))
    this.#parts.push(await reached(this.#multipart.uploadPart(this.#parts.length + 1, this.#part.subarray(0, this.#filled))))
    this.#filled = 0
  }

  /** Inspects and stores the file after its last chunk. */
  async end(name: string, fields: Record<string, string> = {}): Promise<Received & { judged: Out }> {
    await this.#hashing.close()
    const sha256 = toHex(new Uint8Array(await this.#digest.digest))
    const received = { name, size: this.#size, sha256, fields }
    if (this.#multipart) {
      await this.#flush()
      await reached(this.#multipart.complete(this.#parts))
      this.#multipart = undefined
      return { ...received, judged: await this.#inspector.judge(this.#stored(received)) }
    }
    const bytes = this.#part.subarray(0, this.#filled)
    const judged = await this.#inspector.judge({ ...received, read: async ({ offset, length }) => bytes.subarray(offset, offset + length) })
    await reached(this.#bucket.put(this.#key, bytes, { sha256 }))
    return { ...received, judged }
  }

  #stored(received: Received): Readable {
    const read = async (range: Range) => {
      const object = await reached(this.#bucket.get(this.#key, { range }))
      return new Uint8Array(object ? await reached(object.arrayBuffer()) : [])
    }
    return { ...received, read }
  }

  /** Removes the stored parts of a refused file. If that fails, the nightly sweep removes them. */
  async discard(): Promise<void> {
    await this.#hashing.abort().catch(() => {})
    await this.#multipart?.abort().catch(() => {})
    if (!this.#multipart && this.#parts.length > 0) await this.#bucket.delete(this.#key).catch(() => {})
  }
}

/** A small file, in memory. */
export class Collected {
  readonly #chunks: Uint8Array[] = []

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk.slice())
  }

  async end(name: string, fields: Record<string, string> = {}): Promise<Received & { bytes: Uint8Array }> {
    const bytes = new Uint8Array(await new Blob(this.#chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer())
    const sha256 = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
    return { name, size: bytes.length, sha256, fields, bytes }
  }

  async discard(): Promise<void> {}
}
