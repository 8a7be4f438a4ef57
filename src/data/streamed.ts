/** A response that is streamed piece by piece, at the client's pace, so that only one piece is in memory. */
export class Streamed {
  readonly type: string
  readonly headers: Record<string, string>
  readonly #pieces: (gone: AbortSignal) => AsyncIterable<string | Uint8Array>

  /**
   * A failure after the first piece aborts the connection, so that nobody mistakes a part for the whole. `gone` is aborted when the client
   * leaves, for pieces that wait for something else.
   */
  constructor(type: string, pieces: (gone: AbortSignal) => AsyncIterable<string | Uint8Array>, headers: Record<string, string> = {}) {
    this.type = type
    this.headers = headers
    this.#pieces = pieces
  }

  stream(): ReadableStream<Uint8Array> {
    const gone = new AbortController()
    const pieces = this.#pieces(gone.signal)[Symbol.asyncIterator]()
    const encoder = new TextEncoder()
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { value, done } = await pieces.next()
          if (done) controller.close()
          else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
        },
        async cancel() {
          gone.abort()
          await pieces.return?.()
        },
      },
      { highWaterMark: 0 },
    )
  }
}
