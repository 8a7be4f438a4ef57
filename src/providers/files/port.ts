/** A file as it came with a request; a body that is a file by itself has no name. */
export type Received = { name: string; size: number; sha256: string }
export type Range = { offset: number; length: number }
/** A received file, all of which can be read again, a piece at a time. */
export type Readable = Received & { read(range: Range): Promise<Uint8Array> }

/** Looks at a file while it is received, and judges it at the end: what throws keeps it from being stored. */
export type Inspector<Out> = { add(chunk: Uint8Array): void; judge(file: Readable): Promise<Out> }

/** The file of a request, and the store that files are kept in. */
export type Files = {
  /** Whether the request can carry a file at all, by its headers. @throws AppError unless it can. */
  expect(): void
  /** Stores the request's one file as it comes, under this key. @throws AppError for what is none, too large, or refused by the inspector; then nothing stays. */
  receive<Out>(key: string, inspector: Inspector<Out>): Promise<Received & { judged: Out }>
  /** The digest of the file, once received: a part of what makes the request what it is (Idempotency-Key). */
  digest: string | undefined
  /** The stored bytes of a range, fewer at the end of the file. @throws AppError where there is no such file. */
  read(key: string, range: Range): Promise<Uint8Array>
  remove(key: string): Promise<void>
  /** An address that answers the file to whoever has it, for a minute. */
  link(key: string, name: string, now: Date): { url: string; expires_at: string }
}
