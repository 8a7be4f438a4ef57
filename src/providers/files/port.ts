/** A file as it came with a request; a body that is a file by itself has no name. */
export type Received = { name: string; bytes: Uint8Array; sha256: string }
export type StoredAs = { content_type: string; sha256: string }

/** The file of a request, and the store that files are kept in. */
export type Files = {
  /** Whether the request can carry a file at all, by its headers. @throws AppError unless it can. */
  expect(): void
  /** Reads the request's one file. @throws AppError for what is none or too large. */
  receive(): Promise<Received>
  /** The digest of the file, once received: a part of what makes the request what it is (Idempotency-Key). */
  digest: string | undefined
  /** @throws AppError while the store is out of reach. */
  put(key: string, bytes: Uint8Array, as: StoredAs): Promise<void>
  /** The stored bytes of a range, fewer at the end of the file. @throws AppError where there is no such file. */
  read(key: string, range: { offset: number; length: number }): Promise<Uint8Array>
  remove(key: string): Promise<void>
  /** An address that answers the file to whoever has it, for a minute. */
  link(key: string, name: string, now: Date): { url: string; expires_at: string }
}
