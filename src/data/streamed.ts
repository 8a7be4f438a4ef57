/** An answer that is sent as it comes about, piece by piece: no more of it is in memory than what the caller has room for. */
export class Streamed {
  readonly type: string
  readonly headers: Record<string, string>
  readonly #pieces: () => AsyncIterable<string>

  /** What fails after the first piece ends the connection, so that nobody takes the part for the whole. */
  constructor(type: string, pieces: () => AsyncIterable<string>, headers: Record<string, string> = {}) {
    this.type = type
    this.headers = headers
    this.#pieces = pieces
  }

  stream(): ReadableStream<Uint8Array> {
    const pieces = this.#pieces()[Symbol.asyncIterator]()
    const encoder = new TextEncoder()
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { value, done } = await pieces.next()
          if (done) controller.close()
          else controller.enqueue(encoder.encode(value))
        },
        async cancel() {
          await pieces.return?.()
        },
      },
      { highWaterMark: 0 },
    )
  }
}
