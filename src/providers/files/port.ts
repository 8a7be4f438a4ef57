/** A file received with a request, and the other fields of its form; a body that is itself the file has no name and no fields. */
export type Received = { name: string; size: number; sha256: string; fields: Record<string, string> }
export type Range = { offset: number; length: number }
/** A received file that can be read again in ranges. */
export type Readable = Received & { read(range: Range): Promise<Uint8Array> }

/** Inspects a file while it is received and validates it at the end. If it throws, the file is not stored. */
export type Inspector<Out> = { add(chunk: Uint8Array): void; judge(file: Readable): Promise<Out> }

/** The file of a request, and the file store. */
export type Files = {
  /** Asserts, by its headers, that the request can carry a file. @throws AppError otherwise. */
  expect(): void
  /**
   * Streams the request's file to the store under this key. @throws AppError when it is missing, too large or rejected by the inspector;
   * then nothing remains stored.
   */
  receive<Out>(key: string, inspector: Inspector<Out>): Promise<Received & { judged: Out }>
  /** Reads the request's file, which must be a small one, without storing it. @throws as receive */
  collect(): Promise<Received & { bytes: Uint8Array }>
  /** Stores bytes under this key. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** The size in bytes that the request's file has at most, by its Content-Length. */
  expected(): number
  /** The digest of the received file, which is part of the request's fingerprint (Idempotency-Key). */
  digest: string | undefined
  /** Reads a range of a stored file; fewer bytes at its end. @throws AppError when there is no such file. */
  read(key: string, range: Range): Promise<Uint8Array>
  /** Replaces a stored file, once all of the new one is there. @throws what the pieces throw; then the file is unchanged. */
  replace(key: string, pieces: AsyncIterable<Uint8Array>): Promise<void>
  remove(key: string): Promise<void>
  /** A URL that serves the file to anyone for one minute. */
  link(key: string, name: string, now: Date): { url: string; expires_at: string }
}
